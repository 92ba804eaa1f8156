"""Results of checks as text: validate, test, all of them."""

from typing import TYPE_CHECKING

from skillforge import report as reports
from skillforge.render.text import scan, trials
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.workflows.check import FullCheck
    from skillforge.workflows.test import TestResults
    from skillforge.workflows.validate import Validation


def validation(
    result: "Validation", *, colour: bool = False, notes: bool = False
) -> str:
    """The findings, after the diffs of files that were or can be fixed."""
    report = reports.text(result.report, colour=colour, notes=notes)
    if result.fixes is None:
        return report
    diffs = [line for fix in result.fixes for line in fix.diff.split("\n")]
    done = "fixed" if result.is_written else "can be fixed; --fix --write does it"
    count = plural(len(result.fixes), "file")
    return "\n".join([*map(printable, diffs), f"{count} {done}", report])


def case_results(
    result: "TestResults", *, verbose: bool = False, colour: bool = False
) -> str:
    text = trials.text(result.trials, result.findings, verbose=verbose, colour=colour)
    if not result.remembered:
        return text
    count = plural(result.remembered, "skill")
    return f"{text} ({count} unchanged since the last run; --no-cache runs all)"


def all_checks(result: "FullCheck", *, colour: bool = False) -> str:
    results = result.scan
    text = scan.text(result.report, results.verdicts, results.known, colour=colour)
    return f"{text}\n{trials.summary(result.tests.trials, result.tests.findings)}"
