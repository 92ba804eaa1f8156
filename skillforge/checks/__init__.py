"""A skill in, findings out. Every rule that there is, and which of them apply."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from skillforge import __version__, document
from skillforge.checks import folder, learned, lint, portable, spec
from skillforge.config import POLICY_FILE
from skillforge.errors import ConfigError, RequestError
from skillforge.model import Document, Finding, Profile, Rule, Severity, Skill
from skillforge.text import nearest

_BODY_RULES = frozenset(r.id for r in learned.DOCUMENT_RULES) - {"learned-name"}
_DOCUMENT_RULES = (
    *spec.DOCUMENT_RULES,
    *portable.DOCUMENT_RULES,
    *lint.DOCUMENT_RULES,
    *learned.DOCUMENT_RULES,
)
_FOLDER_RULES = (*spec.FOLDER_RULES, *folder.FOLDER_RULES)


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by id: those that read the file first, in the order they are tried."""
    rules = (*document.rules(), *_FOLDER_RULES, *_DOCUMENT_RULES)
    return {rule.id: rule for rule in rules}


def find_rule(rule_id: str) -> Rule:
    if found := all_rules().get(rule_id):
        return found
    meant = nearest(rule_id, list(all_rules()))
    raise RequestError(
        f"there is no rule {rule_id!r}",
        hint=f"did you mean `{meant}`?" if meant else "`skillforge rules` lists them",
    )


def _refuse_unknown(rule_id: str) -> None:
    try:
        find_rule(rule_id)
    except RequestError as err:
        raise ConfigError(f"{POLICY_FILE}: {err.message}", hint=err.hint) from err


@cache
def _edition() -> str:
    """Which rules these are; in a source checkout they change without a new version."""
    package = Path(__file__).parents[1]
    sources = (*package.glob("checks/*.py"), *package.glob("document/*.py"))
    return f"{__version__} {max(path.stat().st_mtime_ns for path in sources)}"


class Ruleset:
    """The rules of one profile, with the severities that the policy gives them."""

    def __init__(self, profile: Profile, severities: Mapping[str, str]) -> None:
        for rule_id in severities:
            _refuse_unknown(rule_id)
        self.profile = profile
        self.severities = dict(severities)
        self._document = self._chosen(_DOCUMENT_RULES, profile)
        self._folder = self._chosen(_FOLDER_RULES, profile)
        said = f"{_edition()} {profile} {sorted(self.severities.items())}"
        self.fingerprint = hashlib.sha256(said.encode()).hexdigest()[:16]

    def _chosen(
        self, rules: tuple[Rule, ...], profile: Profile
    ) -> list[tuple[Rule, Severity]]:
        return [
            (rule, Severity(self.severities.get(rule.id, rule.severity)))
            for rule in rules
            if profile is Profile.PORTABLE or rule.profile is Profile.SPEC
            if self.severities.get(rule.id) != "off"
        ]

    def check(self, skill: Skill) -> list[Finding]:
        """All that is wrong with a skill; paths are relative to its folder."""
        found: list[Finding] = []
        for rule, severity in self._folder:
            for problem in rule.check(skill):
                found.append(rule.finding(problem, severity))  # noqa: PERF401
        if skill.document is not None:
            found.extend(self._reading(skill.document))
            if skill.document.readable:
                found.extend(self._fields(skill, skill.document))
        return found

    def _reading(self, doc: Document) -> list[Finding]:
        """What the parser found. It cannot be switched off: closed on doubt."""
        return list(doc.problems)

    def _fields(self, skill: Skill, doc: Document) -> list[Finding]:
        found: list[Finding] = []
        for rule, severity in self._document:
            for problem in rule.check(skill, doc):
                if rule.id in _BODY_RULES and rule.id not in self.severities:
                    severity = learned.severity_for(skill, severity)
                found.append(rule.finding(problem, severity))
        return found
