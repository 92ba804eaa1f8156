"""The texts of a pull request: review page, labels, gate report, comments."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from urllib.parse import quote

from skillforge.forge import ReviewPage
from skillforge.forge.github_api import ForbiddenError, GitHubApi, NotFoundError
from skillforge.forge.pull_request import Json
from skillforge.model import Action, Danger, Origin

_PAGE = "<!-- skillforge:page -->"
_PAGE_END = "<!-- skillforge:end -->"
_REPORT = "<!-- skillforge:gate -->"
UNWRITTEN = f"""{_PAGE}
The review page is being written. If it stays empty, run `skillforge propose` again.
{_PAGE_END}"""
_BOT = "github-actions[bot]"
LABELS = {
    "origin": [f"origin:{origin}" for origin in Origin],
    "action": [f"action:{action}" for action in Action],
    "risk": [f"risk:{danger}" for danger in Danger],
}  # a proposal has one of each kind


class PullRequestThread:
    """Body, labels and comments; `is_writer` tells whether a user has write access."""

    def __init__(
        self, api: GitHubApi, number: int, is_writer: Callable[[Json], bool]
    ) -> None:
        self._api = api
        self._is_writer = is_writer
        self._pull = f"{api.place.path}/pulls/{number}"
        self._issue = f"{api.place.path}/issues/{number}"

    def describe(self, page: ReviewPage) -> None:
        """Write the page into the body, between markers; the rest of the body stays."""
        body = (self._api.get(self._pull).get("body") or "").replace("\r\n", "\n")
        before, mark, rest = body.partition(_PAGE)
        # The last one: a file of the branch may have the name of our marker.
        _old, end, after = rest.rpartition(_PAGE_END)
        after = after if end else ""
        if not mark:
            before, after = "", f"\n\n{body}".rstrip()
        new = f"{before}{_PAGE}\n{page.text}\n{_PAGE_END}{after}"
        if new != body:
            self._api.put("PATCH", self._pull, {"body": new})
        self.label(page.labels)

    def label(self, labels: tuple[str, ...]) -> None:
        """Set these labels, and remove other labels of the same kinds."""
        existing = {label["name"] for label in self._api.get(self._pull)["labels"]}
        known = {name for names in LABELS.values() for name in names}
        old = (existing & known) - set(labels)
        new = [name for name in labels if name not in existing]
        # A fork's author may not set labels; nothing depends on them.
        with suppress(ForbiddenError, NotFoundError):
            if new:
                self._api.put("POST", f"{self._issue}/labels", {"labels": new})
            for name in sorted(old):
                self._api.put("DELETE", f"{self._issue}/labels/{quote(name, safe='')}")

    def report(self, text: str) -> None:
        """Write the gate's report, always into the same comment."""
        body = {"body": f"{_REPORT}\n{text}"}
        ours = self._report()
        if ours is None:
            path = f"{self._issue}/comments"
            self._api.once("POST", path, body, self._report)
        elif ours["body"] != body["body"]:
            path = f"{self._api.place.path}/issues/comments/{ours['id']}"
            self._api.put("PATCH", path, body)

    def _report(self) -> Json | None:
        comments = self._api.pages(f"{self._issue}/comments")
        return next((c for c in comments if self._is_report(c)), None)

    def comments(self) -> Iterator[Json]:
        """The comments except the gate's report."""
        for comment in self._api.pages(f"{self._issue}/comments"):
            if not self._is_report(comment):
                yield comment

    def _is_report(self, comment: Json) -> bool:
        """Whether a comment is the gate's report, and not a forged one."""
        if not (comment["body"] or "").startswith(_REPORT):
            return False
        user = comment["user"] or {}
        return user.get("login") == _BOT or self._is_writer(user)

    def comment(self, text: str) -> None:
        path = f"{self._issue}/comments"
        before = {comment["id"] for comment in self._api.pages(path)}

        def look() -> Json | None:
            new = (c for c in self._api.pages(path) if c["id"] not in before)
            return next((c for c in new if c["body"] == text), None)

        self._api.once("POST", path, {"body": text}, look)
