"""The policy file `skillforge.yaml`. Every key is optional."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skillforge.errors import ConfigError
from skillforge.model import Layout, Origin, Profile, Severity, is_of_agent
from skillforge.schema_errors import misfit

POLICY_FILE = "skillforge.yaml"
# Only comments, as `init` writes it: no parser is needed. ASCII without control
# characters, since a comment ends at any of YAML's line breaks.
_COMMENTS = re.compile(rb"(?:(?: *#[ -~]*| *)\r?\n)*+(?: *#[ -~]*| *)")

# A key outside of comments, perhaps in YAML's escapes.
_MAY_NAME_SKILLS = re.compile(rb"(?m)(?:^|\r)[^#\r\n]*(?:skills|\\)")


@dataclass(frozen=True, slots=True)
class ScanPolicy:
    """What a scan's findings lead to, by the kind of author: pass, approve or refuse.

    `approve` requires one more approval than usual. With `declare`, each skill must
    name the hosts, variables and programs that it uses. `rule_packs` are paths of files
    with the library's own rules.
    """

    caution: Mapping[str, str] = field(default_factory=dict)
    dangerous: Mapping[str, str] = field(default_factory=dict)
    declare: bool = False
    rule_packs: tuple[str, ...] = ()

    def how(self, origin: str, severity: Severity) -> str:
        """What a finding leads to; empty if it is only reported."""
        author = "agent" if is_of_agent(origin) else "human"
        author = "import" if origin == Origin.IMPORT else author
        if severity is Severity.ERROR:
            return self.dangerous.get(author, "refuse")
        is_caution = severity is Severity.WARNING
        return self.caution.get(author, "approve") if is_caution else ""


@dataclass(frozen=True, slots=True)
class CanaryPolicy:
    """How a new version is rolled out beside the old one.

    `start` says which promotions start a rollout: edits, all or none. `alpha` is the
    error rate of a verdict, `least` the number of keys that must have used the new
    version, and `margin` the factor by which it may fail more often and still count as
    no worse. With `auto`, a rollback needs no approval.
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
    """When the curator proposes a change, in days without a use or since a change."""

    stale: int = 30
    archive: int = 90
    young: int = 7  # no proposals for a skill this new


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of a library."""

    layout: Layout = field(default_factory=Layout)
    profile: Profile = Profile.PORTABLE
    rules: Mapping[str, str] = field(default_factory=dict)
    adopted: str = ""
    branch: str = ""  # that promotion moves; empty means `main`
    forge: str = ""  # a name in the registry of forges; empty: chosen by the remote
    approvals: int = 1
    checks: tuple[str, ...] = ("validate", "scan", "overlap", "evidence", "test")
    open_limit: int = 50
    days_limit: int = 14
    growth_limit: int = 20
    rollback_now: str = "people"
    least_cases: int = 1  # for a skill with scripts
    least_cases_prose: int = 0
    least_cases_agent: int = 2  # for an agent's skill with scripts
    dependencies: bool = False
    sandbox: str = "any"  # or full (no weaknesses), or the name of a sandbox
    scan: ScanPolicy = field(default_factory=ScanPolicy)
    private_names: tuple[str, ...] = ()
    private_ids: tuple[str, ...] = ()  # patterns
    least_examples: int = 5  # approved and verified, for an agent's draft
    least_sessions: int = 3
    canary: CanaryPolicy = field(default_factory=CanaryPolicy)
    curate: CuratePolicy = field(default_factory=CuratePolicy)
    health_seconds: int = 3600  # limit of a health run

    def lets_roll_back(self, origin: str) -> bool:
        """Whether a rollback by an author of this origin needs no approval."""
        if self.canary.auto and origin == Origin.CURATOR:
            return True
        if self.rollback_now == "people":
            return not is_of_agent(origin) and origin != Origin.IMPORT
        return self.rollback_now == "anyone"


def read_layout(data: bytes) -> Layout:
    """Where a policy says that skills are; the rest of it is read only if needed."""
    return read_policy(data).layout if _MAY_NAME_SKILLS.search(data) else Layout()


def read_policy(data: bytes) -> Policy:
    """Parse a policy; the error names the line."""
    if _COMMENTS.fullmatch(data):
        return Policy()
    settings = _load(data)
    default = Policy()
    proposals = settings.get("proposals", {})
    tests = settings.get("tests", {})
    evidence = settings.get("evidence", {})
    return Policy(
        layout=Layout(tuple(settings["skills"])) if "skills" in settings else Layout(),
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
            why = f"redact.ids: {pattern!r} is not a valid pattern: {err}"
            raise _wrong(line, why) from err
    return settings


def _validate(settings: Any) -> None:
    if error := misfit(settings, "policy.schema.json"):
        raise _wrong(_line_of(settings, error.path), error.words)


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
        hint="schemas/policy.schema.json lists all keys; `skillforge init` writes a "
        "policy that explains them",
    )
