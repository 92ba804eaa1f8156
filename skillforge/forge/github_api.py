"""GitHub's REST API with retries.

Requests go through PyGithub. Its objects are not used: reading an attribute may send a
request, which the caller can't see.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, NoReturn

from skillforge.errors import ConflictError, RequestError, SkillforgeError, ToolError
from skillforge.forge.github_address import GitHubRepository
from skillforge.installation import install_command

if TYPE_CHECKING:
    from github import GithubException

PAUSES = (0.5, 2.0, 5.0)  # seconds before each retry
LONGEST_WAIT = 60  # seconds to wait for a rate limit
SLOWEST = 30  # seconds to wait for a response
_PAGE = 100
_MOST_PAGES = 500


class NotFoundError(RequestError):
    """It does not exist, or the token may not see it."""


class RejectedError(ConflictError):
    """GitHub rejected a valid request because of the current state."""

    def __init__(self, status: int, words: str, hint: str = "") -> None:
        super().__init__(f"GitHub rejected the request: {words}", hint=hint)
        self.status = status
        self.words = words


class ForbiddenError(ToolError):
    """The token may not do this."""


class _UncertainError(Exception):
    """The request may have been processed; `error` is raised after the last retry."""

    def __init__(self, error: SkillforgeError) -> None:
        super().__init__(error.message)
        self.error = error


class _LimitedError(Exception):
    """The request was not processed, and may be repeated after some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class GitHubApi:
    """A connection to one repository."""

    def __init__(self, place: GitHubRepository, token: str) -> None:
        try:
            import github
        except ImportError as err:
            raise ToolError(
                "PyGithub is not installed", hint=install_command("github")
            ) from err
        self.place = place
        self._requester = github.Github(
            auth=github.Auth.Token(token),
            base_url=place.api,
            timeout=SLOWEST,
            retry=None,  # ours checks first whether a request was processed
            seconds_between_requests=None,
            seconds_between_writes=None,
            user_agent="skillforge",
        ).requester

    def get(self, path: str, **parameters: Any) -> Any:
        """The response to a GET request."""
        return self._with_retries(partial(self._ask, "GET", path, parameters, None))

    def pages(self, path: str, key: str = "", **parameters: Any) -> Iterator[Any]:
        """All items of a paginated list."""
        for number in range(1, _MOST_PAGES + 1):
            paged = {**parameters, "per_page": _PAGE, "page": number}
            answer = self._with_retries(partial(self._ask, "GET", path, paged, None))
            with parse_response(path):
                items = answer[key] if key else answer
            if not isinstance(items, list):
                raise _unexpected_response(path)
            yield from items
            if len(items) < _PAGE:
                return
        raise ToolError(f"GitHub's list {path} is too long", hint="try again later")

    def put(self, verb: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send an idempotent request."""
        return self._with_retries(partial(self._ask, verb, path, {}, body))

    def once(
        self,
        verb: str,
        path: str,
        body: Mapping[str, Any],
        look: Callable[[], Any],
    ) -> Any:
        """Send a request that must not be processed twice.

        If it is uncertain whether it was processed, `look` returns the result, or None
        to send the request again.
        """
        return self._with_retries(partial(self._ask, verb, path, {}, body), look)

    def upload(self, url: str, name: str, data: bytes, look: Callable[[], Any]) -> Any:
        """Upload a file to a URL from GitHub; like `once`, not twice."""
        return self._with_retries(partial(self._send, url, name, data), look)

    def graphql(self, query: str, **variables: Any) -> Any:
        """Send an idempotent GraphQL request, for what REST does not offer."""
        body = {"query": query, "variables": variables}
        ask = partial(self._ask, "POST", self._requester.graphql_url, {}, body)
        answer = self._with_retries(ask)
        if errors := answer.get("errors"):
            raise RejectedError(200, str(errors[0].get("message", "")))
        return answer["data"]

    def _with_retries(
        self, ask: Callable[[], Any], look: Callable[[], Any] | None = None
    ) -> Any:
        waited = 0.0
        pauses = iter(PAUSES)
        while True:
            try:
                return ask()
            except _LimitedError as limit:
                waited += limit.seconds
                if waited > LONGEST_WAIT:
                    raise _limit_reached(limit.seconds) from limit
                time.sleep(limit.seconds)
            except _UncertainError as doubt:
                pause = next(pauses, None)
                time.sleep(pause or 0)
                if look is not None and (existing := look()) is not None:
                    return existing
                if pause is None:
                    raise doubt.error from doubt

    def _ask(
        self,
        verb: str,
        path: str,
        parameters: Mapping[str, Any],
        body: Mapping[str, Any] | None,
    ) -> Any:
        query = dict(parameters) or None
        requester = self._requester
        return self._answer(
            path, lambda: requester.requestJsonAndCheck(verb, path, query, input=body)
        )

    def _send(self, url: str, name: str, data: bytes) -> Any:
        kind = {"Content-Type": "application/octet-stream"}
        size = {"Content-Length": str(len(data))}
        requester = self._requester
        return self._answer(
            url,
            lambda: requester.requestMemoryBlobAndCheck(
                "POST", url, {"name": name}, kind | size, BytesIO(data)
            ),
        )

    def _answer(self, path: str, ask: Callable[[], tuple[Any, Any]]) -> Any:
        """The response, or an error for a refusal."""
        import requests
        from github import GithubException

        try:
            _headers, data = ask()
        except GithubException as err:
            self._explain(err, path)
        except (RuntimeError, TypeError, AssertionError) as err:  # redirected
            raise _unexpected_response(path) from err
        except (requests.RequestException, OSError, ValueError) as err:
            error = ToolError(
                f"cannot reach {self.place.host} ({type(err).__name__})",
                hint="run the command again; it is safe to repeat",
            )
            if "NewConnectionError" in repr(err) or "NameResolution" in repr(err):
                raise error from err  # no request was sent
            raise _UncertainError(error) from err
        return _checked(data, path)

    def _explain(self, err: "GithubException", path: str) -> NoReturn:
        """Raise the error for an unsuccessful response, with a hint."""
        data = err.data if isinstance(err.data, dict) else {}
        words = _message(data) or f"status {err.status}"
        headers = {k.lower(): v for k, v in (err.headers or {}).items()}
        if (wait := _limited_for(err.status, headers, words)) is not None:
            raise _LimitedError(wait) from err
        if err.status >= 500:
            error = ToolError(
                f"GitHub has a problem: {words}", hint="run the command again later"
            )
            raise _UncertainError(error) from err
        if err.status == 401:
            raise ToolError(
                f"{self.place.host} rejects the token",
                hint="gh auth status; GITHUB_TOKEN and GH_TOKEN take precedence",
            ) from err
        if err.status == 403:
            raise ForbiddenError(
                f"GitHub denies access: {words}",
                hint="the token needs write access to contents and pull requests of "
                f"{self.place.owner}/{self.place.name}",
            ) from err
        if err.status in (404, 410):
            what = path.removeprefix(self.place.path).strip("/")
            raise NotFoundError(
                f"not found on {self.place}: {what or 'the repository'}",
                hint="check the repository (git remote -v) and the token's access "
                "(gh auth status)",
            ) from err
        raise RejectedError(err.status, words) from err


def _unexpected_response(path: str) -> ToolError:
    return ToolError(
        f"unexpected response from GitHub to {path}",
        hint="is this the right host, and has the repository moved? git remote -v",
    )


class _ResponseObject(dict[str, Any]):
    """An object in a response; a missing key is an error of the server."""

    path = ""

    def __missing__(self, key: str) -> NoReturn:
        raise _unexpected_response(f"{self.path} (no {key})")


def _checked(data: Any, path: str) -> Any:
    if isinstance(data, list):
        return [_checked(item, path) for item in data]
    if not isinstance(data, dict):
        return data
    checked = _ResponseObject({key: _checked(data[key], path) for key in data})
    checked.path = path
    return checked


@contextmanager
def parse_response(path: str) -> Iterator[None]:
    """Turn errors from wrong types in a response into a ToolError."""
    try:
        yield
    except (TypeError, AttributeError, ValueError) as err:
        raise _unexpected_response(path) from err


def _message(data: Mapping[str, Any]) -> str:
    """GitHub's error message with its details."""
    errors = data.get("errors")
    details = errors if isinstance(errors, list) else [errors] if errors else []
    texts = [
        str(d.get("message") or d.get("code")) if isinstance(d, dict) else str(d)
        for d in details
    ]
    parts = filter(None, [str(data.get("message", "")), *texts])
    return "; ".join(" ".join(part.split()) for part in parts)


def _limited_for(status: int, headers: Mapping[str, str], words: str) -> float | None:
    """Seconds to wait for a rate limit; None if there is none."""
    is_over = headers.get("x-ratelimit-remaining") == "0"
    is_limit = status == 429 or (
        status == 403 and (is_over or "rate limit" in words.lower())
    )
    if not is_limit:
        return None
    if after := headers.get("retry-after", ""):
        return max(1.0, float(after)) if after.isdecimal() else 60.0
    if is_over and headers.get("x-ratelimit-reset", "").isdecimal():
        return max(1.0, int(headers["x-ratelimit-reset"]) - time.time() + 1)
    return 60.0


def _limit_reached(seconds: float) -> ToolError:
    when = time.strftime("%H:%M UTC", time.gmtime(time.time() + seconds))
    return ToolError(
        f"GitHub's rate limit is used up until {when}",
        hint="run the command again then; it continues where it stopped",
    )
