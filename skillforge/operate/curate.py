"""Find skills that are stale, superseded, duplicate or broken, and draft the changes.

Deterministic: the same library and uses give the same findings on the same day.
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
from skillforge.operate.link_fixes import fix_links
from skillforge.operate.skill_edits import by_curator, edited
from skillforge.operate.skill_facts import LibraryFacts, read_facts
from skillforge.report import plural
from skillforge.text import CATALOG_TOKENS

_MIN_OFFERS = 10  # before a skill counts as never loaded
_MAX_NAMED = 3  # longest descriptions named if the catalog is too large


class CurationKind(StrEnum):
    """The kinds of findings, in the order in which drafts are made."""

    SUPERSEDED = "superseded"
    ARCHIVE = "archive"
    OVERLAP = "overlap"
    BROKEN_REFERENCE = "broken-reference"
    STALE = "stale"
    NEVER_LOADED = "never-loaded"
    CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class CurationFinding:
    """A finding on a skill, and the draft that fixes it, if there is one.

    `left_alone` is why there is none; `skill` is empty if it concerns the library.
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
    """All findings, and whether any use of the library is recorded."""

    findings: tuple[CurationFinding, ...]
    is_recorded: bool
    tokens: int  # of the catalog


def curate(library: Library, tip: str, names: tuple[str, ...] = ()) -> CurationReport:
    """Check all skills at a commit; with `names`, report on these only."""
    facts = read_facts(library, tip)
    found = [
        *_superseded(library, tip, facts),
        *_unused(library, tip, facts),
        *_duplicates(library, tip, facts),
        *_broken(library, tip, facts),
        *_never_loaded(facts),
    ]
    order = list(CurationKind)
    found.sort(key=lambda f: (order.index(f.kind), f.skill, f.other))
    tokens = catalog_tokens(facts)
    chosen = [f for f in found if not names or {f.skill, f.other} & set(names)]
    whole = [] if names else list(_catalog(facts, tokens))
    return CurationReport((*_one_draft_each(chosen), *whole), facts.is_recorded, tokens)


def _one_draft_each(found: list[CurationFinding]) -> Iterator[CurationFinding]:
    """At most one draft per skill: the others can follow once it is decided."""
    taken: set[str] = set()
    for finding in found:
        touched = set(finding.draft.skills) if finding.draft else set()
        if touched & taken:
            reason = "another proposal comes first"
            yield replace(finding, draft=None, left_alone=reason)
        else:
            yield finding
        taken |= touched


def _superseded(
    library: Library, tip: str, facts: LibraryFacts
) -> Iterator[CurationFinding]:
    for name, skill in facts.skills.items():
        into = skill.superseded_by
        if into and into != name and into in facts.skills:
            message = f"superseded by {into}, as its metadata says"
            draft = archived(library, name, f"{name}: {message}.", into=into, tip=tip)
            finding = CurationFinding(
                CurationKind.SUPERSEDED, name, message, into, "archive", "", draft
            )
            yield _unless(finding, facts.protection(name))
        elif name in facts.absorbed and not facts.life(name).is_back:
            into = facts.absorbed[name]
            message = f"absorbed into {into}, but present again"
            yield CurationFinding(CurationKind.SUPERSEDED, name, message, into)


def _unless(finding: CurationFinding, reason: str) -> CurationFinding:
    """A finding without its draft, if there is a reason to leave the skill alone."""
    return replace(finding, draft=None, left_alone=reason) if reason else finding


def _unused(
    library: Library, tip: str, facts: LibraryFacts
) -> Iterator[CurationFinding]:
    limits = facts.policy.curate
    for name in facts.skills if facts.is_recorded else ():
        days = facts.unused_days(name)
        if days < limits.stale or not facts.others_are_used(name):
            continue
        message = f"unused for {days} days, while other skills were used"
        if days < limits.archive:
            yield CurationFinding(
                CurationKind.STALE, name, message, left_alone=facts.protection(name)
            )
        else:
            draft = archived(library, name, _archive_reason(facts, name), tip=tip)
            finding = CurationFinding(
                CurationKind.ARCHIVE, name, message, "", "archive", "", draft
            )
            yield _unless(finding, facts.protection(name))


def _archive_reason(facts: LibraryFacts, name: str) -> str:
    used = facts.used(name)
    return (
        f"Unused for at least {facts.policy.curate.archive} days, while other skills "
        f"were used; {plural(used.loaded, 'use')} before. It moves to archive/{name}; "
        f"to restore it: skillforge curate --restore {name} --propose."
    )


def _never_loaded(facts: LibraryFacts) -> Iterator[CurationFinding]:
    for name in facts.skills:
        used = facts.used(name)
        if not used.loaded and used.not_loaded >= _MIN_OFFERS:
            message = (
                f"offered {used.not_loaded} times and never loaded: does the "
                "description say what it is for?"
            )
            yield CurationFinding(
                CurationKind.NEVER_LOADED,
                name,
                message,
                left_alone=facts.protection(name),
            )


def _duplicates(
    library: Library, tip: str, facts: LibraryFacts
) -> Iterator[CurationFinding]:
    for *both, similarity in pairs(library, tip):
        if not facts.skills.keys() >= set(both):
            continue
        umbrella, other = sorted(both, key=lambda n: (-facts.used(n).loaded, n))
        message = f"{similarity:.0%} similar to {umbrella}"
        finding = CurationFinding(CurationKind.OVERLAP, other, message, umbrella)
        if similarity >= IDENTICAL:
            finding = replace(finding, action="consolidate")
            reason = facts.protection(other) or _umbrella_protection(facts, umbrella)
            finding = _consolidated(library, tip, _unless(finding, reason))
        yield finding


def _umbrella_protection(facts: LibraryFacts, name: str) -> str:
    reason = facts.protection(name)
    return f"{name}: {reason}" if reason else ""


def _consolidated(
    library: Library, tip: str, finding: CurationFinding
) -> CurationFinding:
    if finding.left_alone:
        return finding
    umbrella = library.skill_at(tip, finding.other)
    absorbed = library.skill_at(tip, finding.skill)
    assert umbrella is not None
    assert absorbed is not None
    why = f"{absorbed.name}: {finding.message}. All of its files are kept."
    try:
        draft = consolidated(library, tip, umbrella, absorbed, why)
    except SkillforgeError as err:
        return replace(finding, left_alone=err.message)
    return replace(finding, draft=draft)


def _broken(
    library: Library, tip: str, facts: LibraryFacts
) -> Iterator[CurationFinding]:
    broken = [n for n, summary in facts.skills.items() if summary.has_dead_links]
    for skill in library.read_at(tip, broken) if broken else ():
        assert skill.document is not None
        dead = dead_links(skill, skill.document)
        text, left = fix_links(library, tip, skill, dead)
        fixed = [link for link in dead if link not in left]
        if fixed:
            yield _repair(library, tip, facts, skill, fixed, text)
        if left:
            message = f"{_targets(left)} missing, and there is no single fix"
            reason = facts.protection(skill.name)
            yield CurationFinding(
                CurationKind.BROKEN_REFERENCE, skill.name, message, left_alone=reason
            )


def _repair(  # noqa: PLR0913, PLR0917 - what it takes
    library: Library,
    tip: str,
    facts: LibraryFacts,
    skill: Skill,
    fixed: list[Link],
    text: str,
) -> CurationFinding:
    message = f"{_targets(fixed)} missing"
    finding = CurationFinding(
        CurationKind.BROKEN_REFERENCE, skill.name, message, action="repair"
    )
    if reason := facts.protection(skill.name):
        return replace(finding, left_alone=reason)
    try:
        draft = edited(library, tip, skill.name, lambda _text: text)
    except SkillforgeError as err:
        return replace(finding, left_alone=err.message)
    assert draft is not None
    why = f"SKILL.md: {message}. The links are corrected, or replaced by their text."
    return replace(finding, draft=by_curator(draft, why, "to fix its links"))


def _targets(links: list[Link]) -> str:
    names = ", ".join(link.target for link in links)
    return f"{names} is" if len(links) == 1 else f"{names} are"


def catalog_tokens(facts: LibraryFacts) -> int:
    """The estimated tokens of the names and descriptions of all skills."""
    return sum(skill.tokens(name) for name, skill in facts.skills.items())


def _catalog(facts: LibraryFacts, tokens: int) -> Iterator[CurationFinding]:
    if tokens <= CATALOG_TOKENS:
        return
    sizes = {name: skill.tokens(name) for name, skill in facts.skills.items()}
    longest = sorted(sizes, key=lambda name: (-sizes[name], name))
    named = ", ".join(f"{name} ({sizes[name]})" for name in longest[:_MAX_NAMED])
    message = (
        f"names and descriptions take about {tokens:,} tokens (limit "
        f"{CATALOG_TOKENS:,}); longest: {named}"
    )
    yield CurationFinding(CurationKind.CATALOG, "", message)
