"""All rules for a single skill, and the rulesets of profiles and policies."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from skillforge import __version__, document
from skillforge.checks import fast_path, scan
from skillforge.checks.gate_rules import gate_rules
from skillforge.checks.rules import (
    anti_learning,
    client_fields,
    file_layout,
    portability,
    quality,
    specification,
    template_text,
)
from skillforge.errors import ConfigError, RequestError
from skillforge.model import Document, Finding, Profile, Rule, Severity, Skill
from skillforge.policy import POLICY_FILE
from skillforge.resources import schema_path
from skillforge.text import nearest

_FOLDER_RULES = (*specification.FOLDER_RULES, *file_layout.FOLDER_RULES)
_FIELD_RULES = (
    *specification.FIELD_RULES,
    *template_text.FIELD_RULES,
    *client_fields.RULES,
    *portability.FIELD_RULES,
    *quality.FIELD_RULES,
    *anti_learning.FIELD_RULES,
)
_BODY_RULES = (
    *template_text.BODY_RULES,
    *portability.BODY_RULES,
    *quality.BODY_RULES,
    *anti_learning.BODY_RULES,
)
_RETIRED = frozenset(("final-newline", "link-depth"))  # a policy may still name them
# What the specification forbids and the clients with own fields accept. A field that
# nobody defines may still be a typo.
_LENIENT = {
    specification.field_unknown.id: Severity.WARNING,
    specification.name_characters.id: Severity.NOTE,
    specification.name_hyphens.id: Severity.NOTE,
    specification.name_lowercase.id: Severity.NOTE,
    specification.name_matches_folder.id: Severity.NOTE,
    portability.name_portable.id: Severity.NOTE,
}
_SOURCES = (".py", ".toml", ".json")
_LEARNED = frozenset(rule.id for rule in anti_learning.BODY_RULES)


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by id, in the order of use; the rules of the scan come last."""
    rules = (*document.rules(), *_FOLDER_RULES, *_FIELD_RULES, *_BODY_RULES)
    return {rule.id: rule for rule in (*rules, *scan.rules())}


def find_rule(rule_id: str) -> Rule:
    if rule := all_rules().get(rule_id):
        return rule
    similar = nearest(rule_id, [*all_rules(), *gate_rules()])
    raise RequestError(
        f"no such rule: {rule_id!r}",
        hint=f"did you mean `{similar}`?"
        if similar
        else "`skillforge rules` lists them",
    )


def _refuse_unknown(rule_id: str) -> None:
    if rule_id in _RETIRED:
        return
    try:
        if find_rule(rule_id).category:
            raise RequestError(
                f"{rule_id} is a scan rule; its severity can't be changed",
                hint="accept single findings in waivers.yaml: see docs/scan.md",
            )
    except RequestError as err:
        raise ConfigError(f"{POLICY_FILE}: {err.message}", hint=err.hint) from err


@cache
def edition() -> str:
    """Identifies the rules by version and source, as a checkout may be edited."""
    import hashlib

    package = Path(__file__).parents[1]
    schemas = schema_path("skill.schema.json").parent
    rules = (package / "checks/scan").rglob("*.*")
    state = hashlib.sha256(f"{__version__} {sys.version}".encode())
    for path in sorted({*package.rglob("*.py"), *rules, *schemas.glob("*.json")}):
        if path.suffix in _SOURCES:
            about = path.stat()
            state.update(f"{path} {about.st_mtime_ns} {about.st_size}\n".encode())
    return f"{__version__} {state.hexdigest()}"


class Ruleset:
    """The rules of a profile, with the severities that a policy sets."""

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
        """Equal for rulesets that give the same findings for the same skill."""
        import hashlib

        content = f"{edition()} {self.profile} {sorted(self.severities.items())}"
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def _chosen(self, rules: tuple[Rule, ...]) -> list[tuple[Rule, Severity]]:
        return [
            (rule, Severity(self.severities.get(rule.id, rule.severity)))
            for rule in rules
            if self.profile is Profile.PORTABLE or rule.profile is Profile.SPEC
            if self.severities.get(rule.id) != "off"
        ]

    def check(self, skill: Skill) -> list[Finding]:
        """All findings in a skill; paths are relative to its folder."""
        findings: list[Finding] = []
        if not fast_path.files_are_fine(skill):
            _collect(self._on_files, findings, skill)
        doc = skill.document
        if doc is not None:
            # A policy cannot turn off the rules of the parser.
            findings.extend(doc.problems)
            if doc.readable:
                if not fast_path.fields_are_fine(skill, doc):
                    found: list[Finding] = []
                    _collect(self._on_fields, found, skill, doc)
                    findings.extend(self._as_its_client_reads(doc, found))
                if not fast_path.body_is_fine(skill, doc):
                    self._check_body(findings, skill, doc)
        return findings

    def _as_its_client_reads(
        self, doc: Document, findings: list[Finding]
    ) -> Iterator[Finding]:
        """Findings with a lower severity where the client of the skill is lenient."""
        lenient = _LENIENT if client_fields.client_fields(doc) else {}
        for finding in findings:
            if finding.rule in lenient and finding.rule not in self.severities:
                yield replace(finding, severity=lenient[finding.rule])
            else:
                yield finding

    def _check_body(self, findings: list[Finding], skill: Skill, doc: Document) -> None:
        for rule, severity in self._on_body:
            for problem in rule.check(skill, doc):
                if rule.id not in self.severities:
                    severity = _for_author(rule, skill, severity)
                findings.append(rule.finding(problem, severity))


def _for_author(rule: Rule, skill: Skill, severity: Severity) -> Severity:
    """The severity of a rule for the author of a skill: a person or an agent."""
    if rule is quality.sections_required:
        return anti_learning.sections_severity(skill, severity)
    return severity


def _collect(
    rules: list[tuple[Rule, Severity]], findings: list[Finding], *subject: object
) -> None:
    for rule, severity in rules:
        for problem in rule.check(*subject):
            findings.append(rule.finding(problem, severity))  # noqa: PERF401
