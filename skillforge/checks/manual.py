"""The manual of the rules, made from their docstrings."""

from collections.abc import Iterable
from typing import Any

from skillforge.checks.fix import FIXABLE
from skillforge.model import Rule


def entry(rule: Rule) -> dict[str, Any]:
    """A rule as scripts see it."""
    return {
        "id": rule.id,
        "severity": rule.severity.value,
        "profile": rule.profile.value,
        "fixable": rule.id in FIXABLE,
        "summary": rule.summary,
        "page": rule.page,
    }


def page(rule: Rule) -> str:
    """The manual page of one rule."""
    fixable = "; `validate --fix` can mend it" if rule.id in FIXABLE else ""
    head = f"{rule.id}: {rule.severity} in profile {rule.profile}{fixable}"
    return f"{head}\n\n{rule.page}"


def table(rules: Iterable[Rule]) -> str:
    """One line for each rule."""
    rows = list(rules)
    width = max(len(rule.id) for rule in rows)
    lines = [
        f"{rule.id:<{width}}  {rule.severity:<7}  {rule.profile:<8}  {rule.summary}"
        for rule in rows
    ]
    return "\n".join([*lines, "", "skillforge rules ID explains one of them"])
