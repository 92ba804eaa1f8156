"""The scan of a whole commit, before it is released and again before it is published.

What the scan says of a skill is kept by the skill's tree, so that a build after a
release does not look twice at the same bytes. Waivers are not kept: they end.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import partial

from skillforge import worker_pool
from skillforge.checks import edition
from skillforge.checks.evidence import known_to
from skillforge.checks.result_cache import decoded
from skillforge.checks.scan import scan
from skillforge.checks.scan.rule_packs import RulePack
from skillforge.checks.scan.scan_run import library_packs, library_waivers
from skillforge.checks.scan.waivers import apply
from skillforge.library import Library
from skillforge.model import SKILLS, Danger, FileKind, Finding, Report, Severity, Skill
from skillforge.policy import Policy
from skillforge.redact import KnownPrivate, locate
from skillforge.store import Cache

_WORTH_SPREADING = 20  # skills for each process
_LEAK = "leak"
_OF_OTHERS = ("SECRET", "CREDENTIALS", "CARD", "IBAN")
_TEXT = 1 << 20  # bytes of a file that is looked through for what is private


@dataclass(frozen=True, slots=True)
class ReleaseScan:
    """What the scan says of every skill at a commit, by name."""

    findings: Mapping[str, tuple[Finding, ...]]

    @property
    def verdicts(self) -> dict[str, Danger]:
        return {name: Danger.of(found) for name, found in self.findings.items()}

    @property
    def report(self) -> Report:
        """All of it, with paths from the top of the library."""
        every = (
            finding.under(f"{SKILLS}/{name}")
            for name, found in self.findings.items()
            for finding in found
        )
        return Report(tuple(every), tuple(f"{SKILLS}/{name}" for name in self.findings))

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """What must not be published: signs of an attack, and leaks of any kind."""
        return tuple(f for f in self.report.findings if _is_blocking(f))


def _is_blocking(finding: Finding) -> bool:
    is_leak = finding.category == _LEAK and finding.severity is Severity.WARNING
    return finding.severity is Severity.ERROR or is_leak


def scan_commit(
    library: Library, commit: str, today: date, skills: Sequence[Skill]
) -> ReleaseScan:
    """Scan the skills of a commit, by the policy and the waivers of that commit."""
    policy, waivers = library.policy(commit), library_waivers(library, commit)
    trees = library.repository().tree(f"{commit}:{SKILLS}")
    packs = library_packs(library, policy, commit)
    memory = _ScanCache(library, policy, packs)
    keys = {skill.name: memory.key(trees[skill.name].object) for skill in skills}
    known = memory.recall(list(keys.values()))
    fresh = [skill for skill in skills if keys[skill.name] not in known]
    work = partial(_look_at_all, policy, packs)
    for part in worker_pool.spread(work, fresh, _WORTH_SPREADING):
        known |= {keys[name]: found for name, found in part.items()}
    memory.remember({keys[it.name]: known[keys[it.name]] for it in fresh})
    return ReleaseScan(
        {
            skill.name: tuple(apply(known[keys[skill.name]], skill, waivers, today))
            for skill in skills
        }
    )


def _look_at_all(
    policy: Policy, packs: Sequence[RulePack], skills: Sequence[Skill]
) -> dict[str, list[Finding]]:
    known = known_to(policy)
    return {skill.name: _look_at(policy, packs, known, skill) for skill in skills}


def _look_at(
    policy: Policy, packs: Sequence[RulePack], known: KnownPrivate, skill: Skill
) -> list[Finding]:
    scanned = scan(skill, must_declare=policy.scan.declare, packs=packs)
    found = list(scanned.findings)
    there = {(finding.path, finding.line) for finding in found}
    private = (it for it in _private(skill, known) if (it.path, it.line) not in there)
    return [*found, *private]


def _private(skill: Skill, known: KnownPrivate) -> Iterator[Finding]:
    """What redaction would take out of a file, if it were an example."""
    for path, file in sorted(skill.files.items()):
        if file.kind not in (FileKind.FILE, FileKind.EXECUTABLE) or file.size > _TEXT:
            continue
        text = skill.read(path).decode("utf-8", "replace")
        places: dict[tuple[str, str], int] = {}
        for kind, start, end in locate(text, known, _OF_OTHERS):
            places.setdefault((kind, text[start:end]), start)
        for (kind, _value), start in places.items():
            line = text.count("\n", 0, start) + 1
            message = f"something private stands here ({kind.lower()})"
            hint = "take it out; a waiver for private-data lets it pass"
            yield Finding(
                "private-data",
                Severity.WARNING,
                message,
                path,
                line,
                hint,
                category=_LEAK,
            )


class _ScanCache:
    """What was said of the very same bytes by the very same rules."""

    def __init__(
        self, library: Library, policy: Policy, packs: Sequence[RulePack]
    ) -> None:
        self.cache = Cache.of(library.repository().common_dir)
        private = [policy.private_names, policy.private_ids, policy.scan.declare]
        digests = [pack.digest for pack in packs]
        self.rules = json.dumps([edition(), *private, digests])

    def key(self, tree: str) -> str:
        return hashlib.sha256(f"{self.rules} {tree}".encode()).hexdigest()

    def recall(self, keys: list[str]) -> dict[str, list[Finding]]:
        return decoded(self.cache.scans(keys), _finding)

    def remember(self, scans: Mapping[str, list[Finding]]) -> None:
        said = {key: json.dumps([*map(asdict, it)]) for key, it in scans.items()}
        if said:
            self.cache.save_scans(said)


def _finding(row: dict[str, str]) -> Finding:
    return Finding(**{**row, "severity": Severity(row["severity"])})  # type: ignore[arg-type]
