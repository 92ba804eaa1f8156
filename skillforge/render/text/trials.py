"""Trials as text, JUnit and Markdown."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from skillforge.model import Finding, Trial, TrialOutcome
from skillforge.render.data.trials import printable_lines
from skillforge.report import (
    attribute,
    finding_text,
    junit_suites,
    plural,
    printable,
    styled,
)
from skillforge.text import lines_of

_SYMBOLS = {TrialOutcome.PASSED: "✓", TrialOutcome.NOT_RUN: "-"}
_COLOURS = {
    TrialOutcome.PASSED: "green",
    TrialOutcome.NOT_RUN: "yellow",
    TrialOutcome.FLAKY: "yellow",
}


def text(
    trials: Sequence[Trial],
    findings: Sequence[Finding],
    *,
    verbose: bool = False,
    colour: bool = False,
) -> str:
    """A line for each skill, and everything that did not pass."""
    lines: list[str] = []
    for skill, group in groupby(trials, key=lambda trial: trial.skill):
        of_skill = list(group)
        passed = sum(trial.ok for trial in of_skill)
        lines.append(
            f"{printable(skill)}: {passed} of {plural(len(of_skill), 'trial')} passed"
        )
        for trial in of_skill:
            if verbose or not trial.ok:
                lines += _lines(trial, colour)
    lines += [finding_text(finding, colour=colour) for finding in findings]
    return "\n".join([*lines, summary(trials, findings)])


def _lines(trial: Trial, colour: bool) -> list[str]:
    symbol = _SYMBOLS.get(trial.outcome, "✗")
    fg = _COLOURS.get(trial.outcome, "red")
    words = f"known {trial.outcome}" if trial.known else trial.outcome
    outcome = styled(f"{symbol} {words}", colour, fg=fg)
    where = f"{trial.path}:{trial.line}" if not trial.ok else ""
    aside = ", ".join(filter(None, [printable(where), f"{trial.seconds:.2f} s"]))
    first = f"  {outcome}: {printable(trial.case)} ({aside})"
    details = lines_of(trial.detail)
    return [first, *(f"      {printable(line)}" for line in details)]


def summary(trials: Sequence[Trial], findings: Sequence[Finding]) -> str:
    """How many trials ran, and their outcomes, in a line."""
    if not trials and not findings:
        return "no cases found; a skill has its cases in its tests/ folder"
    counts = Counter(trial.outcome for trial in trials)
    outcomes = [
        f"{counts[outcome]} {outcome}" for outcome in TrialOutcome if counts[outcome]
    ]
    if findings:
        outcomes.append(plural(len(findings), "finding"))
    if known := sum(t.known for t in trials) + sum(f.known for f in findings):
        outcomes.append(f"{known} of them in the baseline")
    return f"{plural(len(trials), 'trial')}: {', '.join(outcomes)}"


def junit(trials: Sequence[Trial], findings: Sequence[Finding]) -> str:
    """A suite for each skill, a test case for each trial."""
    suites = [
        (skill, [_testcase(trial) for trial in group])
        for skill, group in groupby(trials, key=lambda trial: trial.skill)
    ]
    if findings:
        suites.append(("findings", [_finding_case(f) for f in findings]))
    return junit_suites(suites)


def markdown(report: str, trials: Sequence[Trial], findings: Sequence[Finding]) -> str:
    """The number of trials, and the table of what did not pass."""
    _, _, table = report.partition("\n")
    return f"**{summary(trials, findings)}**\n{table}".rstrip()


def _testcase(trial: Trial) -> str:
    """A trial that did not run is an error: a skipped test would look like a pass."""
    from xml.sax.saxutils import escape

    names = f"classname={attribute(trial.skill)} name={attribute(trial.case)}"
    head = f'  <testcase {names} time="{trial.seconds:.3f}"'
    if trial.ok:
        return f"{head}/>"
    if trial.known:
        return f'{head}><skipped message="in the baseline"/></testcase>'
    kind = "failure" if trial.outcome is TrialOutcome.FAILED else "error"
    outcome = attribute(trial.outcome)
    detail = escape(printable_lines(trial.detail))
    return (
        f"{head}><{kind} type={outcome} message={outcome}>{detail}</{kind}></testcase>"
    )


def _finding_case(finding: Finding) -> str:
    from xml.sax.saxutils import escape

    name = attribute(f"{finding.rule} {finding.path}:{finding.line}")
    text = escape(printable_lines(finding_text(finding)))
    head = f"  <testcase classname={attribute(finding.rule)} name={name}>"
    failure = f"<failure message={attribute(finding.message)}>{text}</failure>"
    return f"{head}{failure}</testcase>"
