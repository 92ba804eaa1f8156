"""What a pull request shows to people: the page, the labels, the gate, remarks."""

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
The review page is being written; `skillforge propose` again mends it.
{_PAGE_END}"""
_BOT = "github-actions[bot]"
LABELS = {
    "origin": [f"origin:{origin}" for origin in Origin],
    "action": [f"action:{action}" for action in Action],
    "risk": [f"risk:{danger}" for danger in Danger],
}  # of each kind a proposal has one


class PullRequestThread:
    """The words of one pull request; `is_writer` tells whether a user may write."""

    def __init__(
        self, wire: GitHubApi, number: int, is_writer: Callable[[Json], bool]
    ) -> None:
        self._wire = wire
        self._is_writer = is_writer
        self._pull = f"{wire.place.path}/pulls/{number}"
        self._issue = f"{wire.place.path}/issues/{number}"

    def describe(self, page: ReviewPage) -> None:
        """Write the page into the body, between marks; what others wrote stays."""
        body = (self._wire.get(self._pull).get("body") or "").replace("\r\n", "\n")
        before, mark, rest = body.partition(_PAGE)
        # The last one: a file of the branch may be called like our mark.
        _old, end, after = rest.rpartition(_PAGE_END)
        after = after if end else ""
        if not mark:
            before, after = "", f"\n\n{body}".rstrip()
        new = f"{before}{_PAGE}\n{page.text}\n{_PAGE_END}{after}"
        if new != body:
            self._wire.put("PATCH", self._pull, {"body": new})
        self.label(page.labels)

    def label(self, labels: tuple[str, ...]) -> None:
        """Have these labels; of each kind that we know only the one that is meant."""
        there = {label["name"] for label in self._wire.get(self._pull)["labels"]}
        known = {name for names in LABELS.values() for name in names}
        old = (there & known) - set(labels)
        new = [name for name in labels if name not in there]
        # From a fork nobody may set labels; they are a help, not the record.
        with suppress(ForbiddenError, NotFoundError):
            if new:
                self._wire.put("POST", f"{self._issue}/labels", {"labels": new})
            for name in sorted(old):
                self._wire.put("DELETE", f"{self._issue}/labels/{quote(name, safe='')}")

    def report(self, text: str) -> None:
        """Have one comment with the gate's report, and this is what it says."""
        body = {"body": f"{_REPORT}\n{text}"}
        ours = self._report()
        if ours is None:
            path = f"{self._issue}/comments"
            self._wire.once("POST", path, body, self._report)
        elif ours["body"] != body["body"]:
            path = f"{self._wire.place.path}/issues/comments/{ours['id']}"
            self._wire.put("PATCH", path, body)

    def _report(self) -> Json | None:
        comments = self._wire.pages(f"{self._issue}/comments")
        return next((c for c in comments if self._is_report(c)), None)

    def remarks(self) -> Iterator[Json]:
        """What people said; the gate's report is none of it."""
        for comment in self._wire.pages(f"{self._issue}/comments"):
            if not self._is_report(comment):
                yield comment

    def _is_report(self, comment: Json) -> bool:
        """Whether it is the gate's, and not of somebody who would like it to be."""
        if not (comment["body"] or "").startswith(_REPORT):
            return False
        user = comment["user"] or {}
        return user.get("login") == _BOT or self._is_writer(user)

    def say(self, text: str) -> None:
        path = f"{self._issue}/comments"
        before = {it["id"] for it in self._wire.pages(path)}

        def look() -> Json | None:
            fresh = (it for it in self._wire.pages(path) if it["id"] not in before)
            return next((it for it in fresh if it["body"] == text), None)

        self._wire.once("POST", path, {"body": text}, look)
