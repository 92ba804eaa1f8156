"""The manual of the rules, from their docstrings and rule packs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from skillforge import checks
from skillforge.checks.fixes import FIXABLE
from skillforge.checks.gate_rules import GateRule, gate_rules
from skillforge.checks.scan.scan_run import library_packs
from skillforge.library import Library
from skillforge.model import Rule

AnyRule = Rule | GateRule


def every_rule(start: Path | None = None) -> list[AnyRule]:
    """Every rule that a finding can name, including those of the library at `start`."""
    return [
        *checks.all_rules().values(),
        *gate_rules().values(),
        *_library_rules(start),
    ]


def find(rule_id: str, start: Path | None = None) -> AnyRule:
    """One rule; the error for an unknown one names a similar rule."""
    for rule in _library_rules(start if "/" in rule_id else None):
        if rule.id == rule_id:
            return rule
    return gate_rules().get(rule_id) or checks.find_rule(rule_id)


def _library_rules(start: Path | None) -> list[Rule]:
    library = Library.find(start) if start else None
    if library is None:
        return []
    revision = "HEAD" if library.repo and library.repo.is_bare else None
    packs = library_packs(library, library.policy(revision), revision)
    return [rule for pack in packs for rule in pack.rules]


def entry(rule: AnyRule) -> dict[str, Any]:
    """A rule as scripts see it."""
    profile, category = "", ""
    if isinstance(rule, Rule):
        category = rule.category
        profile = "" if category else rule.profile.value
    return {
        "id": rule.id,
        "severity": rule.severity.value,
        "profile": profile,
        "category": category,
        "check": check_of(rule),
        "fixable": rule.id in FIXABLE,
        "summary": rule.summary,
        "page": rule.page,
    }


def check_of(rule: AnyRule) -> str:
    """The check of the gate that a rule belongs to."""
    if isinstance(rule, GateRule):
        return rule.check
    return "scan" if rule.category else "validate"


def page(rule: AnyRule) -> str:
    """The manual page of one rule."""
    return f"{rule.id}: {rule.severity} in {_where(rule)}\n\n{rule.page}"


def _where(rule: AnyRule) -> str:
    if isinstance(rule, GateRule):
        return f"the gate, check {rule.check}"
    if rule.category:
        return f"the security scan, category {rule.category}"
    fixable = "; `validate --fix` can fix it" if rule.id in FIXABLE else ""
    return f"profile {rule.profile}{fixable}"


def table(rules: Iterable[AnyRule]) -> str:
    """A line for each rule."""
    rows = list(rules)
    width = max(len(rule.id) for rule in rows)
    lines = [
        f"{rule.id:<{width}}  {rule.severity:<7}  {_kind(rule):<14}  {rule.summary}"
        for rule in rows
    ]
    return "\n".join([*lines, "", "skillforge rules ID explains one of them"])


def _kind(rule: AnyRule) -> str:
    if isinstance(rule, GateRule):
        return f"gate: {rule.check}"
    return rule.category or rule.profile
