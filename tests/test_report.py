"""Every format says the same, and hostile text stays text in all of them."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
from sarif_pydantic import Sarif

from skillforge import report
from skillforge.checks import all_rules
from skillforge.model import Finding, Report, Severity
from skillforge.render.data import checks

HOSTILE = 'a|b <script> & "q" @everyone %0A\r\n::error::x \x1b[31m \udcff ]]>'
FINDINGS = (
    Finding("name-length", Severity.ERROR, HOSTILE, "skills/a b/SKILL.md", 3, HOSTILE),
    Finding(
        "body-length", Severity.WARNING, "too long", "skills/a b/SKILL.md", 9, "cut"
    ),
    Finding("field-client", Severity.NOTE, "noted", "skills/c/SKILL.md", 2),
)
REPORT = Report(FINDINGS, ("skills/a b", "skills/c", "skills/fine"))
EMPTY = Report((), ("skills/fine",))


def render(name: str, what: Report = REPORT) -> str:
    return report.FORMATS[name](what, all_rules())


def test_text_has_file_line_severity_rule_and_hint() -> None:
    lines = report.text(REPORT).split("\n")

    assert lines[0].startswith("skills/a b/SKILL.md:3: error: ")
    assert lines[0].endswith("[name-length]")
    assert lines[1].startswith("    ")
    assert lines[-1] == (
        "3 skills checked: 1 error, 1 warning, 1 note (--notes shows notes)"
    )


def test_text_shows_notes_when_asked() -> None:
    assert "noted" not in report.text(REPORT)
    assert "noted" in report.text(REPORT, notes=True)


def test_text_passes_no_control_characters_on() -> None:
    assert "\x1b" not in report.text(REPORT)
    assert "\x1b[31m" in report.text(REPORT, colour=True)
    report.text(REPORT).encode("utf-8")


def test_sarif_is_valid() -> None:
    given = json.loads(render("sarif"))

    read = Sarif.model_validate(given)

    written = json.loads(read.model_dump_json(by_alias=True, exclude_none=True))
    assert _covers(written, given), "a key that SARIF does not know"
    assert [r.level for r in read.runs[0].results or []] == ["error", "warning", "note"]


def _covers(written: object, given: object) -> bool:
    """Whether everything in `given` survived being read as SARIF."""
    if isinstance(given, dict):
        return isinstance(written, dict) and all(
            _covers(written.get(key, written.get(key.strip("$"))), value)
            for key, value in given.items()
        )
    if isinstance(given, list):
        return isinstance(written, list) and all(map(_covers, written, given))
    return written == given


def test_sarif_points_to_its_rules() -> None:
    [run] = json.loads(render("sarif"))["runs"]

    for result in run["results"]:
        assert (
            run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"]
            == result["ruleId"]
        )


def test_sarif_paths_are_uris() -> None:
    outside = Report(
        (Finding("name-length", Severity.ERROR, "x", "/tmp/ü b/SKILL.md"),)
    )
    [run] = json.loads(render("sarif", outside))["runs"]
    location = run["results"][0]["locations"][0]["physicalLocation"]

    assert location["artifactLocation"]["uri"] == "file:///tmp/%C3%BC%20b/SKILL.md"


def test_github_has_one_command_for_each_finding() -> None:
    lines = render("github").split("\n")

    assert len(lines) == 3
    pattern = r"::(error|warning|notice) file=[^:]+,line=\d+,title=[^:,]+::.*"
    assert all(re.fullmatch(pattern, line) for line in lines)
    assert lines[2].startswith("::notice file=skills/c/SKILL.md,line=2,")


def test_markdown_is_one_table_for_any_text() -> None:
    rows = [line for line in render("markdown").split("\n") if line.startswith("| ")]

    assert len(rows) == 5
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert "<script>" not in render("markdown")
    assert "@everyone" not in render("markdown")


def test_junit_has_a_case_for_each_skill() -> None:
    root = ET.fromstring(render("junit"))

    assert [case.get("name") for case in root.iter("testcase")] == list(REPORT.skills)
    assert [suite.get("failures") for suite in root.iter("testsuite")] == ["1"]
    assert len(list(root.iter("failure"))) == 1


@pytest.mark.parametrize("name", report.FORMATS)
def test_every_format_has_an_empty_report(name: str) -> None:
    assert isinstance(render(name, EMPTY), str)


def test_json_data_has_the_promised_keys() -> None:
    data = json.loads(report.to_json(checks.report(REPORT)))

    assert data["skills"] == 3
    keys = {"rule", "severity", "message", "path", "line", "hint"}
    assert all(set(finding) == keys for finding in data["findings"])
