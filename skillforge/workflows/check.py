"""Validate, scan and test skills in one run: all that the gate does."""

from dataclasses import dataclass, replace
from pathlib import Path

from skillforge.checks.cases.case_check import trial_findings
from skillforge.checks.cases.case_run import TestOptions, TestResults
from skillforge.checks.scan.scan_run import ScanResults
from skillforge.checks.skill_selection import Selection as Selection
from skillforge.model import Report
from skillforge.worker_pool import Progress
from skillforge.workflows.scan import scan
from skillforge.workflows.test import run_cases
from skillforge.workflows.validate import Validation, validate


@dataclass(frozen=True, slots=True)
class FullCheck:
    """The results of all three checks."""

    validation: Validation
    scan: ScanResults
    tests: TestResults

    @property
    def ok(self) -> bool:
        return self.validation.ok and self.scan.ok and self.tests.ok

    @property
    def report(self) -> Report:
        """All findings; a trial that failed is one of them."""
        tests = self.tests
        failed = (
            replace(finding, known=trial.known).under(tests.paths[trial.skill])
            for trial in tests.trials
            for finding in trial_findings([trial])
        )
        validated = self.validation.report
        findings = (*validated.findings, *self.scan.report.findings)
        return Report((*findings, *failed, *tests.findings), validated.skills)


def check(
    start: Path,
    selection: Selection,
    progress: Progress | None = None,
    *,
    use_cache: bool = True,
) -> FullCheck:
    """Run all checks on skills; without `use_cache`, passed cases run again."""
    return FullCheck(
        validate(start, selection),
        scan(start, selection, progress=progress),
        run_cases(start, selection, TestOptions(use_cache=use_cache), progress),
    )
