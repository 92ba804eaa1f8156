"""Fields about people in a text: JSON, Python, YAML, queries, options, labels, markup.

Matches have a place, as a value such as `TX` is private only in its field.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from skillforge.redact import tables
from skillforge.redact.fields import (
    OF_A_PERSON,
    PARTICLE,
    SECRET,
    SOME_NAME,
    WHO,
    in_context,
    is_bare_value,
    is_heading,
    is_value,
    kind_of,
    label_of,
)


class FieldSpan(NamedTuple):
    """The place and kind of a field's value in a text."""

    start: int
    end: int
    kind: str


# In a string of JSON, escaped line breaks end a line as well.
_BREAK = re.compile(r"\\[nrt]")
_NEEDED = (
    "name", "last", "addr", "zip", "city", "state", "phone", "post", "street",
    "country", "birth", "dob", "born", "bday", "card", "contact", "account", "tel",
    "mobile", "cell", "fax", "whatsapp", "ssn", "social", "passport", "licen",
    "holder", "next_of", "house", "apartment", "apt", "town", "village", "suburb",
    "county", "province", "routing", "cc_", "cvv", "cvc", "mrn", "insurance",
    "national", "tax", "plz", "code", "box", "medical", "ending", "number", "member",
    "patient", "passenger", "guest", "customer", "recipient", "employee", "spouse",
    "beneficiary", "travel", "attendee", "applicant", "insured", "live", "nin",
    "pass", "pwd", "secret", "kennwort", "contrase", "senha", "wachtwoord", "mdp",
    "nombre", "nom", "apellido", "cognome", "stra", "anschrift", "direcci", "geburt",
    "pin", "naissance", "nacimiento", "nascita", "handy", "movil", "móvil", "ciudad",
    "ville",
)  # fmt: skip
_MARK = r"\\{0,7}[\"'`]"  # a quote, escaped or not
_KEY = r"[A-Za-z_](?:[\w.\-]|\[\w{0,20}\]){1,60}"
_WORDS = r"[A-Za-z_][\w .\-\[\]]{1,60}"
# `"key": "value"`, `'key' => 'value'`, `["key"] = "value"`, `textbox "key" [ref=1]: …`
_IN_OBJECT = re.compile(
    rf"(?P<quote>{_MARK})(?P<key>{_WORDS})(?P=quote)\]?(?:\s\[[^\]\n]{{0,40}}\]){{0,3}}"
    r"\s{0,3}(?:=>|=(?!=)|:)\s{0,3}(?P<open>[\[{(]?)\s{0,3}"
)
# `("key", "value")`, `fill("#key", "value")`, `getByLabel("key").fill("value")`
_PAIR = re.compile(
    rf"(?:\(\s{{0,3}}(?:By\.\w{{2,20}},\s)?{_MARK}[#.]?|[#=]{_MARK}?)(?P<key>{_WORDS}?)(?:{_MARK}\]?){{1,2}}"
    r"\s{0,3}(?:,|\)\.(?:fill|type|val|set\w{0,10}|send_?[kK]eys|press\w{0,15})\()\s{0,3}"
)
# `key="value"`, `key=value`, `key: value`, as in calls, queries, YAML and markup.
_ASSIGNED = re.compile(
    rf"(?<![\w\-])(?<!\w\.)(?P<key>{_KEY}?)(?:(?<![A-Za-z_]\])\s{{1,2}})?"
    r"(?P<sign>=>|=(?!=)|:)\s{0,3}"
)
# `First name: Ada, last name: Lovelace`
_INLINE = re.compile(
    r"(?:^|[,;(|]\s{0,3}|[.!?]\s)"
    r"(?P<key>[A-Za-z][\w'\-]{0,30}(?:\ [\w'\-]{1,30}){1,4})\s?(?P<sign>[:=])\s{1,3}",
    re.MULTILINE,
)
_OPTION = re.compile(r"(?<![\w\-])--?(?P<key>[A-Za-z][\w.\-]{1,60})(?P<sign>=|\s{1,3})")
# `name="key" … value="value"`, in markup and in JSON; also the other way round.
_NAMED_BY = r"\b(?:name|key|field|label|id|attribute|column|placeholder|type)"
_IS = rf"(?:{_MARK})?\s{{0,2}}[=:]\s{{0,2}}"
_VALUED = rf"\b(?:value|text|answer|content|val){_IS}"
_BESIDE = re.compile(
    rf"{_NAMED_BY}{_IS}{_MARK}(?P<key>{_WORDS}?){_MARK}[^<>{{}}]{{0,120}}?{_VALUED}"
)
_BEFORE = re.compile(
    rf"""{_VALUED}{_MARK}(?P<bare>[^"'\\\n<>]{{1,120}}){_MARK}"""
    rf"[^<>{{}}]{{0,120}}?{_NAMED_BY}{_IS}{_MARK}(?P<key>{_WORDS}?){_MARK}"
)
_PART = re.compile(
    rf'form-data;\s?name="(?P<key>{_WORDS}?)"\r?\n\r?\n(?P<bare>.{{1,120}})'
)
_QUOTED = re.compile(
    r"""\\{0,7}"(?P<double>[^"\\\n]{1,120})\\{0,7}\""""
    r"""|\\{0,7}'(?P<single>[^'\\\n]{1,120})\\{0,7}'"""
)
_NEXT_ITEM = re.compile(r"\s{0,3},\s{0,3}[^\s)\]}]")
_NUMBER = re.compile(r"\d[\d-]{1,30}(?![\w.])")
_REST = re.compile(r"[^\W_][^\n\"'`{}\[\]]{1,100}(?=\n|\Z)")
_BARE = re.compile(
    r"""[A-Z][a-z]{2,8}\.?\ \d{1,2}(?:st|nd|rd|th)?,?\ \d{4}(?!\w)"""
    r"""|[^\s"'`,;&<>(){}\[\]|\\=?]{1,60}"""
)
# More words of an unquoted value, up to a clear end.
_MORE = re.compile(
    rf"(?:(?:\ {PARTICLE}){{0,2}}\ (?![\w.\-]{{1,60}}[=:])"
    r"[A-Z0-9#][\w.'’#\-]{0,40}){1,6}"
    r"(?=\s*(?:[,;&|)}\]\"'\n]|\Z)|\s(?:--?\w|[\w.\-]{1,60}[=:]))"
)
_SENTENCE = re.compile(r"\ (?![\w.\-]{1,60}[=:])[A-Za-z]")
_UNION = re.compile(r"\s?\|\s?\w|\s=\s")
# `- **First name:** Mia`, `1. First name - Mia`, up to the end of the line.
_BULLET = r"^[\s>*+\-#\d.)|]{0,12}"
_LINE = (
    r"""[*_`]{0,3}[ \t]{1,3}[*_`"']{0,3}(?P<bare>[^\s*`"'][^\n*`"|;]{0,100}+)"""
    r"(?!\|\s?None)"
)
_LABEL = re.compile(
    rf"{_BULLET}(?P<key>[A-Za-z][\w.' \-\[\]]{{1,60}}?)[*_`]{{0,3}}\s?:{_LINE}",
    re.MULTILINE,
)
_DASHED = re.compile(
    rf"{_BULLET}(?P<key>[A-Za-z]\w{{0,30}}[ _][\w.' \-]{{1,40}}?)[*_`]{{0,3}}"
    rf"[ \t][-–—]{_LINE}",
    re.MULTILINE,
)
# `first_name: |`, with the value on the next line
_BLOCK = re.compile(
    rf"^[\s+\-]{{0,40}}(?P<key>{_KEY}):[ \t]*(?:[|>][+\-\d]{{0,2}})?[ \t]*\n"
    r"[ \t]{1,40}(?:-\ )?(?P<bare>[^\s:][^\n:]{0,120})$",
    re.MULTILINE,
)
_ELEMENT = re.compile(
    r"<(?P<key>[A-Za-z_][\w.:\-]{1,60})(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?"
    r"(?P<bare>[^<>\]]{1,120})(?:\]\]>)?</"
)
# `<dt>First name</dt><dd>Ada</dd>`, `<label>First name</label> <b>Ada</b>`
_SHOWN = re.compile(
    r"<(?:dt|label|b|strong|span|div)\b[^<>]{0,200}>\s{0,9}"
    r"(?P<key>[A-Za-z][\w.' \-\[\]]{1,60}?)\s?:?\s{0,9}</\w{1,9}>"
    r":?\s{0,9}<\w[^<>]{0,200}>\s{0,9}(?P<bare>[^<>]{1,120})<"
)
# "My first name is Mia", "the card ending in 1234", "I live at 12 Elm Street".
_SPOKEN = re.compile(
    r"""\b(?P<key>(?i:(?:first|last|middle|full|family)\ name|my\ name|zip(?:\ code)?|
    post(?:al\ |\ )?code|date\ of\ birth|dob|birthday|ssn|social\ security\ number|
    passport\ number|account\ number))\ (?i:is|was)\ (?P<bare>
    [A-Z][\w'’-]{1,30}(?:\ [A-Z][\w'’-]{1,30}){0,3}|[\w/-]{0,6}\d[\w/-]{2,12})
    |\b(?i:cards?|visa|mastercard|amex|paypal|account|one)\b[^.\n\d]{0,30}
    (?i:ending|ends)\ (?i:(?:in|with|on)\ )?(?i:the\ digits\ )?(?P<digits>\d{4})(?!\w)
    |\b(?i:last\ (?:four|4)(?:\ digits)?)\b[^.\n\d]{0,40}\ (?P<four>\d{4})(?!\w)
    |\b(?i:dob|born(?:\ on)?|date\ of\ birth)\ (?P<date>
    \d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})(?!\w)
    |\b(?i:my\ pin|pin\ code|pin\ number)(?i:\ is|:)\ (?P<pin>\d{4,8})(?!\w)
    |\b(?i:address\ is|lives?\ at|live\ at)\ (?P<place>\d{1,6}\ [A-Z][\w.'’-]{0,30}
    (?:,?\ (?:[A-Z][\w.'’-]{0,30}|\#?\d{1,6}[A-Z]?\b)){1,9})""",
    re.VERBOSE,
)
_VARIABLE = re.compile(r"[a-z_]\w*|\w*_\w*")
_BREAKS_OBJECT = re.compile(r"[{}]|\n\s*\n")
_COMPANY = 400  # characters within which two fields are of the same object


@lru_cache(maxsize=2048)
def find(text: str) -> tuple[FieldSpan, ...]:
    """The values in a text that their field names announce as private."""
    lower = text.lower()
    if not any(word in lower for word in _NEEDED):
        return ()
    if "\\" in text:
        text = _BREAK.sub(" \n", text)
    rows = (_trimmed(text, *cell) for cell in tables.cells(text))
    matches = sorted({*_fields(text), *rows}, key=lambda span: (span.start, -span.end))
    people = [
        (span.start, span.kind) for span in matches if _is_of_a_person(text, span)
    ]
    resolved = (span._replace(kind=_resolved(text, span, people)) for span in matches)
    spans: list[FieldSpan] = []
    for span in resolved:
        if spans and span.start < spans[-1].end:
            continue
        if span.kind and is_value(span.kind, text[span.start : span.end]):
            spans.append(span._replace(kind=label_of(span.kind)))
    return tuple(spans)


def _is_of_a_person(text: str, span: FieldSpan) -> bool:
    """Whether a field shows that those beside it are a person's."""
    value = text[span.start : span.end]
    is_any = span.kind == "EMAIL" or value[:1] in ("", "<")
    return span.kind in OF_A_PERSON and (is_any or is_value(span.kind, value))


def _resolved(text: str, span: FieldSpan, people: list[tuple[int, str]]) -> str:
    """The kind of a field; of an ambiguous one, by the fields beside it."""
    if in_context(span.kind, is_person=False) == span.kind:
        return span.kind
    at = bisect_left(people, (span.start, ""))
    beside = [
        kind
        for other, kind in people[max(at - 1, 0) : at + 2]
        if other != span.start and _is_near(text, span, other)
    ]
    value = text[span.start : span.end]
    is_alone = set(beside) == {"EMAIL"} and " " not in value
    is_person = value[:1].isupper() and not is_heading(value) and not is_alone
    if span.kind == SOME_NAME and not is_person:
        return ""  # of a package, a tool or a field
    return in_context(span.kind, is_person=bool(beside))


def _is_near(text: str, span: FieldSpan, other: int) -> bool:
    """Whether two fields are in the same object."""
    between = sorted((span.end if other > span.start else span.start, other))
    return abs(other - span.start) <= _COMPANY and not _BREAKS_OBJECT.search(
        text, *between
    )


def _fields(text: str) -> Iterator[FieldSpan]:
    for match, kind in _named(text, _IN_OBJECT):
        yield from _in_object(text, match, kind)
    for pattern in (_PAIR, _BESIDE):
        for match, kind in _named(text, pattern):
            yield from _quoted(text, match.end(), kind, is_apart=True)
    for pattern in (_ASSIGNED, _INLINE, _OPTION):
        for match, kind in _named(text, pattern):
            yield from _assigned(text, match, kind)
    for pattern in (_LABEL, _DASHED, _BLOCK, _ELEMENT, _SHOWN, _BEFORE, _PART):
        for match, kind in _named(text, pattern):
            yield _trimmed(text, *match.span("bare"), kind)
    yield from _spoken(text)


def _named(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
    for match in pattern.finditer(text):
        if kind := kind_of(match["key"]):
            yield match, kind


def _in_object(text: str, match: re.Match[str], kind: str) -> Iterator[FieldSpan]:
    at = match.end()
    if match["open"] == "{":  # an object: its fields and those around it are a person's
        whose = "NAME" if kind in (SOME_NAME, WHO) else kind
        yield from (
            FieldSpan(position, position, whose)
            for position in (match.start("open"), at)
        )
    elif bare := _REST.match(text, at) or _NUMBER.match(text, at):
        if kind == SECRET or not bare[0][0].islower():
            yield _trimmed(text, *bare.span(), kind)
    else:
        yield from _quoted(text, at, kind)


def _quoted(
    text: str, at: int, kind: str, *, is_apart: bool = False
) -> Iterator[FieldSpan]:
    """A quoted value; one apart from its field name must not be a name itself."""
    if not (match := _QUOTED.match(text, at)):
        return
    group = "double" if match["double"] else "single"
    value = match[group]
    is_name = kind in ("NAME", SOME_NAME, WHO) and not value[:1].isupper()
    is_listed = kind == SECRET and _NEXT_ITEM.match(text, match.end())
    if is_apart and (is_heading(value) or is_name or is_listed):
        return
    yield _trimmed(text, *match.span(group), kind)


def _assigned(text: str, match: re.Match[str], kind: str) -> Iterator[FieldSpan]:
    at = match.end()
    quote = text[match.start() - 1 : match.start()] if match.start() else ""
    if quote in ("'", '"') and match["sign"] == "=":  # `-F 'key=value'`
        end = text.find(quote, at, at + 120)
        if end > at and not re.search(r"[&=\n]", text[at:end]):
            yield _trimmed(text, at, end, kind)
            return
    if _QUOTED.match(text, at):
        yield from _quoted(text, at, kind)
    elif (bare := _BARE.match(text, at)) and _can_be_bare(match, bare, kind):
        yield _trimmed(text, at, _end(bare), kind)


def _end(bare: re.Match[str]) -> int:
    more = _MORE.match(bare.string, bare.end())
    return more.end() if more else bare.end()


def _can_be_bare(match: re.Match[str], bare: re.Match[str], kind: str) -> bool:
    """Whether unquoted text after a field name is a value, not code."""
    text, value, end = bare.string, bare[0], bare.end()
    before = text[match.start() - 1 : match.start()]
    if text[end : end + 1] in ("(", "[", "{") or _UNION.match(text, end):
        return False  # a call, or a type
    if match["sign"] == "=" and (before in ("?", "&") or text[end : end + 1] == "&"):
        return True  # a query
    goes_on = _SENTENCE.match(text, end) and not _MORE.match(text, end)
    if kind in ("NAME", SOME_NAME, WHO) and match["sign"] == ":" and goes_on:
        return False  # the first word of a sentence
    whole = text[bare.start() : _end(bare)]
    return is_bare_value(kind, whole) and not _is_variable(kind, value)


def _is_variable(kind: str, value: str) -> bool:
    is_name = kind in ("NAME", SOME_NAME, WHO)
    return not is_name and _VARIABLE.fullmatch(value) is not None


def _spoken(text: str) -> Iterator[FieldSpan]:
    for match in _SPOKEN.finditer(text):
        if name := next(
            (group for group in ("digits", "four", "pin") if match[group]), ""
        ):
            yield FieldSpan(*match.span(name), "CARD")
        elif match["date"]:
            yield FieldSpan(*match.span("date"), "BIRTHDATE")
        elif match["place"]:
            yield _trimmed(text, *match.span("place"), "ADDRESS")
        else:
            kind = in_context(kind_of(match["key"].removeprefix("my ")), True)
            yield _trimmed(text, *match.span("bare"), kind)


def _trimmed(text: str, start: int, end: int, kind: str) -> FieldSpan:
    inner = text[start:end]
    left = len(inner) - len(inner.lstrip(" \t\r\n\"'"))
    return FieldSpan(start + left, start + len(inner.rstrip(" \t\r\n,.\"'")), kind)
