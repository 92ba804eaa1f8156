"""Uses by day, grouped into bins of a readable size, and running totals."""

from collections.abc import Callable, Iterable, Sequence
from datetime import MAXYEAR, date, timedelta
from statistics import median
from typing import Any, NamedTuple

from skillforge.operate.dashboard.number_format import MIN_USES
from skillforge.operate.intervals import wilson

_MAX_BINS = 40
_YEARS = range(1970, min(MAXYEAR, 2200))  # other years come from a wrong clock


class Bin(NamedTuple):
    """Verified uses from `start` until before `end`."""

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
    """A unit of time: the start of the bin that a day is in, and its end."""

    name: str
    days: float  # on average
    start: Callable[[date], date]
    end: Callable[[date], date]

    def label(self, start: date) -> str:
        """A bin as text: `2025-03-03`, `week of 2025-03-03`, `2025-03`."""
        if self.name == "week":
            return f"week of {start}"
        return str(start)[: {"month": 7, "year": 4}.get(self.name, 10)]


def _next_month(start: date) -> date:
    return (start + timedelta(31)).replace(day=1)


DAY = Unit("day", 1, lambda day: day, lambda start: start + timedelta(1))
WEEK = Unit(
    "week",
    7,
    lambda day: day - timedelta(day.weekday()),
    lambda start: start + timedelta(7),
)
MONTH = Unit("month", 30.4, lambda day: day.replace(day=1), _next_month)
YEAR = Unit(
    "year",
    365.25,
    lambda day: day.replace(month=1, day=1),
    lambda start: start.replace(year=start.year + 1),
)
_UNITS = (DAY, WEEK, MONTH, YEAR)


def read_day(text: object) -> date | None:
    """Parse a day; None for anything else, and for years of a wrong clock."""
    try:
        day = date.fromisoformat(str(text)[:10])
    except ValueError:
        return None
    return day if day.year in _YEARS else None


def readable(days: Iterable[Sequence[Any]]) -> list[tuple[date, int, int]]:
    """The rows `[day, successes, failures]` that have a valid day, by date."""
    read = ((read_day(day), good, bad) for day, good, bad in days)
    return sorted(
        (day, good, bad)
        for day, good, bad in read
        if day is not None and good + bad > 0
    )


def bins(rows: Iterable[tuple[date, int, int]], unit: Unit) -> list[Bin]:
    """Sums of rows by unit; units without uses are omitted."""
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
    """The finest unit whose median bin has enough uses; weeks if none has.

    A day with one use has a rate of 0 or 1: a plot of such days is only noise.
    """
    fitting = [unit for unit in _UNITS if _width(rows, unit) <= _MAX_BINS] or [YEAR]
    for unit in fitting:
        totals = [bin_.total for bin_ in bins(rows, unit)]
        if totals and median(totals) >= MIN_USES:
            return unit
    return WEEK if WEEK in fitting else fitting[0]


def _width(rows: Sequence[tuple[date, int, int]], unit: Unit) -> float:
    """Roughly how many bins there are from the first to the last day."""
    return (rows[-1][0] - rows[0][0]).days / unit.days if rows else 0


def running(rows: Iterable[tuple[date, int, int]], unit: Unit) -> list[Bin]:
    """Running totals: all verified uses up to the end of each bin."""
    totals: list[Bin] = []
    good = bad = 0
    for bin_ in bins(rows, unit):
        good, bad = good + bin_.successes, bad + bin_.failures
        totals.append(Bin(bin_.start, bin_.end, good, bad))
    return totals
