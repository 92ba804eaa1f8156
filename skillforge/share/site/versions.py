"""The history of a skill: every version, its reason, its approvers and its diff."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillforge.share.hub import PublishedSkill, PublishedVersion
from skillforge.share.site import diffs
from skillforge.share.site.site_page import day

MAX_DIFFS = 300_000  # characters of all diffs on a page
# Where a commit message was wrapped: not at the end of a paragraph, nor in a list.
_WRAPPED = re.compile(r"(?<!\n)\n(?![\s*-]|\d+[.)])")
_ACTIONS = {
    "create": "Added",
    "edit": "Changed",
    "delete": "Retired",
    "rollback": "Rolled back",
    "consolidate": "Consolidated",
    "archive": "Archived",
    "direct": "Pushed directly",
}
_ORIGINS = {
    "human": "a person",
    "agent-foreground": "an agent in a session",
    "agent-background": "an agent in the background",
    "curator": "the curator",
    "import": "an import",
}


class VersionEntry(NamedTuple):
    """A version as the page shows it."""

    name: str
    action: str
    date: str
    day: str
    author: str
    approvers: tuple[str, ...]
    proposal: int | None
    tree: str
    reverted_by: str
    paragraphs: list[str]
    diff: list[diffs.ShownLine]
    added: str
    removed: str
    is_too_long: bool


def first_version(skill: PublishedSkill) -> dict[str, Any] | None:
    """Why and by whom the skill was created; None if no version is recorded."""
    if not skill.versions:
        return None
    first = skill.versions[-1]
    return {
        "is_adopted": bool(first.adopted),
        "maker": _ORIGINS.get(first.origin) or first.origin or first.author,
        "date": first.adopted or first.date,
        "day": day(first.adopted or first.date),
        "paragraphs": _paragraphs(first.why),
    }


def version_entries(skill: PublishedSkill) -> Iterator[VersionEntry]:
    """The newest first; diffs beyond the limit of a page are omitted."""
    left = MAX_DIFFS
    for version in skill.versions:
        fits = len(version.diff) <= left
        left -= len(version.diff) if fits else 0
        yield _entry(version, version.diff if fits else "", is_too_long=not fits)


def _entry(version: PublishedVersion, diff: str, *, is_too_long: bool) -> VersionEntry:
    lines = list(diffs.parse(diff))
    action = _ACTIONS.get(version.action, version.action)
    added, removed = diffs.counts(lines)
    return VersionEntry(
        name=version.version or version.tree[:10],
        action="Adopted" if version.adopted else action,
        date=version.date,
        day=day(version.date),
        author=version.author,
        approvers=version.approvers,
        proposal=version.proposal,
        tree=version.tree[:10],
        reverted_by=version.reverted_by[:10],
        paragraphs=_paragraphs(version.why),
        diff=list(diffs.shown_lines(lines)),
        added=f"{added:,}",
        removed=f"{removed:,}",
        is_too_long=is_too_long,
    )


def _paragraphs(why: str) -> list[str]:
    """The author's words, unwrapped, in paragraphs."""
    flowing = _WRAPPED.sub(" ", why)
    return [part.strip() for part in flowing.split("\n\n") if part.strip()]
