"""The policy file `skillforge.yaml`. Every key is optional."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skillforge.errors import ConfigError
from skillforge.model import Origin, Profile, Severity, is_of_agent
from skillforge.schema_errors import misfit

POLICY_FILE = "skillforge.yaml"
# All comments, as `init` writes it: no parser is needed. In ASCII without controls, for
# YAML knows more line breaks than one, and a comment ends at each of them.
_COMMENTS = re.compile(rb"(?:(?: *#[ -~]*| *)\r?\n)*+(?: *#[ -~]*| *)")


@dataclass(frozen=True, slots=True)
class ScanPolicy:
    """What becomes of a scan's verdict, by who proposes: pass, approve or refuse.

    `approve` is one approval more than usual. `declare` asks every skill to name the
    hosts, variables and programs that it uses. `rule_packs` are paths of files with
    rules of the library.
    """

    caution: Mapping[str, str] = field(default_factory=dict)
    dangerous: Mapping[str, str] = field(default_factory=dict)
    declare: bool = False
    rule_packs: tuple[str, ...] = ()

    def how(self, origin: str, severity: Severity) -> str:
        """What is to be done about a finding; empty for one that is only told."""
        whose = "agent" if is_of_agent(origin) else "human"
        whose = "import" if origin == Origin.IMPORT else whose
        if severity is Severity.ERROR:
            return self.dangerous.get(whose, "refuse")
        return (
            self.caution.get(whose, "approve") if severity is Severity.WARNING else ""
        )


@dataclass(frozen=True, slots=True)
class CanaryPolicy:
    """How a new version is tried beside the old one before everybody gets it.

    `start` says what a promotion starts a rollout of: edits, all or none. `alpha` is
    how often a verdict may be wrong, `least` the keys that have to be heard of on the
    new version, `margin` how many times as often a version may fail that is called no
    worse. With `auto`, a rollback needs no approval.
    """

    start: str = "edits"
    share: float = 10.0  # percent of keys
    alpha: float = 0.05
    least: int = 10
    days: int = 30
    margin: float = 2.0
    auto: bool = False


@dataclass(frozen=True, slots=True)
class CuratePolicy:
    """When the curator speaks up, in days: without a use, and since a change."""

    stale: int = 30
    archive: int = 90
    young: int = 7  # it leaves a skill alone for so long


@dataclass(frozen=True, slots=True)
class Policy:
    """What a library asks of its skills."""

    profile: Profile = Profile.PORTABLE
    rules: Mapping[str, str] = field(default_factory=dict)
    adopted: str = ""
    branch: str = ""  # the one that promotion moves; `main`, if it says nothing
    forge: str = ""  # a name in the registry of forges; empty: by the remote
    approvals: int = 1
    checks: tuple[str, ...] = ("validate", "scan", "overlap", "evidence", "test")
    open_limit: int = 50
    days_limit: int = 14
    growth_limit: int = 20
    rollback_now: str = "people"
    least_cases: int = 1  # for a skill with scripts
    least_cases_prose: int = 0
    least_cases_agent: int = 2  # for a skill with scripts that an agent made
    dependencies: bool = False
    sandbox: str = "any"  # or full (no weaknesses), or the name of a sandbox
    scan: ScanPolicy = field(default_factory=ScanPolicy)
    private_names: tuple[str, ...] = ()
    private_ids: tuple[str, ...] = ()  # patterns
    least_examples: int = 5  # approved and verified, behind what an agent made
    least_sessions: int = 3
    canary: CanaryPolicy = field(default_factory=CanaryPolicy)
    curate: CuratePolicy = field(default_factory=CuratePolicy)
    health_seconds: int = 3600  # that a health run may take

    def lets_roll_back(self, origin: str) -> bool:
        """Whether somebody of an origin may roll back without an approval."""
        if self.canary.auto and origin == Origin.CURATOR:
            return True
        is_person = not is_of_agent(origin) and origin != Origin.IMPORT
        return self.rollback_now == "anyone" or (
            self.rollback_now == "people" and is_person
        )


def read_policy(data: bytes) -> Policy:
    """Read a policy, or say which line of it cannot be understood."""
    if _COMMENTS.fullmatch(data):
        return Policy()
    settings = _load(data)
    default = Policy()
    proposals = settings.get("proposals", {})
    tests = settings.get("tests", {})
    evidence = settings.get("evidence", {})
    return Policy(
        profile=Profile(settings.get("profile", default.profile)),
        rules={str(rule): how for rule, how in settings.get("rules", {}).items()},
        adopted=str(settings.get("adopted", "")),
        branch=settings.get("branch", default.branch),
        forge=settings.get("forge", default.forge),
        approvals=settings.get("approvals", default.approvals),
        checks=tuple(settings.get("checks", default.checks)),
        open_limit=proposals.get("open", default.open_limit),
        days_limit=proposals.get("days", default.days_limit),
        growth_limit=proposals.get("growth", default.growth_limit),
        rollback_now=settings.get("rollback", {}).get("now", default.rollback_now),
        least_cases=tests.get("scripts", default.least_cases),
        least_cases_prose=tests.get("prose", default.least_cases_prose),
        least_cases_agent=tests.get("agent", default.least_cases_agent),
        dependencies=tests.get("dependencies", default.dependencies),
        sandbox=tests.get("sandbox", default.sandbox),
        scan=_scan_policy(settings.get("scan", {})),
        private_names=tuple(settings.get("redact", {}).get("names", ())),
        private_ids=tuple(settings.get("redact", {}).get("ids", ())),
        least_examples=evidence.get("examples", default.least_examples),
        least_sessions=evidence.get("sessions", default.least_sessions),
        canary=CanaryPolicy(**settings.get("canary", {})),
        curate=CuratePolicy(**settings.get("curate", {})),
        health_seconds=settings.get("health", {}).get("budget", default.health_seconds),
    )


def _scan_policy(settings: Mapping[str, Any]) -> ScanPolicy:
    packs = tuple(settings.get("rule_packs", ()))
    return ScanPolicy(**{**settings, "rule_packs": packs})


def _load(data: bytes) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        if YAML().compose(data) is None:
            return {}  # comments and blank lines
        settings = YAML().load(data)
    except MarkedYAMLError as err:
        line = err.problem_mark.line + 1 if err.problem_mark else 1
        raise _wrong(line, f"not YAML: {err.problem}") from err
    except (YAMLError, UnicodeDecodeError, ValueError, RecursionError) as err:
        raise _wrong(1, "not YAML text in UTF-8") from err
    _validate(settings)
    for at, pattern in enumerate(settings.get("redact", {}).get("ids", ())):
        try:
            re.compile(pattern)
        except re.error as err:
            line = _line_of(settings, ["redact", "ids", at])
            raise _wrong(line, f"redact.ids: {pattern!r} is no pattern: {err}") from err
    return settings


def _validate(settings: Any) -> None:
    if found := misfit(settings, "policy.schema.json"):
        raise _wrong(_line_of(settings, found.path), found.words)


def _line_of(settings: Any, path: list[Any]) -> int:
    line = 0
    for key in path:
        try:
            line = settings.lc.key(key)[0]
            settings = settings[key]
        except (AttributeError, KeyError, TypeError, IndexError):
            break
    return int(line) + 1


def _wrong(line: int, why: str) -> ConfigError:
    return ConfigError(
        f"{POLICY_FILE}:{line}: {why}",
        hint="schemas/policy.schema.json lists every key; `skillforge init` writes a "
        "policy with all of them explained",
    )
