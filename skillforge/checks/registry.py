"""The checks of the gate: each a name and a function from a skill to findings."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from skillforge.library import Library
from skillforge.model import SKILL_FILE, File, FileKind, Finding, Severity, Skill
from skillforge.policy import Policy


@dataclass(frozen=True, slots=True)
class Subject:
    """What a check may look at: a skill as proposed, and as it was on the base.

    `skill` is None for one that goes, `before` for one that is new. `replaced` names
    skills that go for its sake.
    """

    library: Library
    policy: Policy
    base: str
    head: str
    skill: Skill | None
    before: Skill | None
    replaced: tuple[str, ...] = ()


def judged_before(finding: Finding) -> Finding:
    """Rules may be stricter by now; that must not stand in the way of a rollback."""
    is_error = finding.severity is Severity.ERROR
    return replace(finding, severity=Severity.WARNING) if is_error else finding


def nothing_missing() -> str:
    """What a check lacks that needs nothing but us."""
    return ""


class Check(NamedTuple):
    """One check; paths of its findings are relative to the skill's folder.

    `missing` says what it lacks on this machine: a check that cannot run has not
    passed. `on_rollback` is what becomes of a finding in what main held before.
    """

    name: str
    run: Callable[[Subject], Iterable[Finding]]
    seconds: float = 60
    missing: Callable[[], str] = nothing_missing
    is_for_rollbacks: bool = True  # a rollback does not wait for what takes long
    on_rollback: Callable[[Finding], Finding] = judged_before


@cache
def checks() -> dict[str, Check]:
    """Every check by name, the cheap ones first."""
    from skillforge.checks import evidence, overlap, runner
    from skillforge.checks.cases import case_check
    from skillforge.checks.scan import scan_run

    every = (
        runner.CHECK,
        scan_run.CHECK,
        overlap.CHECK,
        evidence.CHECK,
        case_check.CHECK,
    )
    return {each.name: each for each in every}


def get_ready() -> None:
    """Import every check and compile its patterns, before children would each do so."""
    from skillforge.checks.scan import scan
    from skillforge.document import parse

    checks()
    page = b"---\nname: x\ndescription: y\n---\n# X\n\n```sh\nls\n```\n"
    files = {SKILL_FILE: page, "scripts/x.py": b"print()\n", "scripts/x.sh": b"ls\n"}
    kinds = {path: File(FileKind.FILE, len(data)) for path, data in files.items()}
    skill = Skill("x", "x", kinds, parse(page), files.__getitem__)
    scan(skill, skill)
