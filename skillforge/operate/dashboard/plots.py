"""The plots: plain numbers in, one drawing out."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from skillforge.operate.dashboard import words
from skillforge.operate.dashboard.canvas import (
    LEFT,
    Decades,
    Scale,
    Timeline,
    drawing,
    mark,
    path,
    round_ticks,
    time_axis,
    value_axis,
)
from skillforge.operate.dashboard.markup import Html, join, tag
from skillforge.operate.dashboard.series import Bin, Unit

_RATES = Scale(0, 1, 142, 12)
_RATE_TICKS = ((0.0, "0"), (0.5, "50 %"), (1.0, "100 %"))
_STRIP = (152.0, 172.0)  # where the numbers of uses stand as bars


class PlotLine(NamedTuple):
    """What one version or arm did, bin by bin. Its number is its sign and colour."""

    number: int
    name: str
    bins: Sequence[Bin]


def says(each: Bin) -> str:
    """What a bin holds, in numbers: successes, total, rate, interval."""
    rate, sure = words.percent(each.rate), words.between(each.interval)
    return f"{each.successes:,} of {each.total:,}, {rate} ({sure})"


def rates(lines: Sequence[PlotLine], unit: Unit, label: str) -> Html:
    """Success over time: each bin's rate, its interval as a box, how many it has."""
    every = [each for line in lines for each in line.bins]
    time = Timeline(min(b.start for b in every), max(b.end for b in every))
    return drawing(
        194,
        label,
        value_axis(_RATES, _RATE_TICKS),
        time_axis(time, 12, 172),
        *(_boxes(line, time) for line in lines),
        *(_rate_line(line, time) for line in lines),
        *(_marks(line, time, unit) for line in lines),
        _strip(every, time),
    )


def _boxes(line: PlotLine, time: Timeline) -> Html:
    return join(*(_box(line.number, each, time) for each in line.bins))


def _box(number: int, each: Bin, time: Timeline) -> Html:
    low, high = (_RATES(bound) for bound in each.interval)
    left, right = time(each.start), time(each.end)
    return tag(
        "rect",
        class_=f"band s{number}",
        x=left,
        y=high,
        width=max(right - left, 1.5),
        height=low - high,
    )


def _rate_line(line: PlotLine, time: Timeline) -> Html:
    """A line between neighbours only: where nothing was used, nothing is drawn."""
    shown = [
        tag("path", class_=f"rate s{line.number}", d=path([_at(a, time), _at(b, time)]))
        for a, b in pairwise(line.bins)
        if a.end == b.start
    ]
    return join(*shown)


def _at(each: Bin, time: Timeline) -> tuple[float, float]:
    return (time(each.start) + time(each.end)) / 2, _RATES(each.rate)


def _marks(line: PlotLine, time: Timeline, unit: Unit) -> Html:
    return join(
        *(
            mark(
                line.number,
                *_at(each, time),
                class_="few" if each.total < words.FEW else "",
                tip=f"{line.name}, {unit.words(each.start)}: {says(each)}",
            )
            for each in line.bins
        )
    )


def _strip(every: Iterable[Bin], time: Timeline) -> Html:
    """How many verified uses each bin has, of all versions together."""
    totals: dict[tuple[date, date], int] = {}
    for each in every:
        totals[each.start, each.end] = (
            totals.get((each.start, each.end), 0) + each.total
        )
    most = max(totals.values())
    height = Scale(0, most, _STRIP[1], _STRIP[0])
    bars = (
        tag(
            "rect",
            class_="uses",
            x=time(start) + 0.5,
            y=height(total),
            width=max(time(end) - time(start) - 1, 1.0),
            height=_STRIP[1] - height(total),
        )
        for (start, end), total in totals.items()
    )
    most_words = tag(
        "text", f"n ≤ {most:,}", class_="end faint", x=LEFT - 7, y=_STRIP[1] - 4
    )
    return join(*bars, most_words)


def running_rates(lines: Sequence[PlotLine], unit: Unit, label: str) -> Html:
    """Two arms since the start: the rate of all uses so far, and how sure it is."""
    every = [each for line in lines for each in line.bins]
    time = Timeline(min(b.start for b in every), max(b.end for b in every))
    ends = max(b.end for b in every)
    return drawing(
        172,
        label,
        value_axis(_RATES, _RATE_TICKS),
        time_axis(time, 12, 150),
        *(_running_band(line, time, ends) for line in lines),
        *(_running_line(line, time, ends) for line in lines),
        *(_running_marks(line, time, unit) for line in lines),
    )


def _steps(line: PlotLine, ends: date) -> list[tuple[date, Bin]]:
    """A sum stays as it is until the next use: both ends of each stretch."""
    nexts = [each.start for each in line.bins[1:]] + [ends]
    return [
        (day, each)
        for each, until in zip(line.bins, nexts, strict=True)
        for day in (each.start, until)
    ]


def _running_band(line: PlotLine, time: Timeline, ends: date) -> Html:
    steps = _steps(line, ends)
    upper = [(time(day), _RATES(each.interval[1])) for day, each in steps]
    lower = [(time(day), _RATES(each.interval[0])) for day, each in reversed(steps)]
    return tag(
        "path", class_=f"band s{line.number}", d=path(upper + lower, closed=True)
    )


def _running_line(line: PlotLine, time: Timeline, ends: date) -> Html:
    points = [(time(day), _RATES(each.rate)) for day, each in _steps(line, ends)]
    return tag("path", class_=f"rate s{line.number}", d=path(points))


def _running_marks(line: PlotLine, time: Timeline, unit: Unit) -> Html:
    return join(
        *(
            mark(
                line.number,
                time(each.start),
                _RATES(each.rate),
                class_="few" if each.total < words.FEW else "",
                tip=f"{line.name}, up to {unit.words(each.start)}: {says(each)}",
            )
            for each in line.bins
        )
    )


def wealth(now: float, decides: float, label: str) -> Html:
    """How much evidence there is against how much decides, in powers of ten."""
    scale = Decades.around((0.1, 1, decides * 2, now), 12, 428)
    powers = range(scale.lowest, scale.highest + 1)
    step = -(-len(powers) // 6)
    x, limit = scale(now), scale(decides)
    return drawing(
        62,
        label,
        tag("rect", class_="beyond", x=limit, y=20.0, width=428 - limit, height=14.0),
        tag("line", class_="axis", x1=12.0, x2=428.0, y1=34.0, y2=34.0),
        *(_power(scale, power) for power in powers if power % step == 0),
        tag("rect", class_="wealth", x=12.0, y=24.0, width=x - 12, height=6.0),
        tag("line", class_="limit", x1=limit, x2=limit, y1=16.0, y2=38.0),
        tag(
            "text",
            f"decides at {words.factor(decides)}",
            class_="end" if limit > 330 else "middle",
            x=min(limit, 428.0),
            y=11.0,
        ),
        mark(1, x, 27.0, tip=label),
        walks=False,
    )


def _power(scale: Decades, power: int) -> Html:
    x = scale(10.0**power)
    side = {scale.lowest: "start", scale.highest: "end"}.get(power, "middle")
    return join(
        tag("line", class_="axis", x1=x, x2=x, y1=34.0, y2=38.0),
        tag("text", words.factor(10.0**power), class_=side, x=x, y=52.0),
    )


class Curve(NamedTuple):
    """One count over the library's life."""

    number: int
    name: str
    points: Sequence[tuple[date, int]]


def growth(curves: Sequence[Curve], label: str) -> Html:
    """How skills, promotions and roll-backs added up; the last number beside each."""
    first = min(curve.points[0][0] for curve in curves)
    last = max(curve.points[-1][0] for curve in curves) + timedelta(1)
    most = max(1, *(value for curve in curves for _, value in curve.points))
    time, height = Timeline(first, last, LEFT, 330), Scale(0, most, 172, 12)
    ticks = [(value, words.count(value)) for value in round_ticks(most)]
    return drawing(
        204,
        label,
        _level_lines(height, ticks),
        time_axis(time, 12, 180),
        *(_curve(curve, time, height, last) for curve in curves),
        _ends(curves, height),
    )


def _level_lines(height: Scale, ticks: Sequence[tuple[float, str]]) -> Html:
    return tag("g", value_axis(height, ticks), class_="short")


def _curve(curve: Curve, time: Timeline, height: Scale, last: date) -> Html:
    points: list[tuple[float, float]] = []
    for (day, value), (until, _) in pairwise([*curve.points, (last, 0)]):
        points += [(time(day), height(value)), (time(until), height(value))]
    marks = (
        mark(
            curve.number,
            time(day),
            height(value),
            class_="quiet",
            tip=f"{day}: {value:,} {curve.name}",
        )
        for day, value in curve.points
    )
    return join(tag("path", class_=f"rate s{curve.number}", d=path(points)), *marks)


def _ends(curves: Sequence[Curve], height: Scale) -> Html:
    """The last value and name of each curve, moved apart where they would touch."""
    below, shown = -99.0, []
    for curve in sorted(curves, key=lambda curve: -curve.points[-1][1]):
        value = curve.points[-1][1]
        y = max(height(value), below + 15)
        below = y
        shown += [
            mark(curve.number, 340.0, y),
            tag("text", f"{value:,} {curve.name}", class_="start", x=349.0, y=y + 4),
        ]
    return join(*shown)


def interval_glyph(interval: Sequence[float] | None, rate: float | None) -> Html:
    """A rate and its interval on a line from 0 to 1, for a cell of a table."""
    sure = interval is not None and words.known(rate)
    low, high = interval if sure and interval is not None else (0, 0)
    return tag(
        "svg",
        tag("line", class_="axis", x1=2.0, x2=62.0, y1=6.0, y2=6.0),
        tag(
            "line", class_="sure", x1=2.0 + 60 * low, x2=2.0 + 60 * high, y1=6.0, y2=6.0
        ),
        tag("circle", class_="at", cx=2.0 + 60 * (rate or 0), cy=6.0, r=3.0),
        class_="interval" if sure else "interval none",
        viewBox="0 0 64 12",
        aria_hidden="true",
    )


def spark_path(values: Mapping[int, float]) -> str:
    """Rates in a row of places, as a path; a place without one is a gap."""
    drawn, before = "", -2
    for place, rate in sorted(values.items()):
        point = f"{place * 6 + 3} {round(15 - 12 * rate)}"
        drawn += f"L{point}" if place == before + 1 else f"M{point}h0"
        before = place
    return drawn


def spark(d: str, places: int) -> Html:
    return tag(
        "svg",
        tag("line", class_="axis", x1=0.0, x2=float(places * 6), y1=15.0, y2=15.0),
        tag("path", class_="rate s0", d=d),
        class_="spark",
        viewBox=f"0 0 {places * 6} 18",
        aria_hidden="true",
    )


def bar(share: float) -> Html:
    """A length beside a number in a table."""
    return tag(
        "svg",
        tag(
            "rect", class_="uses", x=0.0, y=2.0, width=max(100 * share, 0.5), height=8.0
        ),
        class_="bar",
        viewBox="0 0 100 12",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def parts(shares: Sequence[tuple[str, Any]], total: int, label: str) -> Html:
    """A whole and what it is made of, each part with a pattern of its own."""
    shown, x = [], 4.0
    for name, number in shares:
        width = 432 * number / total
        shown.append(
            tag(
                "rect",
                class_=f"part {name}",
                x=x,
                y=4.0,
                width=width,
                height=20.0,
                data_tip=f"{number:,} {name}",
            )
        )
        x += width
    return drawing(28, label, _hatches(), *shown, walks=False)


def _hatches() -> Html:
    stripe = tag("path", class_="stripe", d="M-2 2L2 -2M0 8L8 0M6 10L10 6")
    return tag(
        "defs",
        tag(
            "pattern",
            tag("rect", class_="ground", width=8, height=8),
            stripe,
            id="hatch",
            width=8,
            height=8,
            patternUnits="userSpaceOnUse",
        ),
    )
