"""The manual of the rules, made from their docstrings."""

from collections.abc import Iterable
from typing import Any

from skillforge import checks
from skillforge.checks.fixes import FIXABLE
from skillforge.checks.gate_rules import GateRule, gate_rules
from skillforge.model import Rule

AnyRule = Rule | GateRule


def every_rule() -> list[AnyRule]:
    """All that a finding can name: rules of one skill, then those of the gate."""
    return [*checks.all_rules().values(), *gate_rules().values()]


def find(rule_id: str) -> AnyRule:
    return gate_rules().get(rule_id) or checks.find_rule(rule_id)


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
    """Which check of the gate asks for it."""
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
    fixable = "; `validate --fix` can mend it" if rule.id in FIXABLE else ""
    return f"profile {rule.profile}{fixable}"


def table(rules: Iterable[AnyRule]) -> str:
    """One line for each rule."""
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
