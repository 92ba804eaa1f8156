"""What should become of skills, by what is known of them. Nothing here decides.

Deterministic: the same library and the same uses on the same day say the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from skillforge.checks.overlap import IDENTICAL, pairs
from skillforge.checks.rules.portability import dead_links
from skillforge.errors import SkillforgeError
from skillforge.library import Library
from skillforge.model import Draft, Link, Skill
from skillforge.operate.archive import archived
from skillforge.operate.consolidation import consolidated
from skillforge.operate.link_fixes import mended
from skillforge.operate.skill_edits import curators, edited
from skillforge.operate.skill_facts import SkillFacts, look
from skillforge.report import plural
from skillforge.text import CATALOG_TOKENS

_OFFERS = 10  # after which it is no chance that nobody loads a skill
_LONGEST = 3  # descriptions that are named where the catalog is too long


class CurationKind(StrEnum):
    """What is the matter with a skill, in the order in which drafts are made."""

    SUPERSEDED = "superseded"
    ARCHIVE = "archive"
    OVERLAP = "overlap"
    BROKEN_REFERENCE = "broken-reference"
    STALE = "stale"
    NEVER_LOADED = "never-loaded"
    CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class CurationFinding:
    """What the curator has to say, and the draft that follows from it, if one does.

    `left_alone` is the reason for not acting; `skill` is empty for the whole library.
    """

    kind: CurationKind
    skill: str
    message: str
    other: str = ""
    action: str = ""  # archive, consolidate, repair
    left_alone: str = ""
    draft: Draft | None = None


@dataclass(frozen=True, slots=True)
class CurationReport:
    """All remarks on a library, and whether its uses are known at all."""

    remarks: tuple[CurationFinding, ...]
    is_recorded: bool
    tokens: int  # of the catalog


def curate(library: Library, tip: str, names: tuple[str, ...] = ()) -> CurationReport:
    """Look at every skill of main, or report on some of them only."""
    shelf = look(library, tip)
    found = [
        *_superseded(library, tip, shelf),
        *_unused(library, tip, shelf),
        *_doubles(library, tip, shelf),
        *_broken(library, tip, shelf),
        *_never_loaded(shelf),
    ]
    order = list(CurationKind)
    found.sort(key=lambda it: (order.index(it.kind), it.skill, it.other))
    tokens = catalog_tokens(shelf)
    chosen = [it for it in found if not names or {it.skill, it.other} & set(names)]
    whole = [] if names else list(_catalog(shelf, tokens))
    return CurationReport((*_one_each(chosen), *whole), shelf.is_recorded, tokens)


def _one_each(found: list[CurationFinding]) -> Iterator[CurationFinding]:
    """One draft for a skill: the others can follow when it is decided."""
    taken: set[str] = set()
    for it in found:
        touched = set(it.draft.skills) if it.draft else set()
        if touched & taken:
            yield replace(it, draft=None, left_alone="another proposal comes first")
        else:
            yield it
        taken |= touched


def _superseded(
    library: Library, tip: str, shelf: SkillFacts
) -> Iterator[CurationFinding]:
    for name, skill in shelf.skills.items():
        into = skill.superseded_by
        if into and into != name and into in shelf.skills:
            message = f"it says that {into} takes its place"
            draft = archived(library, name, f"{name}: {message}.", into=into, tip=tip)
            it = CurationFinding(
                CurationKind.SUPERSEDED, name, message, into, "archive", "", draft
            )
            yield _unless(it, shelf.hands_off(name))
        elif name in shelf.absorbed and not shelf.life(name).is_back:
            into = shelf.absorbed[name]
            message = f"it was absorbed by {into}, and is there again"
            yield CurationFinding(CurationKind.SUPERSEDED, name, message, into)


def _unless(remark: CurationFinding, reason: str) -> CurationFinding:
    """A remark without its draft where there is a reason to leave the skill alone."""
    return replace(remark, draft=None, left_alone=reason) if reason else remark


def _unused(library: Library, tip: str, shelf: SkillFacts) -> Iterator[CurationFinding]:
    limits = shelf.policy.curate
    for name in shelf.skills if shelf.is_recorded else ():
        days = shelf.quiet_days(name)
        if days < limits.stale or not shelf.others_are_used(name):
            continue
        message = f"it was not used for {days} days, while others were"
        if days < limits.archive:
            yield CurationFinding(
                CurationKind.STALE, name, message, left_alone=shelf.hands_off(name)
            )
        else:
            draft = archived(library, name, _quiet_reason(shelf, name), tip=tip)
            it = CurationFinding(
                CurationKind.ARCHIVE, name, message, "", "archive", "", draft
            )
            yield _unless(it, shelf.hands_off(name))


def _quiet_reason(shelf: SkillFacts, name: str) -> str:
    used = shelf.used(name)
    return (
        f"Not used for {shelf.policy.curate.archive} days or more, while others were; "
        f"{plural(used.loaded, 'use')} before. It stays in archive/{name}: "
        f"skillforge curate --restore {name} brings it back."
    )


def _never_loaded(shelf: SkillFacts) -> Iterator[CurationFinding]:
    for name in shelf.skills:
        used = shelf.used(name)
        if not used.loaded and used.passed_by >= _OFFERS:
            message = (
                f"it was offered {used.passed_by} times and never loaded: does its "
                "description say what it is for?"
            )
            yield CurationFinding(
                CurationKind.NEVER_LOADED,
                name,
                message,
                left_alone=shelf.hands_off(name),
            )


def _doubles(
    library: Library, tip: str, shelf: SkillFacts
) -> Iterator[CurationFinding]:
    for one, two, alike in pairs(library, tip):
        if one not in shelf.skills or two not in shelf.skills:
            continue
        umbrella, other = sorted(
            (one, two), key=lambda name: (-shelf.used(name).loaded, name)
        )
        message = f"it says {alike:.0%} the same as {umbrella}"
        remark = CurationFinding(CurationKind.OVERLAP, other, message, umbrella)
        if alike >= IDENTICAL:
            remark = replace(remark, action="consolidate")
            reason = shelf.hands_off(other) or _of_other(shelf, umbrella)
            remark = _consolidated(library, tip, _unless(remark, reason))
        yield remark


def _of_other(shelf: SkillFacts, name: str) -> str:
    reason = shelf.hands_off(name)
    return f"of {name}: {reason}" if reason else ""


def _consolidated(
    library: Library, tip: str, remark: CurationFinding
) -> CurationFinding:
    if remark.left_alone:
        return remark
    umbrella = library.skill_at(tip, remark.other)
    absorbed = library.skill_at(tip, remark.skill)
    assert umbrella is not None
    assert absorbed is not None
    why = f"{absorbed.name}: {remark.message}. It keeps all of its files."
    try:
        draft = consolidated(library, tip, umbrella, absorbed, why)
    except SkillforgeError as err:
        return replace(remark, left_alone=err.message)
    return replace(remark, draft=draft)


def _broken(library: Library, tip: str, shelf: SkillFacts) -> Iterator[CurationFinding]:
    broken = [name for name, it in shelf.skills.items() if it.has_dead_links]
    for skill in library.read_at(tip, broken) if broken else ():
        assert skill.document is not None
        dead = dead_links(skill, skill.document)
        text, left = mended(library, tip, skill, dead)
        fixed = [link for link in dead if link not in left]
        if fixed:
            yield _repair(library, tip, shelf, skill, fixed, text)
        if left:
            message = f"{_targets(left)} not there, and what is meant is not clear"
            reason = shelf.hands_off(skill.name)
            yield CurationFinding(
                CurationKind.BROKEN_REFERENCE, skill.name, message, left_alone=reason
            )


def _repair(  # noqa: PLR0913, PLR0917 - what it takes
    library: Library,
    tip: str,
    shelf: SkillFacts,
    skill: Skill,
    fixed: list[Link],
    text: str,
) -> CurationFinding:
    message = f"{_targets(fixed)} not there"
    remark = CurationFinding(
        CurationKind.BROKEN_REFERENCE, skill.name, message, action="repair"
    )
    if reason := shelf.hands_off(skill.name):
        return replace(remark, left_alone=reason)
    try:
        draft = edited(library, tip, skill.name, lambda _text: text)
    except SkillforgeError as err:
        return replace(remark, left_alone=err.message)
    assert draft is not None
    why = f"In SKILL.md {message}: links are set right, or made words."
    return replace(remark, draft=curators(draft, why, "to mend its links"))


def _targets(links: list[Link]) -> str:
    names = ", ".join(link.target for link in links)
    return f"{names} is" if len(links) == 1 else f"{names} are"


def catalog_tokens(shelf: SkillFacts) -> int:
    """About how many tokens the names and descriptions of all skills take."""
    return sum(skill.tokens(name) for name, skill in shelf.skills.items())


def _catalog(shelf: SkillFacts, tokens: int) -> Iterator[CurationFinding]:
    if tokens <= CATALOG_TOKENS:
        return
    sizes = {name: skill.tokens(name) for name, skill in shelf.skills.items()}
    longest = sorted(sizes, key=lambda name: (-sizes[name], name))
    named = ", ".join(f"{name} ({sizes[name]})" for name in longest[:_LONGEST])
    message = (
        f"names and descriptions take about {tokens:,} tokens, and {CATALOG_TOKENS:,} "
        f"should do; the longest: {named}"
    )
    yield CurationFinding(CurationKind.CATALOG, "", message)
