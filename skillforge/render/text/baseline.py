"""The baseline as text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillforge.model import BASELINE_FILE
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.workflows.baseline import BaselineReport


def report(result: "BaselineReport") -> str:
    """The counts of each skill and rule, what was written, and the totals."""
    lines = [
        f"{printable(row.skill)}: {row.rule}: {_counts(row.known, row.fixed, row.new)}"
        for row in result.rows
    ]
    lines += _written(result)
    totals = f"{plural(result.known, 'known finding')}, {result.fixed:,} fixed since"
    lines.append(f"{totals}, {result.new:,} new" if result.new else totals)
    if result.new:
        lines.append("    fix the new ones, or record them: skillforge baseline --add")
    if result.fixed:
        lines.append("    drop the fixed ones: skillforge baseline --prune")
    return "\n".join(lines)


def _counts(known: int, fixed: int, new: int) -> str:
    counts = {"known": known, "fixed": fixed, "new": new}
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)


def _written(result: "BaselineReport") -> Iterator[str]:
    if result.added or result.is_new:
        yield f"added {plural(result.added, 'finding')} to {BASELINE_FILE}"
    if result.removed:
        yield f"dropped {plural(result.removed, 'finding')} from {BASELINE_FILE}"
    if result.added or result.removed or result.is_new:
        yield "    it takes effect when it is on main: commit it, and have it reviewed"
