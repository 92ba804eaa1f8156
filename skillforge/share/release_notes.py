"""Release notes: how each skill changed since the previous release."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from skillforge.report import plain
from skillforge.share.hub import PublishedVersion
from skillforge.share.semver import FIRST, SemVer

Trees = Mapping[str, str]
Lineage = Mapping[str, tuple[PublishedVersion, ...]]
_PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.+-]*[A-Za-z0-9])?")
_ROLLBACKS = ("rollback", "revert")


class ChangeKind(StrEnum):
    """How a skill changed since the previous release, in the order of the notes."""

    ADDED = "added"
    CHANGED = "changed"
    ROLLED_BACK = "rolled back"
    RETIRED = "retired"


class ReleaseChange(NamedTuple):
    """How one skill changed; `steps` are its versions since the previous release."""

    skill: str
    kind: ChangeKind
    before: str
    after: str
    steps: tuple[PublishedVersion, ...]


def changes(
    lineage: Lineage, before: Trees, after: Trees, since: Iterable[str]
) -> list[ReleaseChange]:
    """How each skill changed from one release to the next, by its trees.

    `since` are the commits between. A skill that was added and removed in between is
    omitted.
    """
    commits = set(since)
    result = []
    for name in sorted({*before, *after}):
        versions = lineage.get(name, ())
        steps = tuple(version for version in versions if version.commit in commits)
        kind = _kind(before.get(name, ""), after.get(name, ""), steps)
        if kind is not None:
            was = _readable(versions, before.get(name, ""))
            now = _readable(versions, after.get(name, ""))
            result.append(ReleaseChange(name, kind, was, now, steps))
    return result


def _kind(was: str, now: str, steps: tuple[PublishedVersion, ...]) -> ChangeKind | None:
    if not was or not now:
        return ChangeKind.ADDED if now else ChangeKind.RETIRED
    if steps and (steps[0].action in _ROLLBACKS or was == now):
        return ChangeKind.ROLLED_BACK
    return ChangeKind.CHANGED if was != now else None


def _readable(versions: tuple[PublishedVersion, ...], tree: str) -> str:
    same = (version.version for version in versions if tree and version.tree == tree)
    return next(same, "")


def next_version(before: SemVer | None, changed: Iterable[ReleaseChange]) -> SemVer:
    """The next version: major if a skill was removed, minor if added, else patch."""
    if before is None:
        return FIRST
    kinds = {change.kind for change in changed}
    if ChangeKind.RETIRED in kinds:
        return before.raised("major")
    return before.raised("minor" if ChangeKind.ADDED in kinds else "patch")


def notes(changed: Iterable[ReleaseChange]) -> str:
    """Release notes in Markdown; markup in names and reasons is escaped."""
    listed = list(changed)
    parts = [
        f"### {kind.capitalize()}\n\n" + "\n".join(map(_entry, of_kind))
        for kind in ChangeKind
        if (of_kind := [change for change in listed if change.kind is kind])
    ]
    return "\n\n".join(parts) + "\n" if parts else "No skills changed.\n"


def _entry(change: ReleaseChange) -> str:
    return "\n".join(
        [f"- **{_escaped(change.skill)}**{_span(change)}", *_lines(change)]
    )


def _span(change: ReleaseChange) -> str:
    if change.kind is ChangeKind.RETIRED or change.before == change.after:
        span = _escaped(change.before)
    else:
        span = " → ".join(map(_escaped, filter(None, (change.before, change.after))))
    return f" {span}" if span else ""


def _escaped(text: str) -> str:
    """A name or version with its markup escaped; usually it has none."""
    return text if _PLAIN.fullmatch(text) else plain(text)


def _lines(change: ReleaseChange) -> Iterable[str]:
    for step in reversed(change.steps):
        number = f"proposal {step.proposal}, " if step.proposal else ""
        by = f"{number}{step.action} by {plain(step.author)}"
        approved = ", ".join(map(plain, step.approvers))
        by += f", approved by {approved}" if approved else ""
        why = plain(step.why)
        yield f"  - {why} ({by})" if why else f"  - {by}"


def counts(changed: Iterable[ReleaseChange]) -> dict[str, int]:
    """How many skills changed, by kind, in the order of the notes."""
    kinds = [change.kind for change in changed]
    return {str(kind): kinds.count(kind) for kind in ChangeKind if kind in kinds}
