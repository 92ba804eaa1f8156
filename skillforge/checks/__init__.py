"""A skill in, findings out. Every rule that there is, and which of them apply."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from skillforge import __version__, document
from skillforge.checks import fast_path, scan
from skillforge.checks.gate_rules import gate_rules
from skillforge.checks.rules import (
    anti_learning,
    file_layout,
    portability,
    quality,
    specification,
)
from skillforge.errors import ConfigError, RequestError
from skillforge.model import Document, Finding, Profile, Rule, Severity, Skill
from skillforge.policy import POLICY_FILE
from skillforge.resources import schema_path
from skillforge.text import nearest

_FOLDER_RULES = (*specification.FOLDER_RULES, *file_layout.FOLDER_RULES)
_FIELD_RULES = (
    *specification.FIELD_RULES,
    *portability.FIELD_RULES,
    *quality.FIELD_RULES,
    *anti_learning.FIELD_RULES,
)
_BODY_RULES = (*portability.BODY_RULES, *quality.BODY_RULES, *anti_learning.BODY_RULES)
_LEARNED = frozenset(rule.id for rule in anti_learning.BODY_RULES)


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by id, in the order they are tried; those of the scan come last."""
    rules = (*document.rules(), *_FOLDER_RULES, *_FIELD_RULES, *_BODY_RULES)
    return {rule.id: rule for rule in (*rules, *scan.rules())}


def find_rule(rule_id: str) -> Rule:
    if found := all_rules().get(rule_id):
        return found
    meant = nearest(rule_id, [*all_rules(), *gate_rules()])
    raise RequestError(
        f"there is no rule {rule_id!r}",
        hint=f"did you mean `{meant}`?" if meant else "`skillforge rules` lists them",
    )


def _refuse_unknown(rule_id: str) -> None:
    try:
        if find_rule(rule_id).category:
            raise RequestError(
                f"{rule_id} is a rule of the security scan, which has no severity of "
                "the library's own",
                hint="waivers.yaml lets single findings pass; docs/scan.md shows how",
            )
    except RequestError as err:
        raise ConfigError(f"{POLICY_FILE}: {err.message}", hint=err.hint) from err


@cache
def edition() -> str:
    """Which rules these are; in a source checkout they change without a new version."""
    package = Path(__file__).parents[1]
    schemas = schema_path("skill.schema.json").parent
    rules = package.glob("checks/scan/**/*.toml")
    sources = (*package.rglob("*.py"), *rules, *schemas.glob("*.json"))
    return f"{__version__} {max(path.stat().st_mtime_ns for path in sources)}"


class Ruleset:
    """The rules of one profile, with the severities that the policy gives them."""

    def __init__(self, profile: Profile, severities: Mapping[str, str]) -> None:
        for rule_id in severities:
            _refuse_unknown(rule_id)
        self.profile = profile
        self.severities = dict(severities)
        self._on_files = self._chosen(_FOLDER_RULES)
        self._on_fields = self._chosen(_FIELD_RULES)
        self._on_body = self._chosen(_BODY_RULES)

    @property
    def fingerprint(self) -> str:
        """Equal for rulesets that say the same of the same skill."""
        import hashlib

        said = f"{edition()} {self.profile} {sorted(self.severities.items())}"
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    def _chosen(self, rules: tuple[Rule, ...]) -> list[tuple[Rule, Severity]]:
        return [
            (rule, Severity(self.severities.get(rule.id, rule.severity)))
            for rule in rules
            if self.profile is Profile.PORTABLE or rule.profile is Profile.SPEC
            if self.severities.get(rule.id) != "off"
        ]

    def check(self, skill: Skill) -> list[Finding]:
        """All that is wrong with a skill; paths are relative to its folder."""
        found: list[Finding] = []
        if not fast_path.files_are_fine(skill):
            _ask(self._on_files, found, skill)
        doc = skill.document
        if doc is not None:
            # What the parser found cannot be switched off: closed on doubt.
            found.extend(doc.problems)
            if doc.readable:
                if not fast_path.fields_are_fine(skill, doc):
                    _ask(self._on_fields, found, skill, doc)
                if not fast_path.body_is_fine(skill, doc):
                    self._ask_on_body(found, skill, doc)
        return found

    def _ask_on_body(self, found: list[Finding], skill: Skill, doc: Document) -> None:
        for rule, severity in self._on_body:
            for problem in rule.check(skill, doc):
                if rule.id not in self.severities:
                    severity = _for_maker(rule, skill, severity)
                found.append(rule.finding(problem, severity))


def _for_maker(rule: Rule, skill: Skill, severity: Severity) -> Severity:
    """What counts for more or less by who made the skill."""
    if rule.id in _LEARNED:
        return anti_learning.severity_for(skill, severity)
    if rule is quality.sections_required:
        return anti_learning.sections_severity(skill, severity)
    return severity


def _ask(
    rules: list[tuple[Rule, Severity]], found: list[Finding], *subject: object
) -> None:
    for rule, severity in rules:
        for problem in rule.check(*subject):
            found.append(rule.finding(problem, severity))  # noqa: PERF401
