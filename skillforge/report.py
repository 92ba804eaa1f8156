"""Findings and reports as text, JSON, SARIF, GitHub annotations, Markdown and JUnit.

Everything here returns text; only `cli` prints it.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from itertools import groupby
from typing import Any, NotRequired, TypedDict, cast

from skillforge import __version__
from skillforge.model import Finding, Report, Rule, Severity
from skillforge.text import BLANKS

Rules = Mapping[str, Rule]

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_SARIF_LEVELS = {severity: severity.value for severity in Severity}
_GITHUB_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}
_SUPPRESSION = {"kind": "external", "justification": "known: in the baseline"}
_TICKS = re.compile(r"`+")
_SPACES = re.compile(r"(?:[ \t\n]|\r\n)+")
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>=$^])")  # significant in Markdown
# The start of a mention, of a reference to an issue, or of a bare link.
_REFERENCE = re.compile(r"(@|\\#|GH(?=\\-)|:(?=/)|www(?=\\\.))", re.IGNORECASE)
_MARKDOWN_SIGNS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTE: "ℹ️"}


_BLANK = re.compile(f"[{BLANKS}]")


def printable(text: str) -> str:
    """Text that is safe on any terminal: invisible characters are escaped."""
    text = text.encode("utf-8", "backslashreplace").decode()
    if text.isprintable() and (text.isascii() or not _BLANK.search(text)):
        return text
    return "".join(
        c
        if c.isprintable() and not _BLANK.match(c)
        else c.encode("unicode_escape").decode()
        for c in text
    )


def text(report: Report, *, colour: bool = False, notes: bool = False) -> str:
    """The findings for a terminal, and the summary line."""
    shown = [f for f in report.findings if notes or is_news(f)]
    lines = [finding_text(finding, colour=colour) for finding in shown]
    lines.append(summary(report, notes=notes))
    return "\n".join(lines)


def is_news(finding: Finding) -> bool:
    """Whether a finding is shown by default: no note, and not in the baseline."""
    return finding.severity is not Severity.NOTE and not finding.known


def finding_text(finding: Finding, *, colour: bool = False) -> str:
    """One finding for a terminal: place, message and hint."""
    where = printable(f"{finding.path}:{finding.line}")
    where = styled(where, colour, bold=True)
    how_bad = f"known {finding.severity}" if finding.known else finding.severity
    severity = styled(how_bad, colour, fg=_COLOURS[finding.severity])
    rule = styled(f"[{finding.rule}]", colour, dim=True)
    line = f"{where}: {severity}: {printable(finding.message)} {rule}"
    return f"{line}\n    {printable(finding.hint)}" if finding.hint else line


def styled(words: str, colour: bool, **style: Any) -> str:
    """Text in a style of `click.style`, unless colours are off."""
    if not colour:
        return words
    import click

    return click.style(words, **style)


def summary(report: Report, *, notes: bool = True) -> str:
    """One line: how many skills, and how many findings of each severity."""
    counted = f"{plural(len(report.skills), 'skill')} checked"
    counts = {severity: report.count(severity) for severity in Severity}
    totals = ", ".join(plural(n, severity) for severity, n in counts.items() if n)
    if counts[Severity.NOTE] and not notes:
        totals += " (--notes shows notes)"
    return f"{counted}: {totals or 'all good'}{known_count(report)}"


def known_count(report: Report) -> str:
    """The end of a summary: how many findings are in the baseline."""
    count = plural(report.known, "known finding")
    return f"; {count} in the baseline" if report.known else ""


def plural(count: int, noun: str) -> str:
    """A number with its noun, as `1 skill` or `2,000 skills`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


class FindingData(TypedDict):
    """A finding with the keys that scripts rely on."""

    rule: str
    severity: str
    message: str
    path: str
    line: int
    hint: str
    text: NotRequired[str]  # these two of the scan's findings only
    category: NotRequired[str]
    known: NotRequired[bool]  # in the library's baseline: it blocks nothing
    waived: NotRequired[str]  # by whom, until when and why
    was: NotRequired[str]  # the severity before the waiver


def finding_data(finding: Finding) -> FindingData:
    plain = asdict(finding)
    for key in ("text", "category", "known", "waived", "was"):  # few have them
        if not plain[key]:
            del plain[key]
    shown = {
        key: printable(value) if isinstance(value, str) else value
        for key, value in plain.items()
    }
    return cast("FindingData", shown)


def to_json(value: Any) -> str:
    """JSON in ASCII, which every terminal encoding can print."""
    return json.dumps(value, indent=2)


def sarif(report: Report, rules: Rules) -> str:
    """SARIF 2.1.0, as GitHub code scanning reads it."""
    used = sorted({finding.rule for finding in report.findings})
    index = {rule: number for number, rule in enumerate(used)}
    driver = {
        "name": "skillforge",
        "version": __version__,
        "rules": [_sarif_rule(rule, rules) for rule in used],
    }
    results = [_sarif_result(finding, index) for finding in report.findings]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return to_json(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        }
    )


def _sarif_rule(rule_id: str, rules: Rules) -> dict[str, Any]:
    rule = rules.get(rule_id)
    if rule is None:  # the name of a check, which has no manual page
        return {"id": rule_id}
    return {
        "id": rule_id,
        "shortDescription": {"text": rule.summary},
        "help": {"text": rule.page},
        "defaultConfiguration": {"level": _SARIF_LEVELS[rule.severity]},
        "properties": {"tags": ["security", rule.category] if rule.category else []},
    }


def _sarif_result(finding: Finding, index: Mapping[str, int]) -> dict[str, Any]:
    from urllib.parse import quote

    uri = quote(finding.path.encode("utf-8", "surrogateescape"))
    if uri.startswith("/"):
        uri = f"file://{uri}"
    words = f"{finding.message}. {finding.hint}" if finding.hint else finding.message
    return {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": _SARIF_LEVELS[finding.severity],
        "message": {"text": printable(words)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri},
                    "region": {"startLine": finding.line} | _snippet(finding),
                }
            }
        ],
        **({"suppressions": [_SUPPRESSION]} if finding.known else {}),
    }


def _snippet(finding: Finding) -> dict[str, Any]:
    return {"snippet": {"text": printable(finding.text)}} if finding.text else {}


def github(report: Report, _rules: Rules | None = None) -> str:
    """Workflow commands that GitHub shows as annotations on the changed lines."""
    return "\n".join(
        f"::{_GITHUB_LEVELS[Severity.NOTE if f.known else f.severity]} "
        f"file={_property(f.path)},line={f.line},title={_property(f.rule)}::{_message(f)}"
        for f in report.findings
    )


def _message(finding: Finding) -> str:
    words = f"{finding.message}\n{finding.hint}" if finding.hint else finding.message
    words = f"known: {words}" if finding.known else words
    return _escaped("\n".join(printable(line) for line in words.split("\n")))


def _property(words: str) -> str:
    return _escaped(printable(words)).replace(":", "%3A").replace(",", "%2C")


def _escaped(words: str) -> str:
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def markdown(report: Report, _rules: Rules | None = None) -> str:
    """A table for a pull request or a job summary."""
    lines = [f"**{summary(report)}**"]
    if report.findings:
        lines += ["", "| | where | problem | fix |", "| --- | --- | --- | --- |"]
        lines += [_markdown_row(finding) for finding in report.findings]
    return "\n".join(lines)


def _markdown_row(finding: Finding) -> str:
    sign = _MARKDOWN_SIGNS[finding.severity] + (" known" if finding.known else "")
    where = code(f"{finding.path}:{finding.line}")
    what = f"{plain(finding.message)} ({code(finding.rule)})"
    return f"| {sign} | {where} | {what} | {plain(finding.hint)} |"


def code(words: str) -> str:
    """Untrusted text as a Markdown code span that it cannot break out of."""
    shown = printable(_on_one_line(words)).replace("|", "¦") or " "
    ticks = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    return f"{ticks} {shown} {ticks}" if len(ticks) > 1 else f"`{shown}`"


def plain(words: str) -> str:
    """Untrusted text as plain words in a line or a cell of Markdown.

    GitHub turns mentions, issue numbers and links in rendered text into links; an
    invisible comment prevents that.
    """
    shown = _MARKUP.sub(r"\\\1", printable(_on_one_line(words)))
    shown = shown.replace("&", "&amp;").replace("<", "&lt;")
    return _REFERENCE.sub(r"\1<!-- -->", shown)


def _on_one_line(words: str) -> str:
    """Text without line breaks and repeated spaces; unusual white space stays."""
    return " ".join(filter(None, _SPACES.split(words)))


def junit(report: Report, _rules: Rules | None = None) -> str:
    """A test case for each skill: errors are failures, other findings its output."""
    by_skill = _by_skill(report)
    cases = [_junit_case(skill, by_skill.get(skill, [])) for skill in report.skills]
    return junit_suites([("skillforge", cases)])


def junit_suites(suites: Iterable[tuple[str, list[str]]]) -> str:
    """A JUnit file of suites, each with its name and its test cases."""
    parts = [_junit_suite(name, cases) for name, cases in suites]
    body = "\n".join(parts)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{body}\n</testsuites>'
    )


def _junit_suite(name: str, cases: list[str]) -> str:
    failures = sum("<failure" in case for case in cases)
    errors = sum("<error" in case for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    head = f'<testsuite name={attribute(name)} {counts} skipped="0">'
    return "\n".join([head, *cases, "</testsuite>"])


def _by_skill(report: Report) -> dict[str, list[Finding]]:
    """Findings by skill; a report lists them in the order of its skills."""
    skills = set(report.skills)

    def owner(finding: Finding) -> str:
        path = finding.path
        while path and path not in skills:
            path = path.rpartition("/")[0]
        return path

    return {
        skill: list(findings) for skill, findings in groupby(report.findings, key=owner)
    }


def _junit_case(skill: str, findings: Iterable[Finding]) -> str:
    lines = [f"  <testcase classname={attribute('validate')} name={attribute(skill)}>"]
    from xml.sax.saxutils import escape

    rest = []
    for finding in findings:
        words = escape(finding_text(finding))
        if finding.blocks:
            message = attribute(finding.message)
            lines.append(f"    <failure message={message}>{words}</failure>")
        else:
            rest.append(words)
    if rest:
        lines.append("    <system-out>" + "\n".join(rest) + "</system-out>")
    return "\n".join([*lines, "  </testcase>"])


def attribute(words: str) -> str:
    """Untrusted text as a quoted XML attribute."""
    from xml.sax.saxutils import quoteattr

    return quoteattr(printable(words))


FORMATS: dict[str, Callable[[Report, Rules], str]] = {
    "sarif": sarif,
    "github": github,
    "markdown": markdown,
    "junit": junit,
}
