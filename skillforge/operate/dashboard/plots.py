"""The plots: plain numbers in, shapes out. Lengths are in units of the view box."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from skillforge.operate.dashboard import number_format as fmt
from skillforge.operate.dashboard.scales import (
    LEFT,
    RIGHT,
    Decades,
    Scale,
    Timeline,
    round_ticks,
)
from skillforge.operate.dashboard.series import Bin, Unit

_RATES = Scale(0, 1, 142, 12)
_RATE_TICKS = ((0.0, "0"), (0.5, "50%"), (1.0, "100%"))
_BARS = (152.0, 172.0)  # top and bottom of the bars that show numbers of uses
# One outline for each series, so that colour alone never distinguishes two.
_OUTLINES = (
    (
        *((0, -1), (0.7, -0.7), (1, 0), (0.7, 0.7)),
        *((0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7)),
    ),
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.2), (1.2, 0.9), (-1.2, 0.9)),
    ((0, 1.2), (1.2, -0.9), (-1.2, -0.9)),
)
MAX_SERIES = len(_OUTLINES)

Points = Sequence[tuple[float, float]]


class Shape(NamedTuple):
    """An SVG element; `numbers` are its attributes, in the order of its kind."""

    kind: str  # rect: x, y, width, height; line: x1, x2, y1, y2; text: x, y; path
    css: str
    numbers: tuple[str, ...] = ()
    d: str = ""
    text: str = ""
    tip: str = ""


class Plot(NamedTuple):
    """A drawing; its label says in words what it shows."""

    height: int
    label: str
    shapes: Sequence[Shape]
    has_points: bool = True  # that arrow keys can walk through


class PlotLine(NamedTuple):
    """A version or an arm, bin by bin; its number selects its sign and colour."""

    number: int
    name: str
    bins: Sequence[Bin]


class Curve(NamedTuple):
    """One count over the library's life."""

    number: int
    name: str
    points: Sequence[tuple[date, int]]


def length_text(number: float) -> str:
    """A length to a tenth: finer differences can't be seen."""
    return f"{number:.1f}".removesuffix(".0").replace("-0", "0", number == 0)


def _rect(css: str, *numbers: float, tip: str = "") -> Shape:
    return Shape("rect", css, tuple(map(length_text, numbers)), tip=tip)


def _line(css: str, x1: float, x2: float, y1: float, y2: float) -> Shape:
    return Shape("line", css, tuple(map(length_text, (x1, x2, y1, y2))))


def _text(css: str, x: float, y: float, text: str) -> Shape:
    return Shape("text", css, (length_text(x), length_text(y)), text=text)


def _path(css: str, points: Points, *, closed: bool = False, tip: str = "") -> Shape:
    steps = (
        f"{'L' if number else 'M'}{length_text(x)} {length_text(y)}"
        for number, (x, y) in enumerate(points)
    )
    return Shape("path", css, d="".join(steps) + ("Z" if closed else ""), tip=tip)


def _mark(series: int, x: float, y: float, css: str = "", tip: str = "") -> Shape:
    """The sign of a series."""
    outline = [(x + 3.4 * dx, y + 3.4 * dy) for dx, dy in _OUTLINES[series]]
    return _path(f"mark s{series} {css}".strip(), outline, closed=True, tip=tip)


def key(series: int) -> tuple[Shape, ...]:
    """The sign of a series for a legend."""
    return (_line(f"rate s{series}", 1, 25, 7, 7), _mark(series, 13, 7))


def bin_cells(bin_: Bin) -> tuple[str, str, str, str]:
    """Successes, total, rate and interval."""
    rate, interval = fmt.percent(bin_.rate), fmt.interval_text(bin_.interval)
    return f"{bin_.successes:,}", f"{bin_.total:,}", rate, interval


def _bin_mark(line: PlotLine, bin_: Bin, x: float, when: str) -> Shape:
    """The sign of a bin, which is hollow if it has few uses."""
    successes, total, rate, interval = bin_cells(bin_)
    css = "few" if bin_.total < fmt.MIN_USES else ""
    tip = f"{line.name}, {when}: {successes} of {total}, {rate} ({interval})"
    return _mark(line.number, x, _RATES(bin_.rate), css=css, tip=tip)


def _time_axis(time: Timeline, top: float, bottom: float) -> Iterable[Shape]:
    """Labels below `bottom`, each with a line up to `top`."""
    for day, text in time.ticks():
        x = time(day)
        yield _line("grid", x, x, top, bottom + 4)
        is_at_end = x > RIGHT - 14
        at = RIGHT + 6 if is_at_end else x
        yield _text("end" if is_at_end else "middle", at, bottom + 17, text)


def _value_axis(
    scale: Scale, ticks: Sequence[tuple[float, str]], right: float = RIGHT
) -> Iterable[Shape]:
    """Lines across the plot, with their values on the left."""
    for value, text in ticks:
        y = scale(value)
        yield _line("grid", LEFT, right, y, y)
        yield _text("end", LEFT - 7, y + 4, text)


def _timeline(lines: Sequence[PlotLine]) -> Timeline:
    starts = (bin_.start for line in lines for bin_ in line.bins)
    return Timeline(min(starts), max(bin_.end for line in lines for bin_ in line.bins))


def rates(lines: Sequence[PlotLine], unit: Unit, label: str) -> Plot:
    """Success over time: the rate of each bin, its interval, and its number of uses."""
    time = _timeline(lines)
    shapes = [
        *_value_axis(_RATES, _RATE_TICKS),
        *_time_axis(time, 12, 172),
        *(_box(line, bin_, time) for line in lines for bin_ in line.bins),
    ]
    for line in lines:
        # Only neighbours are joined: a gap in use is a gap in the line.
        shapes += [
            _path(f"rate s{line.number}", [_center(a, time), _center(b, time)])
            for a, b in pairwise(line.bins)
            if a.end == b.start
        ]
    shapes += [
        _bin_mark(line, bin_, _center(bin_, time)[0], unit.label(bin_.start))
        for line in lines
        for bin_ in line.bins
    ]
    return Plot(194, label, [*shapes, *_use_bars(lines, time)])


def _box(line: PlotLine, bin_: Bin, time: Timeline) -> Shape:
    low, high = (_RATES(bound) for bound in bin_.interval)
    left, right = time(bin_.start), time(bin_.end)
    css = f"band s{line.number}"
    return _rect(css, left, high, max(right - left, 1.5), low - high)


def _center(bin_: Bin, time: Timeline) -> tuple[float, float]:
    return (time(bin_.start) + time(bin_.end)) / 2, _RATES(bin_.rate)


def _use_bars(lines: Sequence[PlotLine], time: Timeline) -> Iterable[Shape]:
    """The number of verified uses in each bin, of all versions together."""
    totals: dict[tuple[date, date], int] = {}
    for line in lines:
        for bin_ in line.bins:
            span = (bin_.start, bin_.end)
            totals[span] = totals.get(span, 0) + bin_.total
    most = max(totals.values())
    top, bottom = _BARS
    height = Scale(0, most, 0, bottom - top)
    for (start, end), total in totals.items():
        width = max(time(end) - time(start) - 1, 1.0)
        high = height(total)
        yield _rect("uses", time(start) + 0.5, bottom - high, width, high)
    yield _text("end faint", LEFT - 7, bottom - 4, f"n ≤ {most:,}")


def running_rates(lines: Sequence[PlotLine], unit: Unit, label: str) -> Plot:
    """Two arms since the start: the rate of all uses so far, with its interval."""
    time = _timeline(lines)
    steps = [(line, _steps(line, time.last)) for line in lines]
    shapes = [*_value_axis(_RATES, _RATE_TICKS), *_time_axis(time, 12, 150)]
    for line, points in steps:
        upper = [(time(day), _RATES(bin_.interval[1])) for day, bin_ in points]
        lower = [(time(day), _RATES(bin_.interval[0])) for day, bin_ in points[::-1]]
        shapes.append(_path(f"band s{line.number}", upper + lower, closed=True))
    for line, points in steps:
        middle = [(time(day), _RATES(bin_.rate)) for day, bin_ in points]
        shapes.append(_path(f"rate s{line.number}", middle))
    shapes += [
        _bin_mark(line, bin_, time(bin_.start), f"up to {unit.label(bin_.start)}")
        for line in lines
        for bin_ in line.bins
    ]
    return Plot(172, label, shapes)


def _steps(line: PlotLine, last: date) -> list[tuple[date, Bin]]:
    """Both ends of each step: a total stays the same until the next use."""
    nexts = [*(bin_.start for bin_ in line.bins[1:]), last]
    return [
        (day, bin_)
        for bin_, until in zip(line.bins, nexts, strict=True)
        for day in (bin_.start, until)
    ]


def wealth(now: float, threshold: float, label: str) -> Plot:
    """The evidence so far and the threshold that decides, on a log scale."""
    scale = Decades.around((0.1, 1, threshold * 2, now), 12, 428)
    powers = range(scale.lowest, scale.highest + 1)
    step = -(-len(powers) // 6)
    x, limit = scale(now), scale(threshold)
    shapes = [
        _rect("beyond", limit, 20, 428 - limit, 14),
        _line("axis", 12, 428, 34, 34),
    ]
    for power in powers:
        if power % step == 0:
            at = scale(10.0**power)
            side = {scale.lowest: "start", scale.highest: "end"}.get(power, "middle")
            shapes.append(_line("axis", at, at, 34, 38))
            shapes.append(_text(side, at, 52, fmt.factor(10.0**power)))
    shapes += [
        _rect("wealth", 12, 24, x - 12, 6),
        _line("limit", limit, limit, 16, 38),
        _text(
            "end" if limit > 330 else "middle",
            min(limit, 428.0),
            11,
            f"decides at {fmt.factor(threshold)}",
        ),
        _mark(1, x, 27, tip=label),
    ]
    return Plot(62, label, shapes, has_points=False)


def growth(curves: Sequence[Curve], label: str) -> Plot:
    """Counts over time, with name and last value beside each curve."""
    first = min(curve.points[0][0] for curve in curves)
    last = max(curve.points[-1][0] for curve in curves) + timedelta(1)
    most = max(1, *(value for curve in curves for _, value in curve.points))
    time, height = Timeline(first, last, LEFT, 330), Scale(0, most, 172, 12)
    ticks = [(value, fmt.count(value)) for value in round_ticks(most)]
    shapes = [*_value_axis(height, ticks, 330), *_time_axis(time, 12, 180)]
    for curve in curves:
        points: list[tuple[float, float]] = []
        for (day, value), (until, _) in pairwise([*curve.points, (last, 0)]):
            points += [(time(day), height(value)), (time(until), height(value))]
        shapes.append(_path(f"rate s{curve.number}", points))
        shapes += [
            _mark(
                curve.number,
                time(day),
                height(value),
                css="quiet",
                tip=f"{day}: {value:,} {curve.name}",
            )
            for day, value in curve.points
        ]
    return Plot(204, label, [*shapes, *_end_labels(curves, height)])


def _end_labels(curves: Sequence[Curve], height: Scale) -> Iterable[Shape]:
    """The last value and name of each curve, moved apart if they would overlap."""
    above = -99.0
    for curve in sorted(curves, key=lambda curve: -curve.points[-1][1]):
        value = curve.points[-1][1]
        above = max(height(value), above + 15)
        yield _mark(curve.number, 340, above)
        yield _text("start", 349, above + 4, f"{value:,} {curve.name}")


def parts(counts: Mapping[str, int], label: str) -> Plot:
    """A whole divided into parts, each with its own pattern."""
    total = sum(counts.values()) or 1
    shapes, x = [], 4.0
    for name, number in counts.items():
        width = 432 * number / total
        if number:
            tip = f"{number:,} {name}"
            shapes.append(_rect(f"part {name}", x, 4, width, 20, tip=tip))
        x += width
    return Plot(28, label, shapes, has_points=False)
