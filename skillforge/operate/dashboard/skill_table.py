"""The table of all skills: its first page as markup, every row for the script."""

from collections.abc import Mapping, Sequence, Set
from datetime import date, timedelta
from typing import Any, NamedTuple

from skillforge.operate.dashboard import number_format as fmt
from skillforge.operate.dashboard.series import DAY, WEEK, Unit, bins, readable
from skillforge.render.html import visible
from skillforge.report import plural

ON_A_PAGE = 50  # rows
_BINS = 12  # of a sparkline
_TRENDS = {"up": ("↗ up", 1), "flat": ("→ flat", 0), "down": ("↘ down", -1)}
_FILTERS = {
    "": "all skills",
    "alert": "needs attention",
    "canary": "in a canary",
    "failing": "failing test cases",
    "falling": "falling",
    "few": "not enough data",
}


class Column(NamedTuple):
    """A column: its label, an explanation, and the order it is first sorted in."""

    label: str
    title: str
    first: str = "descending"
    is_number: bool = False  # right-aligned


COLUMNS = (
    Column("Skill", "name and origin", "ascending"),
    Column("Uses", "how often it was loaded", is_number=True),
    Column("Success", "successes among verified uses, with the 95% interval"),
    Column("Recent", "moving average of success; for display only"),
    Column("Trend", "direction of the success rate"),
    Column("Over time", "success by week or day, same time span for all skills", ""),
    Column("Precision", "how often it was loaded when it was offered"),
    Column("Keys", "distinct keys that reported uses", is_number=True),
    Column("Time", "seconds per use, and the change compared with no skill"),
    Column("Tokens", "tokens per use, and the change compared with no skill"),
)


class SparklineSpan(NamedTuple):
    """The time that all sparklines show: the last bins before a common end."""

    unit: Unit
    last: date

    @classmethod
    def of(cls, skills: Sequence[Mapping[str, Any]]) -> "SparklineSpan":
        """The last twelve weeks of the library, or days if it is that young."""
        days = [row[0] for skill in skills for row in _days(skill)]
        last = max(days, default=date(1970, 1, 1))
        is_young = last - min(days, default=last) < timedelta(_BINS)
        return cls(DAY if is_young else WEEK, last)

    def path(self, skill: Mapping[str, Any]) -> str:
        """The rates of a skill as a path; a bin without uses is a gap."""
        end = self.unit.start(self.last)
        rates = {
            _BINS - 1 - (end - bin_.start).days // int(self.unit.days): bin_.rate
            for bin_ in bins(_days(skill), self.unit)
        }
        drawn, previous = "", -2
        for at, rate in sorted(rates.items()):
            if at >= 0:
                point = f"{at * 6 + 3} {round(15 - 12 * rate)}"
                drawn += f"L{point}" if at == previous + 1 else f"M{point}h0"
                previous = at
        return drawn


def _days(skill: Mapping[str, Any]) -> list[tuple[date, int, int]]:
    return readable(row for version in skill["versions"] for row in version["days"])


class TableRow(NamedTuple):
    """A row: its texts in order, and the numbers to sort by."""

    anchor: str = ""
    cells: tuple[str, ...] = ("",) * 14
    keys: tuple[float | None, ...] = (None,) * 10
    interval: tuple[float, float, float] | None = None
    spark: str = ""
    marks: str = ""

    def script_data(self) -> list[Any]:
        """The row for the page's script, which fills the same cells."""
        keys = [key if key is None else round(key, 4) for key in self.keys]
        interval = self.interval and [round(bound, 3) for bound in self.interval]
        return [self.anchor, self.cells, keys, interval, self.spark, self.marks]

    @property
    def glyph(self) -> list[float]:
        """Low end, rate and high end of the interval on a line from 2 to 62."""
        return [round(2 + 60 * share, 1) for share in self.interval or (0, 0, 0)]


def skill_table(
    skills: Sequence[Mapping[str, Any]],
    anchors: Mapping[str, str],
    marks: Mapping[str, Set[str]],
) -> dict[str, Any]:
    span = SparklineSpan.of(skills)
    order = sorted(skills, key=lambda skill: (-skill["uses"], skill["name"]))
    rows = [
        _row(skill, anchors.get(name, ""), span, marks.get(name, set()))
        for skill in order
        for name in [skill["name"]]
    ]
    shown = plural(min(ON_A_PAGE, len(rows)), "skill")
    return {
        "columns": COLUMNS,
        "shown": f"the {shown} used most, of {len(rows):,}"
        if len(rows) > ON_A_PAGE
        else shown,
        "origins": sorted({skill["origin"] for skill in order if skill["origin"]}),
        "filters": _FILTERS,
        "rows": rows[:ON_A_PAGE],
        "empty_row": TableRow(),
        "script_rows": [row.script_data() for row in rows],
    }


def _row(
    skill: Mapping[str, Any], anchor: str, span: SparklineSpan, marks: Set[str]
) -> TableRow:
    is_few = fmt.verified_uses(skill) < fmt.MIN_USES
    rate, interval = skill["success_rate"], skill["interval"]
    has_interval = not is_few and fmt.is_number(rate) and interval
    marks = marks | ({"few"} if is_few else set())
    return TableRow(
        anchor=anchor,
        cells=_cells(skill),
        keys=_sort_keys(skill),
        interval=(interval[0], rate, interval[1]) if has_interval else None,
        spark=span.path(skill),
        marks=" ".join(sorted(marks)),
    )


def _cells(skill: Mapping[str, Any]) -> tuple[str, ...]:
    verified = fmt.verified_uses(skill)
    is_few = verified < fmt.MIN_USES
    trend, _ = _TRENDS.get(skill["trend"], (fmt.NO_VALUE, None))
    interval = fmt.interval_text(skill["interval"])
    return (
        visible(skill["name"]),
        visible(skill["origin"]) or fmt.NO_VALUE,
        fmt.count(skill["uses"]),
        "not enough data" if is_few else fmt.percent(skill["success_rate"]),
        f"{verified:,} verified" if is_few else interval,
        fmt.NO_VALUE if is_few else fmt.percent(skill["moving"]),
        trend,
        fmt.percent(skill["precision"]),
        f"{fmt.count(skill['offered'])} offered",
        fmt.count(skill["keys"]),
        fmt.seconds(skill["seconds"]),
        _change(skill, "seconds"),
        fmt.count(skill["tokens"]),
        _change(skill, "tokens"),
    )


def _change(skill: Mapping[str, Any], unit: str) -> str:
    share = fmt.relative_change(skill[unit], skill[f"{unit}_without"])
    return "" if share is None else fmt.signed_percent(share)


def _sort_keys(skill: Mapping[str, Any]) -> tuple[float | None, ...]:
    is_few = fmt.verified_uses(skill) < fmt.MIN_USES
    _, trend = _TRENDS.get(skill["trend"], ("", None))
    numbers = (
        None,
        skill["uses"],
        None if is_few else skill["success_rate"],
        None if is_few else skill["moving"],
        trend,
        None,
        *(skill[name] for name in ("precision", "keys", "seconds", "tokens")),
    )
    return tuple(number if fmt.is_number(number) else None for number in numbers)
