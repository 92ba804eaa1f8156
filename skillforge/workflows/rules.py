"""The manual of all checks' rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from skillforge.checks import rule_manual
from skillforge.checks.rule_manual import AnyRule

if TYPE_CHECKING:
    from skillforge.render.data.checks import RuleData


@dataclass(frozen=True, slots=True)
class RulePages:
    """Rules as data, and as text for a terminal."""

    rows: "tuple[RuleData, ...]"
    text: str


def list_rules(start: Path | None = None) -> RulePages:
    """Every rule that a finding can name; with those of the library at `start`."""
    rules = rule_manual.every_rule(start)
    return RulePages(tuple(map(_row, rules)), rule_manual.table(rules))


def explain(rule_id: str, start: Path | None = None) -> RulePages:
    """One rule with its page."""
    rule = rule_manual.find(rule_id, start)
    return RulePages((_row(rule),), rule_manual.page(rule))


def summaries() -> Iterator[tuple[str, str]]:
    """The id and summary of each rule."""
    for rule in rule_manual.every_rule():
        yield rule.id, rule.summary


def _row(rule: AnyRule) -> "RuleData":
    return cast("RuleData", rule_manual.entry(rule))
