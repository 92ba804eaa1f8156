"""Scales of plots: from values and dates to positions, and the ticks of their axes."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from math import ceil, floor, log10
from typing import NamedTuple

LEFT, RIGHT = 46.0, 432.0
_MONTHS = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
_DAY_STEPS = (1, 2, 7, 14)
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200)
_MAX_TICKS = 5


class Scale(NamedTuple):
    """A linear scale."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1)
        return self.start + share * (self.end - self.start)


class Decades(NamedTuple):
    """A logarithmic scale; values outside it are drawn at its ends."""

    lowest: int
    highest: int
    start: float
    end: float

    def __call__(self, value: float) -> float:
        power = log10(value) if value > 0 else self.lowest
        linear = Scale(self.lowest, self.highest, self.start, self.end)
        return linear(min(max(power, self.lowest), self.highest))

    @classmethod
    def around(cls, values: Iterable[float], start: float, end: float) -> "Decades":
        """The powers of ten around the values, between 1e-4 and 1e8."""
        powers = [log10(value) for value in values if 0 < value < float("inf")] or [0]
        lowest = max(floor(min(powers)), -4)
        return cls(lowest, max(min(ceil(max(powers)), 8), lowest + 1), start, end)


class Timeline(NamedTuple):
    """A scale of days."""

    first: date
    last: date
    start: float = LEFT
    end: float = RIGHT

    def __call__(self, day: date) -> float:
        linear = Scale(0, (self.last - self.first).days, self.start, self.end)
        return linear((day - self.first).days)

    def ticks(self) -> list[tuple[date, str]]:
        """About five days with labels, at round distances."""
        for step in _DAY_STEPS:
            if (self.last - self.first).days / step <= _MAX_TICKS:
                return [(day, _day_label(day)) for day in self._days(step)]
        for step in _MONTH_STEPS:
            months = list(self._months(step))
            if len(months) <= _MAX_TICKS:
                break
        return [(day, _month_label(day, step)) for day in months]

    def _days(self, step: int) -> Iterator[date]:
        # Weeks are marked on Mondays.
        day = self.first - timedelta(self.first.weekday() if step >= 7 else 0)
        while day <= self.last:
            if day >= self.first:
                yield day
            day += timedelta(step)

    def _months(self, step: int) -> Iterator[date]:
        month = self.first.year * 12 + self.first.month - 1
        month -= month % step
        while month // 12 <= self.last.year:
            day = date(month // 12, month % 12 + 1, 1)
            if self.first <= day <= self.last:
                yield day
            month += step


def _day_label(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]}"


def _month_label(day: date, step: int) -> str:
    return str(day.year) if step >= 12 or day.month == 1 else _MONTHS[day.month - 1]


def round_ticks(highest: int) -> list[int]:
    """Zero and up to five round, whole values, the last at most `highest`."""
    power = 10 ** (len(str(highest)) - 1)
    steps = [power // 5, power // 2, power, 2 * power, 5 * power]
    fitting = (step for step in steps if step and highest // step <= 5)
    step = next(fitting, 1)
    return [step * at for at in range(max(1, highest // step) + 1)]
