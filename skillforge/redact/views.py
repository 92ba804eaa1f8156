"""Plainer copies of a text: no terminal escapes, no invisible letters, decoded.

`grep --color` puts escapes into the middle of a key, so that no pattern finds it. Every
copy knows which part of the text each of its letters comes from: what is found in a
copy is replaced in the text, and the rest of the text stays as it is.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

Span = tuple[int, int]
_LONG = 20  # letters of a hidden part that may hold something private
_ROUNDS = 3  # what is escaped twice is decoded twice
_ESC = r"(?:\x1b|\\{1,4}(?:e|E|033|x1[bB]|u001[bB])|\^\[|\u241b)"
_ANSI = (
    rf"{_ESC}\[[0-9;:<=>?]{{0,40}}[ -/]{{0,3}}[@-~]"  # CSI: colours and the like
    r"|\x9b[0-?]{0,40}[ -/]{0,3}[@-~]"
    rf"|{_ESC}\][^\x07\x1b\x9c\n]{{0,2000}}+(?:\x07|\x1b\\|\x9c)"  # OSC: hyperlinks
    r"|\x1b[PX^_][^\x1b\x9c]{0,2000}+(?:\x1b\\|\x9c)"
    r"|\x1b[ #%()*+\-./][0-~]|\x1b[0-OQ-WYZ\\`-~]"  # character sets, single letters
    r"|\[(?:\d{1,3}(?:;\d{1,3}){0,8})?m(?:\[K)?"  # whose escape letter was dropped
    r"|.\x08"  # bold by overstriking
)
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_NOISE = re.compile(rf"{_ANSI}|[{_UNSEEN}\x00]")
_NOISY = ("\x1b", "\x08", "\x00", "[", "\\")
_NAMED = (
    "quot|apos|amp|lt|gt|nbsp|sol|bsol|colon|semi|equals|commat|period|lowbar|hyphen|"
    "dash|num|dollar|percnt|excl|quest|plus|ast|lpar|rpar|lsqb|rsqb|lbrack|rbrack|"
    "lcub|rcub|comma|shy|zwj|zwnj|NewLine|Tab"
)
_WIDE = "\uff01-\uff5e\U0001d400-\U0001d7ff\u2070-\u209c\u24b6-\u24e9"
_ENCODED = re.compile(
    r"%(?P<percent>[0-9A-Fa-f]{2})"
    r"|\\{1,4}(?:x(?P<hex>[0-9A-Fa-f]{2})|u(?P<four>[0-9A-Fa-f]{4})|"
    r"u\{(?P<braced>[0-9A-Fa-f]{1,6})\}|U(?P<eight>[0-9A-Fa-f]{8})|"
    r"(?P<octal>[01][0-7]{2}(?!\d))|(?P<slash>/))"
    rf"|(?P<entity>&(?:\#\d{{1,7}}|\#[xX][0-9A-Fa-f]{{1,6}}|{_NAMED});)"
    rf"|(?P<wide>[{_WIDE}])"
)
_BASES = {"percent": 16, "hex": 16, "four": 16, "braced": 16, "eight": 16, "octal": 8}
_SOFT_BREAK = re.compile(r"(?<=[^\s=])=\r?\n(?=\S)")
_CONTINUED = re.compile(r"\\\r?\n")  # a command of a shell
_QUOTED_PRINTABLE = re.compile(rf"=(?P<percent>[0-9A-F]{{2}})|{_SOFT_BREAK.pattern}")
_VANISHES = re.compile(rf"[{_UNSEEN}\x1b\x9b\x08]")


class Edit(NamedTuple):
    """A part of a text, and what is in its place in a copy."""

    start: int
    end: int
    put: str


class View:
    """A copy of a text, and where each of its letters is in the text."""

    __slots__ = ("_at", "_edits", "_source", "text")

    def __init__(self, source: "str | View", edits: Iterable[Edit] = ()) -> None:
        self._source = source if isinstance(source, View) else None
        whole = source.text if isinstance(source, View) else source
        self.text: str
        self._edits = list(edits)
        self._at: list[int] = []  # where each edit begins in this copy
        parts: list[str] = []
        last = size = 0
        for start, end, put in self._edits:
            parts += whole[last:start], put
            size += start - last
            self._at.append(size)
            size += len(put)
            last = end
        self.text = "".join((*parts, whole[last:])) if self._edits else whole

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of this copy is in the text that all copies are made of."""
        low = self._letter(start)[0]
        high = self._letter(end - 1)[1] if end > start else low
        return self._source.span(low, high) if self._source else (low, high)

    def _letter(self, at: int) -> tuple[int, int]:
        index = bisect_right(self._at, at) - 1
        if index < 0:
            return at, at + 1
        start, end, put = self._edits[index]
        beyond = at - self._at[index] - len(put)
        return (start, end) if beyond < 0 else (end + beyond, end + beyond + 1)


@lru_cache(maxsize=256)
def views(text: str) -> tuple[View, ...]:
    """Copies of a text to be searched: itself, and each plainer than the one before.

    What a terminal does not show may be in the middle of a word or between two: there
    is a copy for either reading, and one of long hidden parts, such as a link.
    """
    found = [View(text)]
    for _ in range(_ROUNDS):
        count = len(found)
        if noise := _noise(found[-1].text):
            source = found.pop()
            found.append(View(source, [Edit(*span, " ") for span in noise]))
            found += _hidden(source, noise)
            found.append(View(source, [Edit(*span, "") for span in noise]))
        for edits_of in (_joined, _decoded):
            if edits := edits_of(found[-1].text):
                found.append(View(found[-1], edits))
        if len(found) == count:
            break
    return tuple(found)


def _hidden(source: View, noise: Sequence[Span]) -> list[View]:
    """The long ones of the parts that are not shown, one on each line."""
    long = [span for span in noise if span[1] - span[0] > _LONG]
    ends = [0, *(at for span in long for at in span), len(source.text)]
    around = zip(ends[::2], ends[1::2], strict=True)
    edits = [Edit(start, end, "\n") for start, end in around]
    return [View(source, edits)] if long else []


def apart(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Edits in order, without those that overlap an earlier one."""
    last = 0
    for edit in edits:
        if edit.start >= last:
            yield edit
            last = edit.end


def plain(text: str) -> str:
    """The plainest copy of a text."""
    return views(text)[-1].text


def _noise(text: str) -> list[Span]:
    """Where there is what a terminal or a page does not show."""
    if text.isascii() and not any(sign in text for sign in _NOISY):
        return []
    return [match.span() for match in _NOISE.finditer(text)]


def _joined(text: str) -> list[Edit]:
    """Lines that a shell or a mail takes as one; with soft breaks, it is a mail."""
    if "=" in text and _SOFT_BREAK.search(text):
        return _edits(text, _QUOTED_PRINTABLE)
    return _edits(text, _CONTINUED) if "\\" in text else []


def _decoded(text: str) -> list[Edit]:
    """Letters that are written by their numbers or names, or in another width."""
    if text.isascii() and not any(sign in text for sign in "%\\&"):
        return []
    return _edits(text, _ENCODED)


def _edits(text: str, pattern: re.Pattern[str]) -> list[Edit]:
    puts = ((match, _letter(match)) for match in pattern.finditer(text))
    return [Edit(*match.span(), put) for match, put in puts if put is not None]


def _letter(match: re.Match[str]) -> str | None:
    """The letter that is meant; None, if it would help no pattern."""
    group = match.lastgroup
    if not group:
        return ""  # a soft line break
    return "/" if group == "slash" else _known_letter(group, match[group])


@lru_cache(maxsize=4096)
def _known_letter(group: str, value: str) -> str | None:
    if group in _BASES:
        number = int(value, _BASES[group])
        letter = chr(number) if number < 0x110000 else ""
    elif group == "entity":
        letter = html.unescape(value)
    else:
        letter = unicodedata.normalize("NFKC", value)
    if letter == "\u00a0":
        return " "
    is_plain = letter.isascii() and letter.isprintable() and letter != ""
    return letter if is_plain or _VANISHES.fullmatch(letter) else None
