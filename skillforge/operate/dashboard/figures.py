"""What a figure consists of: a plot, its caption, its legend and its data."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skillforge.operate.dashboard.plots import Plot, PlotLine, Shape, bin_cells
from skillforge.operate.dashboard.series import Unit

_MAX_ROWS = 100


class Table(NamedTuple):
    """A table whose first column names its rows; `more` rows were cut off."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    more: int


class LegendRow(NamedTuple):
    """A series: its sign, its name and its numbers."""

    key: Sequence[Shape]
    name: str
    cells: Sequence[object]
    title: str = ""
    is_removed: bool = False


class Legend(NamedTuple):
    """A table of series; `more` series were cut off."""

    caption: str
    head: Sequence[str]
    rows: Sequence[LegendRow]
    more: int = 0


class Figure(NamedTuple):
    """A plot with all that belongs to it, or `empty`: why there is no plot."""

    plot: Plot | None = None
    caption: str = ""
    emphasis: str = ""
    legend: Legend | None = None
    table: Table | None = None
    empty: str = ""


def table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    max_rows: int = _MAX_ROWS,
) -> Table:
    all_rows = list(rows)
    return Table(caption, head, all_rows[:max_rows], len(all_rows) - max_rows)


def bin_table(
    caption: str, when: str, what: str, lines: Iterable[PlotLine], unit: Unit
) -> Table:
    """The numbers of lines, bin by bin; `when` and `what` head the first columns."""
    rows = [
        (unit.label(bin_.start), line.name, *bin_cells(bin_))
        for line in lines
        for bin_ in line.bins
    ]
    head = (when, what, "successes", "verified", "success", "95%")
    return table(caption, head, rows)
