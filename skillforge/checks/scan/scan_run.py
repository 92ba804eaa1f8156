"""Scan skills of a checkout, a revision or any folder; the gate's check `scan`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from skillforge import worker_pool
from skillforge.checks import skill_selection
from skillforge.checks.registry import Check, Subject
from skillforge.checks.scan import rules, scan
from skillforge.checks.scan.scan_cache import ScanCache, ScanTarget
from skillforge.checks.scan.waivers import WAIVERS_FILE, Waiver, apply, read_waivers
from skillforge.errors import RequestError
from skillforge.library import Library, read_folder
from skillforge.model import Danger, Finding, Report, Severity, Skill
from skillforge.policy import Policy
from skillforge.worker_pool import Progress

if TYPE_CHECKING:
    from skillforge.checks.scan.rule_packs import RulePack

_WORTH_SPREADING = 10  # skills for each process
_NO_PROGRESS = Progress()


@dataclass(frozen=True, slots=True)
class ScanResults:
    """The findings in some skills, and the verdict on each skill."""

    report: Report
    verdicts: dict[str, Danger]

    @property
    def ok(self) -> bool:
        return Danger.DANGEROUS not in self.verdicts.values()


def run_scan(
    start: Path,
    selection: skill_selection.Selection,
    base: str = "",
    today: date | None = None,
    progress: Progress = _NO_PROGRESS,
) -> ScanResults:
    """Scan the selected skills, and compare them with a base if there is one.

    Waivers and rule packs are read from the base, or else from the checkout. Findings
    are cached; waivers are applied afterwards, because they expire.
    """
    library = Library.find(start)
    is_folder = bool(base) and Path(base).is_dir()
    revision = selection.changed_since or (base if base and not is_folder else None)
    waivers = library_waivers(library, revision)
    policy = library.policy(revision) if library else Policy()
    packs = library_packs(library, policy, revision)
    targets = [
        ScanTarget(
            chosen.skill,
            _before(library, chosen, selection, base),
            chosen.evidence,
            chosen.policy,
            waivers,
            packs,
        )
        for chosen in skill_selection.chosen(start, selection)
    ]
    scans = _cached_scans(library, targets, progress)
    pairs = zip(targets, scans, strict=True)
    day = today or date.today()
    findings = [list(apply(f, t.skill, t.waivers, day)) for t, f in pairs]
    return _results(targets, findings)


def _cached_scans(
    library: Library | None, targets: Sequence[ScanTarget], progress: Progress
) -> list[Sequence[Finding]]:
    """The findings in skills, of which only those not in the cache are scanned."""
    cache = ScanCache(library)
    keys = [cache.key(target) for target in targets]
    known = cache.load(keys)
    fresh = [
        target for target, key in zip(targets, keys, strict=True) if key not in known
    ]
    progress.start("scan", len(fresh))
    found = worker_pool.each(_scan, fresh, _WORTH_SPREADING, progress.done)
    # A file may have changed since its key was made.
    new = {cache.key(t): f for t, f in zip(fresh, found, strict=True)}
    cache.save({key: new[key] for key in keys if key and key in new})
    scans = iter(found)
    return [known[key] if key in known else next(scans) for key in keys]


def _scan(target: ScanTarget) -> tuple[Finding, ...]:
    return scan(
        target.skill,
        target.before,
        target.evidence,
        must_declare=target.policy.scan.declare,
        packs=target.packs,
    ).findings


def _results(
    targets: list[ScanTarget], findings_of: list[list[Finding]]
) -> ScanResults:
    names = Counter(target.skill.name for target in targets)
    verdicts: dict[str, Danger] = {}
    shown: list[Finding] = []
    for (skill, *_), findings in zip(targets, findings_of, strict=True):
        key = skill.name if names[skill.name] == 1 else skill.path
        verdicts[key] = Danger.of(findings)
        shown += (finding.under(skill.path) for finding in findings)
    report = Report(tuple(shown), tuple(target.skill.path for target in targets))
    return ScanResults(report, verdicts)


def library_waivers(
    library: Library | None, revision: str | None
) -> tuple[Waiver, ...]:
    """The waivers of a library, in its checkout or at a revision."""
    if library is None:
        return ()
    return read_waivers(library.read_file(WAIVERS_FILE, revision))


def library_packs(
    library: Library | None, policy: Policy, revision: str | None
) -> "tuple[RulePack, ...]":
    """The rule packs that a policy names, in the checkout or at a revision."""
    if library is None or not policy.scan.rule_packs:
        return ()
    from skillforge.checks.scan.rule_packs import read_packs

    return read_packs(library, policy.scan.rule_packs, revision)


def _before(
    library: Library | None,
    chosen: skill_selection.Chosen,
    selection: skill_selection.Selection,
    base: str,
) -> Skill | None:
    """The previous version of a skill: at a commit, or in another folder."""
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
            f"no folder {base!r}, and this is not a library with commits",
            hint="--base takes the folder of an older version, or a commit",
        )
    return library.skill_at(library.repository().resolve(revision), name)


def _check(subject: Subject) -> Iterable[Finding]:
    """The gate's check, with severities as the policy sets them for the origin."""
    skill = subject.skill
    if skill is None:
        return []
    evidence = subject.library.evidence_at(subject.head, skill.name)
    waivers = library_waivers(subject.library, subject.base)
    policy = subject.policy
    packs = library_packs(subject.library, policy, subject.base)
    target = ScanTarget(skill, subject.before, evidence, policy, waivers, packs)
    return [
        _by_policy(finding, policy.scan.how(skill.origin, finding.severity))
        for finding in apply(_scan(target), skill, waivers, date.today())
    ]


_SEVERITIES = {
    "refuse": Severity.ERROR,
    "approve": Severity.WARNING,
    "pass": Severity.NOTE,
}


def _by_policy(finding: Finding, how: str) -> Finding:
    return replace(finding, severity=_SEVERITIES[how]) if how else finding


def _on_rollback(finding: Finding) -> Finding:
    """Findings as notes, except errors of the scan's own rules and of rule packs."""
    attacks = {rule.id for rule in rules() if rule.severity is Severity.ERROR}
    of_library = "/" in finding.rule and finding.severity is Severity.ERROR
    if finding.rule in attacks or of_library:
        return finding
    return replace(finding, severity=Severity.NOTE)


CHECK = Check("scan", _check, on_rollback=_on_rollback)
