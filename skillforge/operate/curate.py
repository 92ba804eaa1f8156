"""Find skills that are stale, superseded, duplicate or broken, and draft the changes.

Deterministic: the same library and uses give the same findings on the same day.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from skillforge.checks.overlap import IDENTICAL, pairs
from skillforge.checks.rules.portability import dead_links
from skillforge.errors import SkillforgeError
from skillforge.library import Library
from skillforge.model import Draft, Link
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
    curator = _Curator(library, tip, facts)
    findings = [
        *curator.superseded(),
        *curator.unused(),
        *curator.duplicates(),
        *curator.broken(),
        *curator.never_loaded(),
    ]
    order = list(CurationKind)
    findings.sort(key=lambda f: (order.index(f.kind), f.skill, f.other))
    chosen = [f for f in findings if not names or {f.skill, f.other} & set(names)]
    sizes = {name: skill.tokens(name) for name, skill in facts.skills.items()}
    whole = () if names else _catalog(sizes)
    report = (*_one_draft_each(chosen), *whole)
    return CurationReport(report, facts.is_recorded, sum(sizes.values()))


def _one_draft_each(findings: list[CurationFinding]) -> Iterator[CurationFinding]:
    """At most one draft per skill: the others can follow once it is decided."""
    taken: set[str] = set()
    for finding in findings:
        touched = set(finding.draft.skills) if finding.draft else set()
        if touched & taken:
            reason = "another proposal changes the same skill"
            yield replace(finding, draft=None, left_alone=reason)
        else:
            yield finding
        taken |= touched


@dataclass(frozen=True, slots=True)
class _Curator:
    """The checks of a library at a commit, one method each."""

    library: Library
    tip: str
    facts: LibraryFacts

    def superseded(self) -> Iterator[CurationFinding]:
        kind, facts = CurationKind.SUPERSEDED, self.facts
        for name, skill in facts.skills.items():
            into = skill.superseded_by
            if into and into != name and into in facts.skills:
                message = f"superseded by {into} (`metadata.superseded-by`)"
                finding = CurationFinding(kind, name, message, into)
                yield self._archived(finding, f"{name}: {message}.")
            elif name in facts.absorbed and not facts.life(name).is_back:
                into = facts.absorbed[name]
                message = f"absorbed into {into}, but present again"
                yield CurationFinding(kind, name, message, into)

    def unused(self) -> Iterator[CurationFinding]:
        facts, limits = self.facts, self.facts.policy.curate
        for name in facts.skills if facts.is_recorded else ():
            days = facts.unused_days(name)
            if days < limits.stale or not facts.others_are_used(name):
                continue
            message = f"unused for {days} days, while other skills were used"
            if days < limits.archive:
                yield self._report(CurationKind.STALE, name, message)
                continue
            uses = plural(facts.used(name).loaded, "use")
            finding = CurationFinding(CurationKind.ARCHIVE, name, message)
            yield self._archived(
                finding,
                f"Unused for at least {limits.archive} days, while other skills were "
                f"used; {uses} before. It moves to archive/{name}; to restore it: "
                f"skillforge curate --restore {name} --propose.",
            )

    def never_loaded(self) -> Iterator[CurationFinding]:
        for name in self.facts.skills:
            used = self.facts.used(name)
            if not used.loaded and used.not_loaded >= _MIN_OFFERS:
                message = (
                    f"offered {used.not_loaded} times and never loaded: does the "
                    "description say when to use it?"
                )
                yield self._report(CurationKind.NEVER_LOADED, name, message)

    def duplicates(self) -> Iterator[CurationFinding]:
        facts = self.facts
        for *both, similarity in pairs(self.library, self.tip):
            if not facts.skills.keys() >= set(both):
                continue
            umbrella, other = sorted(both, key=lambda n: (-facts.used(n).loaded, n))
            message = f"{similarity:.0%} similar to {umbrella}"
            finding = CurationFinding(CurationKind.OVERLAP, other, message, umbrella)
            yield self._consolidated(finding) if similarity >= IDENTICAL else finding

    def broken(self) -> Iterator[CurationFinding]:
        skills = self.facts.skills
        names = [name for name, summary in skills.items() if summary.has_dead_links]
        for skill in self.library.read_at(self.tip, names) if names else ():
            assert skill.document is not None
            dead = dead_links(skill, skill.document)
            text, left = fix_links(self.library, self.tip, skill, dead)
            fixed = [link for link in dead if link not in left]
            if fixed:
                yield self._repaired(skill.name, f"{_targets(fixed)} missing", text)
            if left:
                message = f"{_targets(left)} missing, with no unambiguous fix"
                kind = CurationKind.BROKEN_REFERENCE
                yield self._report(kind, skill.name, message)

    def _report(self, kind: CurationKind, name: str, message: str) -> CurationFinding:
        """A finding without a draft."""
        reason = self.facts.protection(name)
        return CurationFinding(kind, name, message, left_alone=reason)

    def _archived(self, finding: CurationFinding, why: str) -> CurationFinding:
        """A finding with the draft that archives its skill."""
        name, into = finding.skill, finding.other
        finding = replace(finding, action="archive")
        if reason := self.facts.protection(name):
            return replace(finding, left_alone=reason)
        return replace(
            finding, draft=archived(self.library, name, why, into=into, tip=self.tip)
        )

    def _consolidated(self, finding: CurationFinding) -> CurationFinding:
        """A finding with the draft in which the other skill absorbs this one."""
        name, other = finding.skill, finding.other
        finding = replace(finding, action="consolidate")
        if reason := self.facts.protection(name):
            return replace(finding, left_alone=reason)
        if reason := self.facts.protection(other):
            return replace(finding, left_alone=f"{other}: {reason}")
        umbrella = self.library.skill_at(self.tip, other)
        absorbed = self.library.skill_at(self.tip, name)
        assert umbrella is not None
        assert absorbed is not None
        why = f"{name}: {finding.message}. All of its files are kept."
        try:
            draft = consolidated(self.library, self.tip, umbrella, absorbed, why)
        except SkillforgeError as err:
            return replace(finding, left_alone=err.message)
        return replace(finding, draft=draft)

    def _repaired(self, name: str, message: str, text: str) -> CurationFinding:
        """A finding with the draft that replaces the text of SKILL.md."""
        kind = CurationKind.BROKEN_REFERENCE
        finding = CurationFinding(kind, name, message, action="repair")
        if reason := self.facts.protection(name):
            return replace(finding, left_alone=reason)
        try:
            draft = edited(self.library, self.tip, name, lambda _text: text)
        except SkillforgeError as err:
            return replace(finding, left_alone=err.message)
        assert draft is not None
        why = (
            f"SKILL.md: {message}. The links are corrected, or replaced by their text."
        )
        return replace(finding, draft=by_curator(draft, why, "to fix its links"))


def _targets(links: list[Link]) -> str:
    names = ", ".join(link.target for link in links)
    return f"{names} is" if len(links) == 1 else f"{names} are"


def _catalog(sizes: Mapping[str, int]) -> Iterator[CurationFinding]:
    """A finding if names and descriptions take too many tokens."""
    tokens = sum(sizes.values())
    if tokens <= CATALOG_TOKENS:
        return
    longest = sorted(sizes, key=lambda name: (-sizes[name], name))
    named = ", ".join(f"{name} ({sizes[name]})" for name in longest[:_MAX_NAMED])
    message = (
        f"names and descriptions take about {tokens:,} tokens (limit "
        f"{CATALOG_TOKENS:,}); longest: {named}"
    )
    yield CurationFinding(CurationKind.CATALOG, "", message)
