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
        "profile": "" if rule.category else rule.profile.value,
        "category": rule.category,
        "fixable": rule.id in FIXABLE,
        "summary": rule.summary,
        "page": rule.page,
    }


def page(rule: Rule) -> str:
    """The manual page of one rule."""
    fixable = "; `validate --fix` can mend it" if rule.id in FIXABLE else ""
    where = f"profile {rule.profile}"
    if rule.category:
        where = f"the security scan, category {rule.category}"
    head = f"{rule.id}: {rule.severity} in {where}{fixable}"
    return f"{head}\n\n{rule.page}"


def table(rules: Iterable[Rule]) -> str:
    """One line for each rule."""
    rows = list(rules)
    width = max(len(rule.id) for rule in rows)
    lines = [
        f"{rule.id:<{width}}  {rule.severity:<7}  "
        f"{rule.category or rule.profile:<12}  {rule.summary}"
        for rule in rows
    ]
    return "\n".join([*lines, "", "skillforge rules ID explains one of them"])
