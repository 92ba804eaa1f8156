"""What every part of the page is put into: sections, figures, tables of data."""

from collections.abc import Iterable, Sequence

from skillforge.operate.dashboard.markup import EMPTY, Html, tag

_MOST_ROWS = 100  # of the table behind a plot


def section(identity: str, title: str, *inside: object, note: str = "") -> Html:
    """A part with its heading; the note says what was counted and what left out."""
    heading = tag("h2", title, id=f"{identity}-title")
    beside = tag("p", note, class_="note") if note else EMPTY
    return tag(
        "section",
        tag("div", heading, beside, class_="head"),
        *inside,
        id=identity,
        aria_labelledby=f"{identity}-title",
    )


def figure(drawn: Html, caption: object, *behind: Html) -> Html:
    """A plot, what to make of it, and the numbers behind it as a table."""
    return tag("figure", drawn, tag("figcaption", caption), *behind)


def behind(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Html:
    """The numbers of a plot, folded away."""
    return tag(
        "details",
        tag("summary", "Numbers of this plot"),
        plain_table(caption, head, rows),
    )


def plain_table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    most: int = _MOST_ROWS,
) -> Html:
    """A table whose first column names its rows; says so if it is cut off."""
    every = list(rows)
    cut = len(every) - most
    more = tag("p", f"and {cut:,} more", class_="note") if cut > 0 else EMPTY
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *(tag("th", text, scope="col") for text in head))),
        tag("tbody", *map(_row, every[:most])),
    )
    return tag(
        "div",
        table,
        more,
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def _row(cells: Sequence[object]) -> Html:
    first, *others = cells
    return tag(
        "tr", tag("th", first, scope="row"), *(tag("td", cell) for cell in others)
    )


def legend(about: str, head: Sequence[str], rows: Sequence[Html]) -> Html:
    """Which sign is which, and what became of each; the last columns need room."""
    heads = [
        tag("th", text, scope="col", class_=_room(at)) for at, text in enumerate(head)
    ]
    table = tag(
        "table",
        tag("caption", about),
        tag("thead", tag("tr", tag("td"), *heads)),
        tag("tbody", *rows),
        class_="legend",
    )
    return tag("div", table, class_="wide")


def legend_row(sign: Html, name: Html, *cells: object) -> Html:
    """A row of a legend: sign, name, and the cells below its head."""
    shown = [tag("td", cell, class_=_room(at)) for at, cell in enumerate(cells, 1)]
    return tag("tr", sign, name, *shown)


def _room(at: int) -> str | None:
    """What a phone leaves out: columns after the fourth."""
    return "roomy" if at > 3 else None
