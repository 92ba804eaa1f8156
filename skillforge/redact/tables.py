"""Table cells in a text, with the kind of their heading: Markdown, CSV, SQL, HTML.

Cells are selected by heading alone; the caller checks their values.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from skillforge.redact.fields import OF_A_PERSON, SECRET, WHO, is_heading, kind_of


class Cell(NamedTuple):
    """The place of a cell in a text, and the kind that its heading announces."""

    start: int
    end: int
    kind: str


Bounds = tuple[int, int]
# The line below a heading, in Markdown, psql and mysql.
_RULE = re.compile(r"[ \t]*[|+]?[ \t]*:?-{2,}[-+|: \t]*")
_MOST_COLUMNS = 60
_COMMA = re.compile(r'[^,"]*(?:"[^"]*"[^,"]*)*(?:,|\Z)')
_SEMICOLON = re.compile(r'[^;"]*(?:"[^"]*"[^;"]*)*(?:;|\Z)')
_QUOTING = {",": _COMMA, ";": _SEMICOLON}
_NAME_IN_TABLE = re.compile(r"[\s*`]*(?:[A-Za-z_#][\w .#/()\[\]-]{0,60})?[\s*`]*")
_NAME_IN_LIST = re.compile(r'[ "]*[A-Za-z_#][\w .#/()\[\]-]{0,60}[ "\r]*')
_SHORT_NAME = re.compile(r"[\w.#/-]*(?: [\w.#/-]+){0,2}")
_INSERT = re.compile(
    r"\binsert\s{1,9}(?:or\s{1,9}\w{1,20}\s{1,9})?into\s{1,9}[^\s()]{1,100}\s{0,9}"
    r"\((?P<names>[^()]{1,2000})\)\s{0,9}values\s{0,9}",
    re.IGNORECASE,
)
_SQL_ROW = re.compile(
    r"\s{0,9},?\s{0,9}\((?P<cells>(?:[^()']|'[^'\n]{0,500}'){1,4000})\)"
)
_SQL_CELL = re.compile(r"(?:[^,']|'[^']*')+")
_HTML_ROW = re.compile(r"<tr\b[^<>]{0,200}>", re.IGNORECASE)
_HTML_CELL = re.compile(
    r"<t(?P<tag>[hd])\b[^<>]{0,200}>\s{0,20}(?P<text>[^<>]{0,120}?)\s{0,20}</t[hd]>",
    re.IGNORECASE,
)


def cells(text: str) -> Iterator[Cell]:
    """The cells of tables with at least one heading about a person."""
    yield from _in_lines(text)
    if "nsert" in text or "NSERT" in text:
        yield from _in_inserts(text)
    if "<t" in text or "<T" in text:
        yield from _in_html(text)


def _in_lines(text: str) -> Iterator[Cell]:
    """Rows of Markdown and psql tables, and of lines with commas or tabs."""
    ends = [0, *(match.end() for match in re.finditer("\n", text)), len(text) + 1]
    kinds: Sequence[str] = ()
    sign = ""
    before: list[Cell] = []  # a field and its value, unless it is a heading
    for start, following in pairwise(ends):
        line = text[start : following - 1]
        if _RULE.fullmatch(line):
            before = []  # it was a heading
            continue
        yield from before
        before = []
        row = _split(line, sign) if kinds else []
        # `zip | 94110` below `name | Ada` is another field, not a table row.
        pair = list(_pair(line, start)) if len(row) == 2 or not row else []
        if kinds and len(row) == len(kinds) and not pair:
            yield from _below(kinds, row, start)
        else:
            sign, kinds = _heading(line)
            before = pair or list(_pair(line, start))
    yield from before


def _below(kinds: Sequence[str], row: Sequence[Bounds], at: int) -> Iterator[Cell]:
    for (low, high), kind in zip(row, kinds, strict=True):
        if kind and low < high:
            yield Cell(at + low, at + high, kind)


def _pair(line: str, at: int) -> Iterator[Cell]:
    """`| First name | Ada |`: a field name, and its value beside it."""
    sign = "\t" if line.count("\t") == 1 else "|"
    row = _split(line, sign) if 1 <= line.count(sign) <= 3 else []
    names = [line[low:high] for low, high in row]
    kind = kind_of(names[0]) if len(row) == 2 else ""
    if kind and _NAME_IN_TABLE.fullmatch(names[0]) and not is_heading(names[1]):
        yield from _below(("", kind), row, at)


def _heading(line: str) -> tuple[str, Sequence[str]]:
    """The separator and the kinds of a table's columns; empty if it is no heading."""
    for sign in ("|", "\t", ",", ";"):
        if 1 <= line.count(sign) <= _MOST_COLUMNS:
            is_name = (_NAME_IN_TABLE if sign == "|" else _NAME_IN_LIST).fullmatch
            names = [line[low:high] for low, high in _split(line, sign)]
            raw = (line.strip().strip("|") if sign == "|" else line).split(sign)
            kinds = _kinds(names) if all(map(is_name, raw)) and len(names) > 1 else ()
            return sign, kinds
    return "", ()


def _kinds(names: Sequence[str]) -> Sequence[str]:
    """The kinds of columns; none, if no column is about a person."""
    kinds = [kind_of(name) if name else "" for name in names]
    if SECRET in kinds and not all(_SHORT_NAME.fullmatch(name) for name in names):
        kinds = ["" if kind == SECRET else kind for kind in kinds]  # prose, or code
    is_person = any(kind in (*OF_A_PERSON, WHO, SECRET, "CARD", "ID") for kind in kinds)
    return kinds if is_person else ()


def _split(line: str, sign: str) -> list[Bounds]:
    """The places of a row's cells, without the quotes around them."""
    if sign == "|":
        inner = line.strip().strip("|")
        return _bounds(inner.split(sign), line.find(inner) if inner else 0)
    if sign in _QUOTING and '"' in line and line.count('"') % 2 == 0:
        parts = [match[0] for match in _QUOTING[sign].finditer(line)]
        parts = [part.removesuffix(sign) for part in parts]
        return _bounds(parts[:-1] if line[-1:] != sign else parts, 0)
    return _bounds(line.split(sign), 0)


def _bounds(parts: Sequence[str], at: int) -> list[Bounds]:
    bounds = []
    for part in parts:
        stripped = part.strip(" \t\r\"'*`")
        low = at + (part.find(stripped) if stripped else 0)
        bounds.append((low, low + len(stripped)))
        at += len(part) + 1
    return bounds


def _in_inserts(text: str) -> Iterator[Cell]:
    """`INSERT INTO users (first_name, zip) VALUES ('Ada', '94110'), …`."""
    for match in _INSERT.finditer(text):
        names = [name.strip(" \t\r\n\"'`[]") for name in match["names"].split(",")]
        kinds = _kinds(names)
        at = match.end()
        while kinds and (row := _SQL_ROW.match(text, at)):
            at = row.end()
            parts = [cell[0] for cell in _SQL_CELL.finditer(row["cells"])]
            if len(parts) == len(kinds):
                yield from _below(kinds, _bounds(parts, 0), row.start("cells"))


def _in_html(text: str) -> Iterator[Cell]:
    """Rows of `<td>` below a row of `<th>`, or a `<th>` beside a `<td>`."""
    kinds: Sequence[str] = ()
    starts = [match.end() for match in _HTML_ROW.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        row = list(_HTML_CELL.finditer(text, start, end))[: _MOST_COLUMNS + 1]
        tags = {match["tag"].lower() for match in row}
        bounds = [match.span("text") for match in row]
        if len(row) == 2 and (kind := kind_of(row[0]["text"].rstrip(":"))):
            is_pair = tags != {"h"} and not is_heading(row[1]["text"])
            yield from _below(("", kind), bounds, 0) if is_pair else ()
        if tags == {"h"}:
            kinds = _kinds([match["text"] for match in row])
        elif kinds and len(row) == len(kinds):
            yield from _below(kinds, bounds, 0)
