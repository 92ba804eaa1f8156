"""How a skill came to be: every version, why, who approved it, and what changed."""

import re
from collections.abc import Iterator

from skillforge.share.hub import PublishedSkill, PublishedVersion
from skillforge.share.site import diffs
from skillforge.share.site.frame import count_of, day
from skillforge.share.site.markup import Html, el, join

MOST_LETTERS = 300_000  # of all diffs on a page
# Where a commit message was wrapped: not at the end of a paragraph, nor in a list.
_WRAPPED = re.compile(r"(?<!\n)\n(?![\s*-]|\d+[.)])")
_ACTIONS = {
    "create": "Added",
    "edit": "Changed",
    "delete": "Retired",
    "rollback": "Rolled back",
    "consolidate": "Merged with others",
    "archive": "Archived",
    "direct": "Pushed directly",
}
_ORIGINS = {
    "human": "a person",
    "agent-foreground": "an agent at work",
    "agent-background": "an agent in the background",
    "curator": "the curator",
    "import": "an import",
}


def reason(skill: PublishedSkill) -> Html:
    """Why there is such a skill: what its first version says of itself."""
    if not skill.versions:
        return el("p", "Nothing is recorded of how it came to be.", class_="empty")
    first = skill.versions[-1]
    made_from = (
        f", from {count_of(skill.examples, 'reviewed example')}"
        if skill.examples
        else ""
    )
    maker = _ORIGINS.get(first.origin) or first.origin or first.author
    told = join("Made by ", el("bdi", maker), made_from, ", ", day(first.date), ".")
    return join(_why(first), el("p", told, class_="quiet"))


def history(skill: PublishedSkill) -> Html:
    """The newest first; the diffs that a page has no room for are left out."""
    if not skill.versions:
        return el("p", "No version is recorded.", class_="empty")
    return el("ol", _entries(skill), class_="versions")


def _entries(skill: PublishedSkill) -> Iterator[Html]:
    left = MOST_LETTERS
    for at, version in enumerate(skill.versions):
        has_room = len(version.diff) <= left
        left -= len(version.diff) if has_room else 0
        yield _entry(version, is_newest=at == 0, has_room=has_room)


def _entry(version: PublishedVersion, *, is_newest: bool, has_room: bool) -> Html:
    title = el(
        "h3",
        el("bdi", version.version or version.tree[:10]),
        el("span", "this one", class_="mark plain") if is_newest else None,
        _reverted(version),
    )
    if not version.diff:
        change = None
    elif has_room:
        change = _change(version)
    else:
        change = el("p", "Its diff is too long to show here.", class_="quiet")
    return el("li", title, _byline(version), _why(version), change)


def _reverted(version: PublishedVersion) -> Html | None:
    if not version.reverted_by:
        return None
    by = version.reverted_by[:10]
    return el("span", f"taken back by {by}", class_="mark warn")


def _byline(version: PublishedVersion) -> Html:
    approved = (
        join("approved by ", _names(version.approvers))
        if version.approvers
        else join("no approval recorded")
    )
    proposal = f"proposal {version.proposal}" if version.proposal else None
    action = _ACTIONS.get(version.action, version.action)
    parts = [
        join(action, " ", day(version.date), " by ", el("bdi", version.author)),
        approved,
        proposal,
        join("tree ", el("code", version.tree[:10])),
    ]
    return el("ul", (el("li", part) for part in parts if part), class_="byline")


def _names(names: tuple[str, ...]) -> Html:
    return join(
        join(", " if at else "", el("bdi", name)) for at, name in enumerate(names)
    )


def _why(version: PublishedVersion) -> Html | None:
    """Its words as they are, in paragraphs; they are the author's, so no markup."""
    flowing = _WRAPPED.sub(" ", version.why)
    paragraphs = [part.strip() for part in flowing.split("\n\n") if part.strip()]
    if not paragraphs:
        return None
    return el("blockquote", (el("p", part) for part in paragraphs), dir="auto")


def _change(version: PublishedVersion) -> Html | None:
    lines = list(diffs.read(version.diff))
    if not lines:
        return None
    came, went = diffs.counts(lines)
    summary = el(
        "summary",
        "What changed ",
        el("span", f"+{came:,}", class_="came"),
        " ",
        el("span", f"−{went:,}", class_="went"),
    )
    return el("details", summary, diffs.render(lines))
