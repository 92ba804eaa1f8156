"""Trials as text, as data and as JUnit."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from skillforge.model import Finding, Trial, TrialOutcome
from skillforge.report import finding_text, plural, printable
from skillforge.text import lines_of

_SIGNS = {TrialOutcome.PASSED: "✓", TrialOutcome.NOT_RUN: "-"}
_COLOURS = {
    TrialOutcome.PASSED: "32",
    TrialOutcome.NOT_RUN: "33",
    TrialOutcome.FLAKY: "33",
}


def text(
    trials: Sequence[Trial],
    findings: Sequence[Finding],
    *,
    verbose: bool = False,
    colour: bool = False,
) -> str:
    """For people: a line for each skill, and all that did not pass."""
    lines: list[str] = []
    for skill, group in groupby(trials, key=lambda trial: trial.skill):
        mine = list(group)
        passed = sum(trial.ok for trial in mine)
        lines.append(
            f"{printable(skill)}: {passed} of {plural(len(mine), 'trial')} passed"
        )
        for trial in mine:
            if verbose or not trial.ok:
                lines += _lines(trial, colour)
    lines += [finding_text(finding, colour=colour) for finding in findings]
    return "\n".join([*lines, summary(trials, findings)])


def _lines(trial: Trial, colour: bool) -> list[str]:
    sign = _SIGNS.get(trial.outcome, "✗")
    outcome = f"{sign} {trial.outcome}"
    if colour:
        outcome = f"\x1b[{_COLOURS.get(trial.outcome, '31')}m{outcome}\x1b[0m"
    where = f"{trial.path}:{trial.line}" if not trial.ok else ""
    aside = ", ".join(filter(None, [printable(where), f"{trial.seconds:.2f} s"]))
    first = f"  {outcome}: {printable(trial.case)} ({aside})"
    details = lines_of(trial.detail)
    return [first, *(f"      {printable(line)}" for line in details)]


def summary(trials: Sequence[Trial], findings: Sequence[Finding]) -> str:
    """One line: how many trials, and how they ended."""
    if not trials and not findings:
        return "no cases to try; skills are tested by files in their tests/ folder"
    counts = Counter(trial.outcome for trial in trials)
    ends = [
        f"{counts[outcome]} {outcome}" for outcome in TrialOutcome if counts[outcome]
    ]
    if findings:
        ends.append(plural(len(findings), "finding"))
    return f"{plural(len(trials), 'trial')}: {', '.join(ends)}"


def data(trials: Iterable[Trial]) -> list[dict[str, Any]]:
    """The keys that scripts rely on."""
    return [
        {
            **{k: _clean(v) for k, v in asdict(trial).items() if isinstance(v, str)},
            "seconds": round(trial.seconds, 4),
            "line": trial.line,
        }
        for trial in trials
    ]


def _clean(words: str) -> str:
    return "\n".join(printable(line) for line in words.split("\n"))


def junit(trials: Sequence[Trial], findings: Sequence[Finding]) -> str:
    """A suite for each skill, a test case for each trial."""
    suites = [
        _suite(skill, [_testcase(trial) for trial in group])
        for skill, group in groupby(trials, key=lambda trial: trial.skill)
    ]
    if findings:
        suites.append(_suite("findings", [_finding_case(f) for f in findings]))
    body = "\n".join(suites)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{body}\n</testsuites>'
    )


def markdown(report: str, trials: Sequence[Trial], findings: Sequence[Finding]) -> str:
    """The table of what did not pass, below how many did."""
    _, _, table = report.partition("\n")
    return f"**{summary(trials, findings)}**\n{table}".rstrip()


def _suite(name: str, cases: list[str]) -> str:
    from xml.sax.saxutils import quoteattr

    counts = {
        "tests": len(cases),
        "failures": sum("<failure" in case for case in cases),
        "errors": sum("<error" in case for case in cases),
        "skipped": 0,
    }
    head = " ".join(f'{key}="{count}"' for key, count in counts.items())
    inner = "\n".join(cases)
    return (
        f"<testsuite name={quoteattr(printable(name))} {head}>\n{inner}\n</testsuite>"
    )


def _testcase(trial: Trial) -> str:
    """What did not run is an error: a skipped test would look like a fine one."""
    from xml.sax.saxutils import escape, quoteattr

    where = quoteattr(printable(trial.skill))
    name = quoteattr(printable(trial.case))
    head = f'  <testcase classname={where} name={name} time="{trial.seconds:.3f}"'
    if trial.ok:
        return f"{head}/>"
    kind = "failure" if trial.outcome is TrialOutcome.FAILED else "error"
    said = quoteattr(printable(trial.outcome))
    detail = escape(_clean(trial.detail))
    return f"{head}><{kind} type={said} message={said}>{detail}</{kind}></testcase>"


def _finding_case(finding: Finding) -> str:
    from xml.sax.saxutils import escape, quoteattr

    name = quoteattr(printable(f"{finding.rule} {finding.path}:{finding.line}"))
    said = quoteattr(printable(finding.message))
    words = escape(_clean(finding_text(finding)))
    head = f"  <testcase classname={quoteattr(finding.rule)} name={name}>"
    return f"{head}<failure message={said}>{words}</failure></testcase>"
