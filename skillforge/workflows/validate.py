"""Check skills against the specification, and fix what has one right answer."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skillforge.checks import skill_selection
from skillforge.checks.skill_selection import Selection as Selection
from skillforge.model import Profile, Report

if TYPE_CHECKING:
    from skillforge.checks.fixes import Fix


@dataclass(frozen=True, slots=True)
class Validation:
    """The findings in skills; `fixes` is None unless fixes were asked for.

    With `is_written`, the files are fixed and the findings are what is left.
    """

    report: Report
    fixes: "tuple[Fix, ...] | None" = None
    is_written: bool = False

    @property
    def ok(self) -> bool:
        return self.report.ok


def validate(
    start: Path,
    selection: Selection,
    profile: Profile | None = None,
    *,
    fix: bool = False,
    write: bool = False,
) -> Validation:
    """Check skills; `fix` also computes fixes, and `write` applies them."""
    fixes = None
    if fix:
        fixes = tuple(skill_selection.fix(start, selection, profile, write=write))
    report = skill_selection.validate(start, selection, profile)
    return Validation(report, fixes, fix and write)
