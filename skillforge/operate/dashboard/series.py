"""Days gathered into bins that hold enough to be read, and sums that grow over time."""

from collections.abc import Callable, Iterable, Sequence
from datetime import MAXYEAR, date, timedelta
from statistics import median
from typing import Any, NamedTuple

from skillforge.operate.dashboard.words import FEW
from skillforge.operate.intervals import wilson

_MOST_BINS = 40
_YEARS = range(1970, min(MAXYEAR, 2200))  # what a clock that is only a bit off shows


class Bin(NamedTuple):
    """What was verified from `start` up to, not with, `end`."""

    start: date
    end: date
    successes: int
    failures: int

    @property
    def total(self) -> int:
        return self.successes + self.failures

    @property
    def rate(self) -> float:
        return self.successes / self.total

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.successes, self.total)


class Unit(NamedTuple):
    """A way to cut time: where the bin of a day starts, and where the next one does."""

    name: str
    start: Callable[[date], date]
    end: Callable[[date], date]

    def words(self, start: date) -> str:
        """A bin as people call it: `2025-03-03`, `week of 2025-03-03`, `2025-03`."""
        if self.name == "week":
            return f"week of {start}"
        return str(start)[: {"month": 7, "year": 4}.get(self.name, 10)]


def _next_month(start: date) -> date:
    return (start + timedelta(31)).replace(day=1)


DAY = Unit("day", lambda day: day, lambda start: start + timedelta(1))
WEEK = Unit(
    "week",
    lambda day: day - timedelta(day.weekday()),
    lambda start: start + timedelta(7),
)
MONTH = Unit("month", lambda day: day.replace(day=1), _next_month)
YEAR = Unit(
    "year",
    lambda day: day.replace(month=1, day=1),
    lambda start: start.replace(year=start.year + 1),
)
_UNITS = (DAY, WEEK, MONTH, YEAR)


def read_day(text: object) -> date | None:
    """A day as it was written; None for what is no day, or one no clock would show."""
    try:
        day = date.fromisoformat(str(text)[:10])
    except ValueError:
        return None
    return day if day.year in _YEARS else None


def readable(days: Iterable[Sequence[Any]]) -> list[tuple[date, int, int]]:
    """The rows `[day, successes, failures]` that say when, in the order of time."""
    read = ((read_day(day), good, bad) for day, good, bad in days)
    return sorted(row for row in map(_whole, read) if row and row[1] + row[2] > 0)


def _whole(row: tuple[date | None, int, int]) -> tuple[date, int, int] | None:
    day, good, bad = row
    return None if day is None else (day, good, bad)


def bins(rows: Iterable[tuple[date, int, int]], unit: Unit) -> list[Bin]:
    """Rows added up by the unit they fall into; units without any are left out."""
    sums: dict[date, tuple[int, int]] = {}
    for day, good, bad in rows:
        start = unit.start(day)
        before = sums.get(start, (0, 0))
        sums[start] = (before[0] + good, before[1] + bad)
    return [
        Bin(start, unit.end(start), good, bad)
        for start, (good, bad) in sorted(sums.items())
    ]


def unit_for(rows: Sequence[tuple[date, int, int]]) -> Unit:
    """The finest unit whose usual bin says something; weeks where none does.

    A day with one use has a rate of 0 or 1: a plot of such days shows noise only.
    """
    fitting = [unit for unit in _UNITS if _width(rows, unit) <= _MOST_BINS] or [YEAR]
    for unit in fitting:
        gathered = bins(rows, unit)
        if gathered and median(each.total for each in gathered) >= FEW:
            return unit
    return WEEK if WEEK in fitting else fitting[0]


def _width(rows: Sequence[tuple[date, int, int]], unit: Unit) -> float:
    """About how many bins there are from the first to the last day."""
    if not rows:
        return 0
    length = {"day": 1, "week": 7, "month": 30.4, "year": 365.25}[unit.name]
    return (rows[-1][0] - rows[0][0]).days / length


def running(rows: Iterable[tuple[date, int, int]], unit: Unit) -> list[Bin]:
    """What was verified up to the end of each bin, from the first day on."""
    sums: list[Bin] = []
    for each in bins(rows, unit):
        before = sums[-1] if sums else Bin(each.start, each.end, 0, 0)
        sums.append(
            Bin(
                each.start,
                each.end,
                before.successes + each.successes,
                before.failures + each.failures,
            )
        )
    return sums
