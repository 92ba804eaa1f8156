"""Scan all skills of a commit, before its release and before its publication.

Findings are cached by the skill's tree, so a build after a release doesn't scan again.
Waivers are applied afterwards, because they expire.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from skillforge import worker_pool
from skillforge.checks.evidence import known_to
from skillforge.checks.result_cache import decoded
from skillforge.checks.scan import scan
from skillforge.checks.scan.rule_packs import RulePack
from skillforge.checks.scan.scan_cache import dumped, finding_of, scan_edition
from skillforge.checks.scan.scan_run import library_packs, library_waivers
from skillforge.checks.scan.waivers import apply
from skillforge.library import Library
from skillforge.model import Danger, FileKind, Finding, Report, Severity, Skill
from skillforge.policy import Policy
from skillforge.redact import KnownPrivate, locate
from skillforge.store import Cache
from skillforge.worker_pool import Progress

_SKILLS_PER_PROCESS = 20  # at least
_LEAK = "leak"
_PRIVATE_KINDS = ("SECRET", "CREDENTIALS", "CARD", "IBAN")
_MOST_TEXT = 1 << 20  # bytes of a file that is searched for private data


@dataclass(frozen=True, slots=True)
class ReleaseScan:
    """The findings of every skill at a commit, by name."""

    findings: Mapping[str, tuple[Finding, ...]]
    paths: Mapping[str, str]  # the folders of the skills, by name

    @property
    def verdicts(self) -> dict[str, Danger]:
        return {name: Danger.of(findings) for name, findings in self.findings.items()}

    @property
    def report(self) -> Report:
        """All findings, with paths from the top of the library."""
        findings = tuple(
            finding.under(self.paths[name])
            for name, of_skill in self.findings.items()
            for finding in of_skill
        )
        return Report(findings, tuple(self.paths[name] for name in self.findings))

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """Findings that block a publication: errors, and all leaks."""
        return tuple(f for f in self.report.findings if _is_blocking(f))


def _is_blocking(finding: Finding) -> bool:
    is_leak = finding.category == _LEAK and finding.severity is Severity.WARNING
    return finding.severity is Severity.ERROR or is_leak


def scan_commit(
    library: Library,
    commit: str,
    today: date,
    skills: Sequence[Skill],
    progress: Progress | None = None,
) -> ReleaseScan:
    """Scan the skills of a commit, with the policy and waivers of that commit."""
    policy, waivers = library.policy(commit), library_waivers(library, commit)
    trees = library.skill_trees(commit)
    packs = library_packs(library, policy, commit)
    cache = _ScanCache(library, policy, packs)
    keys = {
        skill.name: cache.key(f"{trees[skill.name]} {skill.name}") for skill in skills
    }
    scans = cache.load(list(keys.values()))
    fresh = [skill for skill in skills if keys[skill.name] not in scans]
    work = partial(_findings, policy, packs, known_to(policy))
    progress = progress or Progress()
    progress.start("scan", len(fresh))
    found = worker_pool.each(work, fresh, _SKILLS_PER_PROCESS, progress.done)
    for skill, findings in zip(fresh, found, strict=True):
        scans[keys[skill.name]] = findings
    cache.save({key: scans[key] for key in (keys[skill.name] for skill in fresh)})
    return ReleaseScan(
        {
            skill.name: tuple(apply(scans[keys[skill.name]], skill, waivers, today))
            for skill in skills
        },
        {skill.name: skill.path for skill in skills},
    )


def _findings(
    policy: Policy, packs: Sequence[RulePack], known: KnownPrivate, skill: Skill
) -> list[Finding]:
    scanned = scan(skill, must_declare=policy.scan.declare, packs=packs).findings
    lines = {(finding.path, finding.line) for finding in scanned}
    private = (f for f in _private(skill, known) if (f.path, f.line) not in lines)
    return [*scanned, *private]


def _private(skill: Skill, known: KnownPrivate) -> Iterator[Finding]:
    """The private data that redaction would remove from an example."""
    for path, file in sorted(skill.files.items()):
        if (
            file.kind not in (FileKind.FILE, FileKind.EXECUTABLE)
            or file.size > _MOST_TEXT
        ):
            continue
        text = skill.read(path).decode("utf-8", "replace")
        first: dict[tuple[str, str], int] = {}
        for kind, start, end in locate(text, known, _PRIVATE_KINDS):
            first.setdefault((kind, text[start:end]), start)
        for (kind, _value), start in first.items():
            yield Finding(
                "private-data",
                Severity.WARNING,
                f"possible private data ({kind.lower()})",
                path,
                text.count("\n", 0, start) + 1,
                "remove it, or add a waiver for private-data",
                category=_LEAK,
            )


class _ScanCache:
    """Findings by tree, of one version of the rules."""

    def __init__(
        self, library: Library, policy: Policy, packs: Sequence[RulePack]
    ) -> None:
        self.cache = Cache.of(library.repository().common_dir)
        private = [policy.private_names, policy.private_ids, policy.scan.declare]
        digests = [pack.digest for pack in packs]
        self.rules = json.dumps([scan_edition(), *private, digests])

    def key(self, tree: str) -> str:
        return hashlib.sha256(f"{self.rules} {tree}".encode()).hexdigest()

    def load(self, keys: list[str]) -> dict[str, list[Finding]]:
        return decoded(self.cache.entries("scans", keys), finding_of)

    def save(self, scans: Mapping[str, list[Finding]]) -> None:
        if scans:
            self.cache.save_entries("scans", dumped(scans))
