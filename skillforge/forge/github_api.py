"""GitHub's REST interface: JSON in, JSON out; patient, but not without end.

PyGithub does the talking. Its objects would ask again behind an attribute, where no
caller can tell a question from a deed, so they are not used.
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

PAUSES = (0.5, 2.0, 5.0)  # seconds before each of the tries that follow a failure
LONGEST_WAIT = 60  # seconds that a rate limit may keep us
SLOWEST = 30  # seconds to wait for an answer
_PAGE = 100
_MOST_PAGES = 500


class NotFoundError(RequestError):
    """GitHub knows nothing of that name, or does not let us see it."""


class RejectedError(ConflictError):
    """GitHub understood, and will not do it as things are."""

    def __init__(self, status: int, words: str, hint: str = "") -> None:
        super().__init__(f"GitHub refuses it: {words}", hint=hint)
        self.status = status
        self.words = words


class ForbiddenError(ToolError):
    """The token may not do this."""


class _DoubtfulError(Exception):
    """Nobody knows whether it was done; `error` is what to say in the end."""

    def __init__(self, error: SkillforgeError) -> None:
        super().__init__(error.message)
        self.error = error


class _LimitedError(Exception):
    """It was not done, and may be asked again after some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class GitHubApi:
    """A connection to one place."""

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
            retry=None,  # ours looks before it tries again
            seconds_between_requests=None,
            seconds_between_writes=None,
            user_agent="skillforge",
        ).requester

    def get(self, path: str, **parameters: Any) -> Any:
        """Ask something; safe to repeat."""
        return self._patiently(partial(self._ask, "GET", path, parameters, None))

    def pages(self, path: str, key: str = "", **parameters: Any) -> Iterator[Any]:
        """All of a list that GitHub answers page by page."""
        for number in range(1, _MOST_PAGES + 1):
            paged = {**parameters, "per_page": _PAGE, "page": number}
            answer = self._patiently(partial(self._ask, "GET", path, paged, None))
            with sense(path):
                items = answer[key] if key else answer
            if not isinstance(items, list):
                raise _senseless(path)
            yield from items
            if len(items) < _PAGE:
                return
        raise ToolError(f"GitHub's list of {path} has no end", hint="try again later")

    def put(self, verb: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Do what comes to the same when it is done twice."""
        return self._patiently(partial(self._ask, verb, path, {}, body))

    def once(
        self,
        verb: str,
        path: str,
        body: Mapping[str, Any],
        look: Callable[[], Any],
    ) -> Any:
        """Do what must not be done twice.

        After a failure that leaves it open whether it was done, `look` says what there
        is; only if that is None is it tried again.
        """
        return self._patiently(partial(self._ask, verb, path, {}, body), look)

    def upload(self, url: str, name: str, data: bytes, look: Callable[[], Any]) -> Any:
        """Send a file to where GitHub said; as `once`, it is not done twice."""
        return self._patiently(partial(self._send, url, name, data), look)

    def graphql(self, query: str, **variables: Any) -> Any:
        """Do the few things that REST does not offer; safe to repeat."""
        body = {"query": query, "variables": variables}
        ask = partial(self._ask, "POST", self._requester.graphql_url, {}, body)
        answer = self._patiently(ask)
        if errors := answer.get("errors"):
            raise RejectedError(200, str(errors[0].get("message", "")))
        return answer["data"]

    def _patiently(
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
            except _DoubtfulError as doubt:
                pause = next(pauses, None)
                time.sleep(pause or 0)
                if look is not None and (there := look()) is not None:
                    return there
                if pause is None:
                    raise doubt.error from doubt

    def _ask(
        self,
        verb: str,
        path: str,
        parameters: Mapping[str, Any],
        body: Mapping[str, Any] | None,
    ) -> Any:
        given = dict(parameters) or None
        requester = self._requester
        return self._answer(
            path, lambda: requester.requestJsonAndCheck(verb, path, given, input=body)
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
        """What GitHub says, or what its refusal means."""
        import requests
        from github import GithubException

        try:
            _headers, data = ask()
        except GithubException as err:
            self._explain(err, path)
        except (RuntimeError, TypeError, AssertionError) as err:  # led elsewhere
            raise _senseless(path) from err
        except (requests.RequestException, OSError, ValueError) as err:
            said = ToolError(
                f"{self.place.host} cannot be reached ({type(err).__name__})",
                hint="nothing is half done: run the command again",
            )
            if "NewConnectionError" in repr(err) or "NameResolution" in repr(err):
                raise said from err  # it never got there
            raise _DoubtfulError(said) from err
        return _said(data, path)

    def _explain(self, err: "GithubException", path: str) -> NoReturn:
        """What an answer that is no yes means, and what to do."""
        data = err.data if isinstance(err.data, dict) else {}
        words = _words(data) or f"it answered {err.status}"
        headers = {k.lower(): v for k, v in (err.headers or {}).items()}
        if (wait := _limited_for(err.status, headers, words)) is not None:
            raise _LimitedError(wait) from err
        if err.status >= 500:
            said = ToolError(
                f"GitHub is in trouble: {words}", hint="run the command again later"
            )
            raise _DoubtfulError(said) from err
        if err.status == 401:
            raise ToolError(
                f"{self.place.host} does not take the token",
                hint="gh auth status; GITHUB_TOKEN and GH_TOKEN count for more",
            ) from err
        if err.status == 403:
            raise ForbiddenError(
                f"GitHub does not allow it: {words}",
                hint="the token needs the right to write contents and pull requests "
                f"of {self.place.owner}/{self.place.name}",
            ) from err
        if err.status in (404, 410):
            what = path.removeprefix(self.place.path).strip("/")
            raise NotFoundError(
                f"{self.place} does not show us {what or 'itself'}",
                hint="is it the right repository (git remote -v), and may the token "
                "see it (gh auth status)?",
            ) from err
        raise RejectedError(err.status, words) from err


def _senseless(path: str) -> ToolError:
    return ToolError(
        f"what GitHub answers on {path} makes no sense",
        hint="is this the right host, and has the repository moved? git remote -v",
    )


class _ResponseObject(dict[str, Any]):
    """An object of an answer: what it lacks is GitHub's fault, not ours."""

    path = ""

    def __missing__(self, key: str) -> NoReturn:
        raise _senseless(f"{self.path} (no {key})")


def _said(data: Any, path: str) -> Any:
    if isinstance(data, dict):
        found = _ResponseObject(
            {key: _said(value, path) for key, value in data.items()}
        )
        found.path = path
        return found
    return [_said(it, path) for it in data] if isinstance(data, list) else data


@contextmanager
def sense(path: str) -> Iterator[None]:
    """Read an answer, which may be of anybody: its wrong types are no bug of ours."""
    try:
        yield
    except (TypeError, AttributeError, ValueError) as err:
        raise _senseless(path) from err


def _words(data: Mapping[str, Any]) -> str:
    """GitHub's message with its details."""
    errors = data.get("errors")
    details = errors if isinstance(errors, list) else [errors] if errors else []
    said = [
        str(it.get("message") or it.get("code")) if isinstance(it, dict) else str(it)
        for it in details
    ]
    parts = filter(None, [str(data.get("message", "")), *said])
    return "; ".join(" ".join(part.split()) for part in parts)


def _limited_for(status: int, headers: Mapping[str, str], words: str) -> float | None:
    """How long a rate limit asks us to wait; None if it is none."""
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
        hint="run the command again then; what was done so far is found again",
    )
