"""The paper of every plot: scales, axes, marks. Lengths are in the units of its box."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from math import ceil, floor, log10
from typing import NamedTuple

from skillforge.operate.dashboard.markup import EMPTY, Html, join, short, tag

WIDTH = 440.0
LEFT, RIGHT = 46.0, 432.0
_MONTHS = [
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
]
_DAY_STEPS = (1, 2, 7, 14)
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200)
_MOST_TICKS = 5


class Scale(NamedTuple):
    """A straight way from values to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1)
        return self.start + share * (self.end - self.start)


class Decades(NamedTuple):
    """A logarithmic way from values to places; what lies outside stays at the edge."""

    lowest: int
    highest: int
    start: float
    end: float

    def __call__(self, value: float) -> float:
        power = log10(value) if value > 0 else self.lowest
        straight = Scale(self.lowest, self.highest, self.start, self.end)
        return straight(min(max(power, self.lowest), self.highest))

    @classmethod
    def around(cls, values: Iterable[float], start: float, end: float) -> "Decades":
        """Whole powers of ten that hold the values, within what is worth showing."""
        powers = [log10(value) for value in values if 0 < value < float("inf")] or [0]
        lowest = max(floor(min(powers)), -4)
        return cls(lowest, max(min(ceil(max(powers)), 8), lowest + 1), start, end)


class Timeline(NamedTuple):
    """From days to places, with the days worth a label."""

    first: date
    last: date
    start: float = LEFT
    end: float = RIGHT

    def __call__(self, day: date) -> float:
        straight = Scale(0, (self.last - self.first).days, self.start, self.end)
        return straight((day - self.first).days)

    def ticks(self) -> list[tuple[date, str]]:
        """At most five days with their labels, as round as they can be."""
        for step in _DAY_STEPS:
            if (self.last - self.first).days / step <= _MOST_TICKS:
                return [(day, _day_label(day)) for day in self._every(step)]
        for step in _MONTH_STEPS:
            months = list(self._every_months(step))
            if len(months) <= _MOST_TICKS:
                break
        return [(day, _month_label(day, step)) for day in months]

    def _every(self, step: int) -> Iterator[date]:
        # From a Monday on, so that weeks are marked where they begin.
        day = self.first - timedelta(self.first.weekday() if step >= 7 else 0)
        while day <= self.last:
            if day >= self.first:
                yield day
            day += timedelta(step)

    def _every_months(self, step: int) -> Iterator[date]:
        at = self.first.year * 12 + self.first.month - 1
        at -= at % step
        while (year_month := divmod(at, 12)) and year_month[0] <= self.last.year:
            day = date(year_month[0], year_month[1] + 1, 1)
            if self.first <= day <= self.last:
                yield day
            at += step


def _day_label(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]}"


def _month_label(day: date, step: int) -> str:
    return str(day.year) if step >= 12 or day.month == 1 else _MONTHS[day.month - 1]


def drawing(height: float, label: str, *inside: object, walks: bool = True) -> Html:
    """One plot. Its label says in words what it shows; its data stands below it."""
    return tag(
        "svg",
        *inside,
        class_="plot",
        viewBox=f"0 0 {short(WIDTH)} {short(height)}",
        role="img",
        aria_label=label,
        data_walk=walks,
    )


def time_axis(line: Timeline, top: float, bottom: float) -> Html:
    """Labels below `bottom`, with a hairline up to `top` for each."""
    return join(
        *(_time_tick(line(day), text, top, bottom) for day, text in line.ticks())
    )


def _time_tick(x: float, text: str, top: float, bottom: float) -> Html:
    near_end = x > RIGHT - 14
    return join(
        tag("line", class_="grid", x1=x, x2=x, y1=top, y2=bottom + 4),
        tag(
            "text",
            text,
            class_="middle" if not near_end else "end",
            x=x if not near_end else RIGHT + 6,
            y=bottom + 17,
        ),
    )


def value_axis(scale: Scale, ticks: Sequence[tuple[float, str]]) -> Html:
    """Hairlines across the plot, with their values on the left."""
    return join(*(_value_tick(scale(value), text) for value, text in ticks))


def _value_tick(y: float, text: str) -> Html:
    return join(
        tag("line", class_="grid", x1=LEFT, x2=RIGHT, y1=y, y2=y),
        tag("text", text, class_="end", x=LEFT - 7, y=y + 4),
    )


def round_ticks(highest: int) -> list[int]:
    """Zero and up to five round, whole values, the last at most `highest`."""
    power = 10 ** (len(str(highest)) - 1)
    steps = [power // 5, power // 2, power, 2 * power, 5 * power]
    fitting = (step for step in steps if step and highest // step <= 5)
    step = next(fitting, 1)
    return [step * at for at in range(max(1, highest // step) + 1)]


def path(points: Sequence[tuple[float, float]], *, closed: bool = False) -> Html:
    """A line through points, as the `d` of a path."""
    steps = (
        f"{'L' if number else 'M'}{short(x)} {short(y)}"
        for number, (x, y) in enumerate(points)
    )
    return Html("".join(steps) + ("Z" if closed else ""))


# One shape for each series: colour alone never tells two apart.
_SHAPES = (
    (
        (0, -1),
        (0.7, -0.7),
        (1, 0),
        (0.7, 0.7),
        (0, 1),
        (-0.7, 0.7),
        (-1, 0),
        (-0.7, -0.7),
    ),
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.2), (1.2, 0.9), (-1.2, 0.9)),
    ((0, 1.2), (1.2, -0.9), (-1.2, -0.9)),
)
MOST_SERIES = len(_SHAPES)


def mark(series: int, x: float, y: float, *, class_: str = "", tip: str = "") -> Html:
    """The sign of a series at a place, with what to say about it."""
    outline = [(x + 3.4 * dx, y + 3.4 * dy) for dx, dy in _SHAPES[series]]
    return tag(
        "path",
        class_=f"mark s{series} {class_}".strip(),
        d=path(outline, closed=True),
        data_tip=tip or None,
    )


def key(series: int) -> Html:
    """The sign of a series as it stands in a legend."""
    return tag(
        "svg",
        tag("line", class_=f"rate s{series}", x1=1.0, x2=25.0, y1=7.0, y2=7.0),
        mark(series, 13.0, 7.0),
        class_="key",
        viewBox="0 0 26 14",
        aria_hidden="true",
    )


def nothing(words: str) -> Html:
    """What stands where a plot would be."""
    return tag("p", words, class_="thin") if words else EMPTY
