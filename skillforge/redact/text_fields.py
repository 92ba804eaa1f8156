"""Fields about people in a text: JSON, Python, YAML, queries, labels, markup, tables.

What is found has a place, since a value such as `TX` is private only where it stands.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from skillforge.redact.fields import (
    OF_A_PERSON,
    PLACES,
    SOME_NAME,
    in_company,
    is_value,
    kind_of,
)


class Span(NamedTuple):
    """A value of a field, and where it stands in a text."""

    start: int
    end: int
    kind: str


# Escaped line breaks of JSON in a string end a line as well.
_BREAK = re.compile(r"\\[nrt]")
_NEEDED = (
    "name", "last", "addr", "zip", "city", "state", "phone", "post", "street",
    "country", "birth", "dob", "born", "bday", "card", "contact", "account", "tel",
    "mobile", "cell", "fax", "whatsapp", "ssn", "social", "passport", "licen",
    "holder", "next_of", "house", "apartment", "apt", "town", "village", "suburb",
    "county", "province", "routing", "cc_", "cvv", "cvc", "mrn", "insurance",
    "national", "tax", "plz", "code", "box", "medical",
)  # fmt: skip
_QUOTED = (
    r"""\\{0,3}"(?P<double>[^"\\\n]{1,120})\\{0,3}\""""
    r"""|\\{0,3}'(?P<single>[^'\\\n]{1,120})\\{0,3}'"""
)
# `"key": "value"`, `'key': 'value'`, escaped or not; a list's first few texts, too.
_IN_OBJECT = re.compile(
    r"""(?P<quote>\\{0,3}["'])(?P<key>[A-Za-z_][\w .\-]{1,60})(?P=quote)"""
    rf"""\s{{0,3}}:\s{{0,3}}(?:(?P<object>\{{)|(?:\[\s{{0,3}})?"""
    rf"""(?:{_QUOTED}|(?P<bare>\d[\d-]{{1,30}})(?![\w.])))"""
)
# `key="value"`, `key=value`, `key: value`, as in calls, queries, YAML and markup.
_ASSIGNED = re.compile(
    r"""(?<![\w.\-"'])(?P<key>[A-Za-z_][\w.\-]{1,60}?)(?:\[\w{0,20}\])?\s{0,2}(?:=>|[=:])"""
    rf"""\s{{0,3}}(?:{_QUOTED}|(?P<bare>[^\s"'`,;&<>(){{}}\[\]|\\=]{{1,60}}))"""
)
# `- **First name:** Mia`, up to the end of the line.
_LABEL = re.compile(
    r"""^[\s>*+\-#\d.)|]{0,12}(?P<key>[A-Za-z][\w.' \-]{1,60}?)[*_`]{0,3}\s?:"""
    r"""[*_`]{0,3}[ \t]{1,3}[*_`"']{0,3}(?P<bare>[^\s*`"'][^\n*`"|;]{0,100})""",
    re.MULTILINE,
)
_ELEMENT = re.compile(
    r"<(?P<key>[A-Za-z_][\w.:\-]{1,60})(?:\s[^<>]{0,200})?>(?P<bare>[^<>]{1,120})</"
)
# "My first name is Mia", "the card ending in 1234".
_SPOKEN = re.compile(
    r"""\b(?P<key>(?i:(?:first|last|middle|full|family)\ name|my\ name|zip(?:\ code)?|
    post(?:al\ |\ )?code|date\ of\ birth|dob|birthday))\ (?i:is|was)\ (?P<bare>
    [A-Z][\w'’-]{1,30}(?:\ [A-Z][\w'’-]{1,30}){0,3}|[\w/-]{0,6}\d[\w/-]{2,12})
    |\b(?P<card>(?i:cards?|visa|mastercard|amex|paypal|account)\b[^.\n\d]{0,30}
    (?i:ending|ends)\ (?i:in|with|on)\ (?i:the\ digits\ )?)(?P<digits>\d{4})(?!\w)""",
    re.VERBOSE,
)
_GROUPS = ("object", "double", "single", "bare")
_VARIABLE = re.compile(r"[a-z_]\w*|\w*_\w*")
_QUERY = re.compile(r"[?&][\w.-]{1,60}(?:\[\w*\])?=\Z")
_BREAKS_OBJECT = re.compile(r"[{}]|\n\s*\n")
_COMPANY = 400  # characters within which two fields are of the same object
_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}[-|: \t]*$", re.MULTILINE)
_MOST_COLUMNS = 60


@lru_cache(maxsize=2048)
def find(text: str) -> tuple[Span, ...]:
    """The values in a text that the names of their fields say are private."""
    lower = text.lower()
    if not any(word in lower for word in _NEEDED):
        return ()
    if "\\" in text:
        text = _BREAK.sub(" \n", text)
    every = {*_fields(text), *_columns(text)}
    found = sorted(every, key=lambda it: (it.start, -it.end))
    people = [it.start for it in found if it.kind in OF_A_PERSON]
    settled = (it._replace(kind=_settled(text, it, people)) for it in found)
    spans: list[Span] = []
    for span in settled:
        if spans and span.start < spans[-1].end:
            continue
        if span.kind and is_value(span.kind, text[span.start : span.end]):
            spans.append(span)
    return tuple(spans)


def _settled(text: str, span: Span, people: list[int]) -> str:
    """The kind of a field; for one that says little alone, by those beside it."""
    if in_company(span.kind, is_person=False) == span.kind:
        return span.kind
    at = bisect_left(people, span.start)
    return in_company(
        span.kind,
        is_person=any(
            abs(other - span.start) <= _COMPANY
            and not _BREAKS_OBJECT.search(
                text, *sorted((span.end if other > span.start else span.start, other))
            )
            for other in people[max(at - 1, 0) : at + 2]
            if other != span.start
        ),
    )


def _fields(text: str) -> Iterator[Span]:
    for pattern in (_IN_OBJECT, _ASSIGNED, _LABEL, _ELEMENT):
        for match in pattern.finditer(text):
            if kind := kind_of(match["key"]):
                yield from _values(text, match, kind)
    for match in _SPOKEN.finditer(text):
        if match["digits"]:
            yield Span(match.start("digits"), match.end("digits"), "CARD")
        else:
            kind = in_company(kind_of(match["key"].removeprefix("my ")), True)
            yield _trimmed(text, match.start("bare"), match.end("bare"), kind)


def _values(text: str, match: re.Match[str], kind: str) -> Iterator[Span]:
    groups = match.groupdict()
    name = next(it for it in _GROUPS if groups.get(it))
    if name == "object":  # has no value, and says whose the object in it and around is
        whose = "NAME" if kind == SOME_NAME else kind
        yield from (Span(at, at, whose) for at in (match.start(name), match.end(name)))
    elif name != "bare" or _can_be_bare(kind, match):
        yield _trimmed(text, match.start(name), match.end(name), kind)


def _can_be_bare(kind: str, match: re.Match[str]) -> bool:
    """Whether what follows a name without quotes is a value, rather than code."""
    if match.re is not _ASSIGNED:
        return True
    text, value = match.string, match["bare"]
    if text[match.end() :][:1] in ("(", "[", "{"):
        return False  # a call
    if _QUERY.search(text, max(0, match.start() - 80), match.start("bare")):
        return True
    if kind in ("NAME", SOME_NAME):
        return value[:1].isupper() and not any(map(str.isdigit, value))
    is_name = kind != PLACES and not any(map(str.isdigit, value))
    return not is_name and not _VARIABLE.fullmatch(value)


def _trimmed(text: str, start: int, end: int, kind: str) -> Span:
    inner = text[start:end]
    left = len(inner) - len(inner.lstrip())
    return Span(start + left, start + len(inner.rstrip(" \t\r,.")), kind)


def _columns(text: str) -> Iterator[Span]:
    """The cells below the headings of a Markdown table, or of lines with commas."""
    lines = [0, *(match.end() for match in re.finditer("\n", text)), len(text) + 1]
    kinds: list[str] = []
    sign = ""
    for start, following in pairwise(lines):
        line = text[start : following - 1]
        cells = list(_cells(line, start, sign)) if kinds else []
        if cells and _RULE.fullmatch(line):
            continue
        if len(cells) != len(kinds) or not kinds:
            sign, kinds = _heading(line)
            continue
        for (low, high), kind in zip(cells, kinds, strict=True):
            if kind and low < high:
                yield _trimmed(text, low, high, kind)


def _heading(line: str) -> tuple[str, list[str]]:
    """What divides the columns of a table, and what each holds; else nothing."""
    for sign in ("|", "\t", ",", ";"):
        if 1 <= line.count(sign) <= _MOST_COLUMNS:
            names = [line[low:high] for low, high in _cells(line, 0, sign)]
            kinds = [kind_of(name) if _is_heading(name) else "" for name in names]
            is_table = all(map(_is_heading, names)) and sum(map(bool, names)) > 1
            is_table &= any(kind in (*OF_A_PERSON, "CARD", "ID") for kind in kinds)
            return (sign, kinds) if is_table else ("", [])
    return "", []


def _is_heading(cell: str) -> bool:
    return (
        re.fullmatch(r"[\s*\"']*(?:[A-Za-z_#][\w .#/()-]{0,40})?[\s*\"']*", cell)
        is not None
    )


def _cells(line: str, start: int, sign: str) -> Iterable[tuple[int, int]]:
    """Where the cells of a row begin and end, without quotes around them."""
    at = 0
    inner = line.strip().strip("|") if sign == "|" else line
    at = line.find(inner) if inner else 0
    for cell in inner.split(sign):
        stripped = cell.strip(" \t\"'*`")
        low = start + at + (cell.find(stripped) if stripped else 0)
        yield low, low + len(stripped)
        at += len(cell) + len(sign)
