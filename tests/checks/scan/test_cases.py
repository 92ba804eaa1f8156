"""Every rule of the scan on its table of cases: tests/cases/<rule>/{good,bad}/<name>.

A case with folders `before` and `after` is a change; all hosts in them are made up.
"""

from pathlib import Path

import pytest

from skillforge.checks.scan import rules, scan
from skillforge.library import read_folder
from skillforge.model import Finding, Rule, Skill
from tests.checks.scan.conftest import Scanner
from tests.conftest import CASES

IDS = [rule.id for rule in rules()]


def read(folder: Path) -> Skill:
    return read_folder(str(folder), "csv-tables", "csv-tables", alone=True)


def found(folder: Path) -> list[Finding]:
    if (folder / "after").is_dir():
        return list(scan(read(folder / "after"), read(folder / "before")).findings)
    return list(scan(read(folder)).findings)


def cases(kind: str) -> list[object]:
    folders = sorted(f for rule in IDS for f in CASES.glob(f"{rule}/{kind}/*"))
    return [pytest.param(f, id=f"{f.parts[-3]}-{f.name}") for f in folders]


@pytest.mark.parametrize("folder", cases("bad"))
def test_bad_case_is_found_with_all_that_a_reviewer_needs(folder: Path) -> None:
    rule = folder.parts[-3]

    mine = [finding for finding in found(folder) if finding.rule == rule]

    assert mine, f"{rule} did not fire"
    assert all(f.line >= 1 and f.hint and f.message and f.category for f in mine)


@pytest.mark.parametrize("folder", cases("good"))
def test_good_case_is_not_found(folder: Path) -> None:
    rule = folder.parts[-3]

    assert rule not in {finding.rule for finding in found(folder)}


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_every_rule_has_two_cases_of_each_kind_and_a_page(rule: Rule) -> None:
    assert len(list(CASES.glob(f"{rule.id}/bad/*"))) >= 2
    assert len(list(CASES.glob(f"{rule.id}/good/*"))) >= 2
    assert rule.summary.endswith((".", ":"))
    assert len(rule.page) > 40


def test_a_tool_that_grants_everything_is_shown(scanned: Scanner) -> None:
    found = scanned(extra="allowed-tools: Read Bash(*)\n").findings

    assert "Bash(*) grants every command" in found[0].hint
