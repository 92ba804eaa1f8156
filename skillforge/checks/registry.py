"""The checks of the gate: each is a name and a function from a skill to findings.

Other packages register checks as entry points of the group `skillforge.checks`. They
run if the policy requires them; a check that cannot be loaded has not passed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

from skillforge.library import Library
from skillforge.model import SKILL_FILE, File, FileKind, Finding, Severity, Skill
from skillforge.policy import Policy

GROUP = "skillforge.checks"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a check works on: a skill as proposed, and as on the base.

    `skill` is None if the proposal removes it, `before` if it is new. `replaced` names
    the skills that it replaces.
    """

    library: Library
    policy: Policy
    base: str
    head: str
    skill: Skill | None
    before: Skill | None
    replaced: tuple[str, ...] = ()


class CheckFunction(Protocol):
    """The function of a check. Paths of findings are relative to the skill."""

    def __call__(self, subject: Subject, /) -> Iterable[Finding]:
        """The findings in a skill; an error among them blocks the promotion."""


def accepted_before(finding: Finding) -> Finding:
    """Errors as warnings: stricter rules must not block a rollback."""
    is_error = finding.severity is Severity.ERROR
    return replace(finding, severity=Severity.WARNING) if is_error else finding


class Check(NamedTuple):
    """A check of the gate.

    It runs in a separate process, for at most `seconds`. A check that cannot run has
    not passed: `missing` returns what it lacks. `on_rollback` is applied to findings
    in a version that main had before.
    """

    name: str
    run: CheckFunction
    seconds: float = 60
    missing: Callable[[], str] = str  # empty if it can run on this machine
    is_for_rollbacks: bool = True  # a rollback does not wait for slow checks
    on_rollback: Callable[[Finding], Finding] = accepted_before


def checks(required: Iterable[str] = ()) -> dict[str, Check]:
    """Every check by name, cheap ones first.

    Checks of other packages are loaded only if one of them is required.
    """
    own = _own_checks()
    if all(name in own for name in required):
        return own
    return {**own, **{n: c for n, c in _plugin_checks().items() if n not in own}}


@cache
def _plugin_checks() -> dict[str, Check]:
    from importlib.metadata import entry_points

    return {point.name: _loaded(point) for point in entry_points(group=GROUP)}


def _loaded(point: Any) -> Check:
    """The check of an entry point, named after the entry point."""
    try:
        loaded = point.load()
    except (Exception, SystemExit) as err:  # noqa: BLE001 - it may raise anything
        return _broken(point.name, f"cannot be loaded: {type(err).__name__}: {err}")
    if isinstance(loaded, Check):
        return loaded._replace(name=point.name)
    if callable(loaded):
        return Check(point.name, loaded)
    return _broken(point.name, f"{point.value} is neither a function nor a Check")


def _broken(name: str, reason: str) -> Check:
    return Check(name, _no_findings, missing=partial(str, reason))


def _no_findings(_subject: Subject) -> list[Finding]:
    raise NotImplementedError


@cache
def _own_checks() -> dict[str, Check]:
    from skillforge.checks import evidence, overlap, runner
    from skillforge.checks.cases import case_check
    from skillforge.checks.scan import scan_run

    modules = (runner, scan_run, overlap, evidence, case_check)
    return {module.CHECK.name: module.CHECK for module in modules}


def warm_up() -> None:
    """Import our checks and compile their patterns before processes are forked."""
    from skillforge import redact
    from skillforge.checks.scan import scan
    from skillforge.document import parse

    checks()
    page = b"---\nname: x\ndescription: y\n---\n# X\n\n```sh\nls\n```\n"
    files = {SKILL_FILE: page, "scripts/x.py": b"print()\n", "scripts/x.sh": b"ls\n"}
    kinds = {path: File(FileKind.FILE, len(data)) for path, data in files.items()}
    skill = Skill("x", "x", kinds, parse(page), files.__getitem__)
    scan(skill, skill)
    redact.warm_up()
