"""Which function answers which request, and what they all need."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlencode

from tests.github.hub.state import Pull, RefusedError, Repo, State, User

_NEEDS = {
    "admin": "Must have admin rights to Repository.",
    "write": "Must have push access to repository",
    "triage": "Must have triage access to repository",
}


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """A request of somebody who is known."""

    hub: State
    by: User
    path: str
    args: dict[str, str]
    query: dict[str, str]
    body: Any

    @property
    def repo(self) -> Repo:
        name = f"{self.args['owner']}/{self.args['repo']}".lower()
        repo = self.hub.repos.get(name)
        if repo is None or not repo.allows(self.by, "read"):
            raise not_found()
        return repo

    @property
    def pull(self) -> Pull:
        pull = self.repo.pulls.get(int(self.args["number"]))
        if pull is None:
            raise not_found()
        return pull

    @property
    def fields(self) -> dict[str, Any]:
        """The body, where nothing at all is as good as an empty object."""
        if self.body is not None and not isinstance(self.body, dict):
            raise RefusedError(400, "Body should be a JSON object")
        return self.body or {}

    def need(self, role: str) -> None:
        if not self.repo.allows(self.by, role):
            raise RefusedError(403, _NEEDS[role])

    def paged(self, items: list[Any]) -> Answer:
        """One page of a list, with links to the other pages."""
        return Answer(200, self.slice(items), self.links(len(items)))

    def slice(self, items: list[Any]) -> list[Any]:
        start = (self._page - 1) * self._size
        return items[start : start + self._size]

    def links(self, count: int) -> dict[str, str]:
        last = max(1, -(-count // self._size))
        pages: dict[str, int] = {}
        if self._page > 1:
            pages |= {"prev": min(self._page - 1, last), "first": 1}
        if self._page < last:
            pages |= {"next": self._page + 1, "last": last}
        texts = [f'<{self._url(n)}>; rel="{name}"' for name, n in pages.items()]
        return {"Link": ", ".join(texts)} if texts else {}

    @property
    def _page(self) -> int:
        return max(1, int(self.query.get("page", "1")))

    @property
    def _size(self) -> int:
        return min(100, max(1, int(self.query.get("per_page", "30"))))

    def _url(self, page: int) -> str:
        return f"{self.hub.url}{self.path}?{urlencode(self.query | {'page': page})}"


Endpoint = Callable[[Call], Answer]
_ROUTES: list[tuple[str, re.Pattern[str], Endpoint]] = []


def not_found(message: str = "Not Found") -> RefusedError:
    return RefusedError(404, message)


def route(method: str, template: str) -> Callable[[Endpoint], Endpoint]:
    """Answer requests for a path below the API; `{path}` may hold slashes."""
    numbers = ("number", "id")
    template = template.replace("{R}", "/repos/{owner}/{repo}")

    def pattern(found: re.Match[str]) -> str:
        name = found[1]
        what = ".+" if name in ("path", "ref") else "[^/]+"
        return f"(?P<{name}>{'[0-9]+' if name in numbers else what})"

    compiled = re.compile(re.sub(r"\{(\w+)\}", pattern, template))

    def add(endpoint: Endpoint) -> Endpoint:
        _ROUTES.append((method, compiled, endpoint))
        return endpoint

    return add


def find(method: str, path: str) -> tuple[Endpoint, dict[str, str]]:
    """The endpoint for a path as it was sent, with the parts that vary."""
    for known, pattern, endpoint in _ROUTES:
        match = pattern.fullmatch(path)
        if known == method and match:
            return endpoint, {k: unquote(v) for k, v in match.groupdict().items()}
    raise not_found()
