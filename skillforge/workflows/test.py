"""Run the cases of skills in a sandbox."""

from pathlib import Path

from skillforge import sandbox
from skillforge.checks.cases.case_run import TestOptions as TestOptions
from skillforge.checks.cases.case_run import TestResults as TestResults
from skillforge.checks.cases.case_run import read_shard as read_shard
from skillforge.checks.cases.case_run import run_tests
from skillforge.checks.skill_selection import Selection as Selection
from skillforge.worker_pool import Progress


def run_cases(
    start: Path,
    selection: Selection,
    options: TestOptions | None = None,
    progress: Progress | None = None,
) -> TestResults:
    """Run the cases of skills, or take the cached results of what passed before."""
    options, progress = options or TestOptions(), progress or Progress()
    return run_tests(start, selection, options, progress)


def sandbox_problem() -> str:
    """Why no sandbox works on this machine; empty if one does."""
    box, problem = sandbox.choose()
    return "" if box else problem
