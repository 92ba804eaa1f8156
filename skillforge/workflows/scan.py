"""Scan skills for attacks, leaks and hidden text."""

from pathlib import Path

from skillforge.checks.scan.scan_run import ScanResults, run_scan
from skillforge.checks.skill_selection import Selection as Selection
from skillforge.model import Severity
from skillforge.worker_pool import Progress


def scan(
    start: Path,
    selection: Selection,
    base: str = "",
    progress: Progress | None = None,
) -> ScanResults:
    """Scan skills; `base` is an older version (folder or revision) to compare with."""
    return run_scan(start, selection, base, progress=progress or Progress())


def is_accepted(results: ScanResults, *, strict: bool) -> bool:
    """Whether nothing new is dangerous; with `strict`, whether all of it is safe."""
    report = results.report
    is_safe = not report.count(Severity.WARNING)
    return report.ok and (is_safe or not strict)
