"""The table of all skills: its first page as markup, every row for the script."""

from collections.abc import Mapping, Sequence, Set
from datetime import date, timedelta
from typing import Any, NamedTuple

from skillforge.operate.dashboard import plots, words
from skillforge.operate.dashboard.markup import Html, data_block, join, seen, tag
from skillforge.operate.dashboard.series import DAY, WEEK, Unit, bins, readable
from skillforge.report import plural

PAGE = 50  # rows at a time
PLACES = 12  # of a sparkline
_TRENDS = {"up": ("↗ up", 1), "flat": ("→ flat", 0), "down": ("↘ down", -1)}


class Column(NamedTuple):
    """A column: what it is called, what that means, and how it is first sorted."""

    label: str
    means: str
    first: str = "descending"
    is_number: bool = False  # one that stands alone, and so is set to the right

    @property
    def kind(self) -> str | None:
        return "number" if self.is_number else None


COLUMNS = (
    Column("Skill", "name, and where it came from", "ascending"),
    Column("Uses", "how often it was loaded", is_number=True),
    Column("Success", "successes among verified uses, with the 95 % interval"),
    Column("Lately", "moving average of success; for display, nothing rests on it"),
    Column("Trend", "where success is going"),
    Column("Over time", "success by week or day, on the same span for all", ""),
    Column("Precision", "how often it was loaded when it was offered"),
    Column("Voices", "how many different keys reported", is_number=True),
    Column("Time", "seconds a use took, and the change against no skill"),
    Column("Tokens", "tokens a use took, and the change against no skill"),
)


class SparklineSpan(NamedTuple):
    """What the sparklines show: the last bins before an end that all share."""

    unit: Unit
    last: date

    @classmethod
    def of(cls, skills: Sequence[Mapping[str, Any]]) -> "SparklineSpan":
        """The last twelve weeks of the library, or days while it is that young."""
        days = [row[0] for skill in skills for row in _days(skill)]
        last = max(days, default=date(1970, 1, 1))
        young = last - min(days, default=last) < timedelta(PLACES)
        return cls(DAY if young else WEEK, last)

    def path(self, skill: Mapping[str, Any]) -> str:
        length = 7 if self.unit is WEEK else 1
        end = self.unit.start(self.last)
        places = {
            PLACES - 1 - (end - each.start).days // length: each.rate
            for each in bins(_days(skill), self.unit)
        }
        return plots.spark_path({at: rate for at, rate in places.items() if at >= 0})


def _days(skill: Mapping[str, Any]) -> list[tuple[date, int, int]]:
    return readable(row for version in skill["versions"] for row in version["days"])


class TableRow(NamedTuple):
    """A skill as the table shows it: texts in their order, and what to sort by."""

    anchor: str
    cells: tuple[str, ...]
    keys: tuple[float | None, ...]
    sure: tuple[float, float, float] | None
    spark: str
    marks: str

    def plain(self) -> list[Any]:
        """For the script of the page, which fills the same cells."""
        keys = [key if key is None else round(key, 4) for key in self.keys]
        sure = self.sure and [round(bound, 3) for bound in self.sure]
        return [self.anchor, self.cells, keys, sure, self.spark, self.marks]


def row(
    skill: Mapping[str, Any], anchor: str, span: SparklineSpan, marks: Set[str]
) -> TableRow:
    verified = words.verified_uses(skill)
    thin = verified < words.FEW
    rate, interval = skill["success_rate"], skill["interval"]
    trend, order = _TRENDS.get(skill["trend"], (words.NOTHING, None))
    sure = None
    if not thin and words.known(rate) and interval:
        sure = (interval[0], rate, interval[1])
    marks = marks | ({"thin"} if thin else set())
    return TableRow(
        anchor=anchor,
        cells=(
            seen(skill["name"]),
            seen(skill["origin"]) or words.NOTHING,
            words.count(skill["uses"]),
            "too few to say" if thin else words.percent(rate),
            f"{verified:,} verified" if thin else words.between(interval),
            words.percent(skill["moving"]),
            trend,
            words.percent(skill["precision"]),
            f"{words.count(skill['offered'])} offered",
            words.count(skill["voices"]),
            words.seconds(skill["seconds"]),
            _against(skill["seconds"], skill["seconds_without"]),
            words.count(skill["tokens"]),
            _against(skill["tokens"], skill["tokens_without"]),
        ),
        keys=(
            None,
            _key(skill["uses"]),
            _key(rate) if not thin else None,
            _key(skill["moving"]),
            order,
            None,
            _key(skill["precision"]),
            _key(skill["voices"]),
            _key(skill["seconds"]),
            _key(skill["tokens"]),
        ),
        sure=sure,
        spark=span.path(skill),
        marks=" ".join(sorted(marks)),
    )


def _key(number: object) -> float | None:
    return number if words.known(number) else None


def _against(now: object, without: object) -> str:
    share = words.change(now, without)
    return "" if share is None else words.signed(share)


def table(rows: Sequence[TableRow], origins: Sequence[str]) -> Html:
    """The tools, the first rows, and all rows as data for the rest."""
    shown = plural(min(PAGE, len(rows)), "skill")
    rest = f"the {shown} used most, of {len(rows):,}" if len(rows) > PAGE else shown
    body = tag("tbody", *map(_markup, rows[:PAGE]), id="rows", role="rowgroup")
    caption = tag("caption", "All skills, most used first", class_="unseen")
    head = tag("thead", tag("tr", *_heads(), role="row"), role="rowgroup")
    empty = TableRow("", ("",) * 14, (None,) * 10, None, "", "")
    return join(
        _tools(origins),
        tag("p", rest, id="shown", role="status", class_="note"),
        tag("table", caption, head, body, id="skills", role="table", class_="skills"),
        _pager(),
        tag("template", _markup(empty), id="row"),
        data_block([row.plain() for row in rows], "all-rows"),
    )


def _heads() -> list[Html]:
    return [_head(at, column) for at, column in enumerate(COLUMNS)]


def _head(at: int, column: Column) -> Html:
    inside: object = column.label
    if column.first:
        inside = tag(
            "button",
            column.label,
            type="button",
            disabled=True,
            data_sort=at,
            data_first=column.first,
        )
    order = "descending" if column.label == "Uses" else None
    return tag(
        "th",
        inside,
        scope="col",
        role="columnheader",
        title=column.means,
        class_=column.kind,
        aria_sort=order,
    )


def _tools(origins: Sequence[str]) -> Html:
    """What to look for; of no use without the script, which brings it to light."""
    option = [tag("option", origin, value=origin) for origin in origins]
    marks = {
        "": "all skills",
        "look": "worth a look",
        "canary": "in a canary",
        "failing": "failing their cases",
        "falling": "falling",
        "thin": "too few uses to say",
    }
    sorts = [
        tag("option", column.label, value=at)
        for at, column in enumerate(COLUMNS)
        if column.first
    ]
    return tag(
        "form",
        _field("Find", tag("input", type="search", id="find", autocomplete="off")),
        _field(
            "Origin",
            tag("select", tag("option", "any", value=""), *option, id="origin"),
        ),
        _field(
            "Show",
            tag(
                "select",
                *(tag("option", w, value=m) for m, w in marks.items()),
                id="mark",
            ),
        ),
        _field("Sort by", tag("select", *sorts, id="sort"), class_="small"),
        id="tools",
        class_="tools",
        role="search",
        aria_label="Skills",
        hidden=True,
    )


def _field(label: str, control: Html, class_: str | None = None) -> Html:
    return tag("label", tag("span", label), control, class_=class_)


def _pager() -> Html:
    return tag(
        "nav",
        tag("button", "← Before", type="button", id="before"),
        tag("span", id="page"),
        tag("button", "Next →", type="button", id="next"),
        id="pager",
        class_="pager",
        aria_label="Pages of the table",
        hidden=True,
    )


def _markup(row: TableRow) -> Html:
    cell = [tag("span", text, data_at=number) for number, text in enumerate(row.cells)]
    name = tag("a", row.cells[0], data_at=0, href=row.anchor or None)
    rate = row.sure and row.sure[1]
    sure = plots.interval_glyph(row.sure and (row.sure[0], row.sure[2]), rate)
    spark = plots.spark(row.spark, PLACES)
    inside = (
        (cell[2],),
        (cell[3], sure, _small(cell[4])),
        (cell[5],),
        (cell[6],),
        (spark,),
        (cell[7], _small(cell[8])),
        (cell[9],),
        (cell[10], _small(cell[11])),
        (cell[12], _small(cell[13])),
    )
    return tag(
        "tr",
        tag("th", name, _small(cell[1]), scope="row", role="rowheader"),
        *(
            tag("td", *content, role="cell", data_label=col.label, class_=col.kind)
            for content, col in zip(inside, COLUMNS[1:], strict=True)
        ),
        role="row",
    )


def _small(content: Html) -> Html:
    return tag("small", content)
