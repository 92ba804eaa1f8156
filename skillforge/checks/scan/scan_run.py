"""Scan skills wherever they lie, for the command and for the gate."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

from skillforge import worker_pool
from skillforge.checks import skill_selection
from skillforge.checks.registry import Check, Subject
from skillforge.checks.scan import rules, scan
from skillforge.checks.scan.waivers import WAIVERS_FILE, Waiver, apply, read_waivers
from skillforge.errors import RequestError
from skillforge.library import Library, read_folder
from skillforge.model import Danger, Finding, Report, Severity, Skill
from skillforge.policy import Policy

_WORTH_SPREADING = 40  # skills for each process


@dataclass(frozen=True, slots=True)
class ScanResults:
    """What was scanned, and the verdict on each."""

    report: Report
    verdicts: dict[str, Danger]

    @property
    def ok(self) -> bool:
        return Danger.DANGEROUS not in self.verdicts.values()


class ScanTarget(NamedTuple):
    """One skill to scan, and what it is to be compared with."""

    skill: Skill
    before: Skill | None
    evidence: dict[str, bytes]
    policy: Policy
    waivers: tuple[Waiver, ...]


def run_scan(
    start: Path,
    selection: skill_selection.Selection,
    base: str = "",
    today: date | None = None,
) -> ScanResults:
    """Scan what was selected; against a base, if there is one."""
    library = Library.find(start)
    is_folder = bool(base) and Path(base).is_dir()
    revision = selection.changed_since or (base if base and not is_folder else None)
    waivers = library_waivers(library, revision)
    items = [
        ScanTarget(
            c.skill, _before(library, c, selection, base), c.evidence, c.policy, waivers
        )
        for c in skill_selection.chosen(start, selection)
    ]
    work = partial(_scan_all, today or date.today())
    found = [
        f for part in worker_pool.spread(work, items, _WORTH_SPREADING) for f in part
    ]
    return _scanned(items, found)


def _scan_all(today: date, items: Sequence[ScanTarget]) -> list[list[Finding]]:
    return [findings(item, today) for item in items]


def findings(item: ScanTarget, today: date) -> list[Finding]:
    """What is to be said of one skill, as the library's waivers have it."""
    must_declare = item.policy.scan.declare
    found = scan(item.skill, item.before, item.evidence, must_declare=must_declare)
    return list(apply(found.findings, item.skill, item.waivers, today))


def _scanned(items: list[ScanTarget], found: list[list[Finding]]) -> ScanResults:
    names = [item.skill.name for item in items]
    verdicts = {
        item.skill.name
        if names.count(item.skill.name) == 1
        else item.skill.path: Danger.of(f)
        for item, f in zip(items, found, strict=True)
    }
    shown = (
        finding.under(item.skill.path)
        for item, each in zip(items, found, strict=True)
        for finding in each
    )
    report = Report(tuple(shown), tuple(item.skill.path for item in items))
    return ScanResults(report, verdicts)


def library_waivers(
    library: Library | None, revision: str | None
) -> tuple[Waiver, ...]:
    """The waivers of a library: of its checkout, or at the base of what is judged."""
    if library is None:
        return ()
    return read_waivers(library.read_file(WAIVERS_FILE, revision))


def _before(
    library: Library | None,
    chosen: skill_selection.Chosen,
    selection: skill_selection.Selection,
    base: str,
) -> Skill | None:
    """The skill as it was: at a commit, or in another folder."""
    name = chosen.skill.name
    if base and Path(base).is_dir():
        folder = Path(base)
        if not (folder / "SKILL.md").is_file():
            folder /= name
        return (
            read_folder(str(folder), name, name, alone=True)
            if folder.is_dir()
            else None
        )
    revision = base or selection.changed_since
    if not revision:
        return None
    if not base and library and library.repo:
        revision = library.repo.merge_base(revision, selection.revision or "HEAD")
    if library is None or library.repo is None:
        raise RequestError(
            f"there is no folder {base!r}, and no library here to look a commit up in",
            hint="--base takes the folder of an older version, or a commit",
        )
    return library.skill_at(library.repository().resolve(revision), name)


def _check(subject: Subject) -> Iterable[Finding]:
    """The gate's check: what the policy refuses, by origin, is an error."""
    skill = subject.skill
    if skill is None:
        return []
    evidence = subject.library.evidence_at(subject.head, skill.name)
    waivers = library_waivers(subject.library, subject.base)
    item = ScanTarget(skill, subject.before, evidence, subject.policy, waivers)
    table = subject.policy.scan
    found = findings(item, date.today())
    return [
        _by_policy(finding, table.how(skill.origin, finding.severity))
        for finding in found
    ]


_SEVERITIES = {
    "refuse": Severity.ERROR,
    "approve": Severity.WARNING,
    "pass": Severity.NOTE,
}


def _by_policy(finding: Finding, how: str) -> Finding:
    return replace(finding, severity=_SEVERITIES[how]) if how else finding


def _on_rollback(finding: Finding) -> Finding:
    """What is dangerous does not come back; a doubt was decided when it came first."""
    attacks = {rule.id for rule in rules() if rule.severity is Severity.ERROR}
    is_doubt = finding.rule not in attacks
    return replace(finding, severity=Severity.NOTE) if is_doubt else finding


CHECK = Check("scan", _check, on_rollback=_on_rollback)
