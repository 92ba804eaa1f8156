"""The manual knows every rule that a finding can name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillforge
from skillforge.checks.gate_rules import GateRule, gate_rules
from skillforge.checks.registry import checks
from skillforge.checks.rule_manual import every_rule
from skillforge.model import TrialOutcome
from tests.conftest import Run

PACKAGE = Path(skillforge.__file__).parent


def named_in_code() -> Iterator[str]:
    """The rules that findings are made of with a name instead of a rule."""
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant):
                    yield str(first.value)


def test_every_rule_that_a_finding_names_has_a_page() -> None:
    known = {rule.id for rule in every_rule()}
    trials = {
        f"trial-{outcome}" for outcome in TrialOutcome if outcome != TrialOutcome.PASSED
    }

    assert set(named_in_code()) | trials | {"held-out-copied", "canary"} <= known


@pytest.mark.parametrize("rule", gate_rules().values(), ids=lambda rule: rule.id)
def test_a_rule_of_the_gate_names_its_check_and_says_what_it_asks(
    rule: GateRule,
) -> None:
    assert rule.check in {"paths", *checks()}
    assert rule.summary.endswith(".")


def test_rules_explains_what_only_the_gate_asks(run: Run) -> None:
    assert "check overlap" in run("rules", "overlap").out
    assert "did you mean `overlap`?" in run("rules", "overlapp").err
    assert run("rules", "overlap", "--json").data["rules"][0]["check"] == "overlap"
