"""Every rule that a finding can name, with its manual page."""

from collections.abc import Iterator
from itertools import groupby

from skillforge.checks.fixes import FIXABLE
from skillforge.checks.gate_rules import GateRule
from skillforge.checks.rule_manual import AnyRule, check_of, every_rule
from tests.docs.reference.markdown import code, document, table

_LEAD = """\
All rules of `skillforge rules`. An error blocks promotion, a warning is for the
reviewer, a note is only information. The policy key `rules` changes the severity of a
`validate` rule; findings of the scan are waived one by one ([scan.md](../scan.md))."""
_TITLES = {
    "validate": "validate",
    "scan": "scan",
    "gate": "Only at the gate",
}


def render() -> str:
    all_rules = every_rule()
    parts = []
    for title, found in groupby(all_rules, _part):
        rules = list(found)
        parts += [f"## {_TITLES[title]}", _table(rules)]
        parts.extend(words for rule in rules for words in _page(rule))
    return document("Rules", _LEAD, parts)


def _part(rule: AnyRule) -> str:
    return "gate" if isinstance(rule, GateRule) else check_of(rule)


def _table(rules: list[AnyRule]) -> str:
    head = ("rule", "severity", _kind_title(rules[0]), "requirement")
    return table(
        head,
        ((f"[{r.id}](#{r.id})", r.severity, _kind(r), _safe(r.summary)) for r in rules),
    )


def _kind_title(rule: AnyRule) -> str:
    return {"validate": "profile", "scan": "category", "gate": "check"}[_part(rule)]


def _kind(rule: AnyRule) -> str:
    if isinstance(rule, GateRule):
        return rule.check
    fixable = ", `--fix` fixes it" if rule.id in FIXABLE else ""
    return (rule.category or rule.profile) + fixable


def _page(rule: AnyRule) -> Iterator[str]:
    yield f"### {rule.id}"
    where = f"{_kind_title(rule)} {_kind(rule)}"
    yield f"{rule.severity}; {where}; {code(f'skillforge rules {rule.id}')}"
    yield _safe(rule.page)


def _safe(text: str) -> str:
    """The text of a docstring with `<` escaped."""
    return text.replace("<", "&lt;")
