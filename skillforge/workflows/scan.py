"""Scan skills for attacks, leaks and hidden text."""

from pathlib import Path

from skillforge.checks.scan.scan_run import ScanResults, run_scan
from skillforge.checks.skill_selection import Selection as Selection
from skillforge.model import Danger
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
    """Whether nothing is dangerous; with `strict`, whether everything is safe."""
    if strict:
        return set(results.verdicts.values()) <= {Danger.SAFE}
    return results.ok
