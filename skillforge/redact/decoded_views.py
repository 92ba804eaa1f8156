"""Decoded views of a text: no terminal escapes, invisible characters or encodings.

`grep --color` puts escapes into the middle of a key, so that no pattern matches it. A
view maps each of its characters to the text: a match in a view is replaced in the text,
and the rest of the text stays unchanged.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

Put = Callable[[re.Match[str]], str]
_ROUNDS = 3  # a text may be escaped twice
_ESC = r"(?:\x1b|\\{1,4}(?:e|E|033|x1[bB]|u001[bB])|\^\[|\u241b)"
_STRING = (  # hyperlinks, titles and the like
    rf"{_ESC}\][^\x07\x1b\x9c\n]{{0,2000}}+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[PX^_][^\x1b\x9c]{0,2000}+(?:\x1b\\|\x9c)"
)
_LONG = re.compile(_STRING)
_ANSI = (
    rf"{_ESC}\[[0-9;:<=>?]{{0,40}}[ -/]{{0,3}}[@-~]"  # CSI: colours and the like
    r"|\x9b[0-?]{0,40}[ -/]{0,3}[@-~]"
    rf"|{_STRING}"
    r"|\x1b[ #%()*+\-./][0-~]|\x1b[0-OQ-WYZ\\`-~]"  # character sets, single letters
    r"|\[(?:\d{1,3}(?:;\d{1,3}){0,8})?m(?:\[K)?"  # without the escape character
    r"|.\x08"  # bold by overstriking
)
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
    "\u0300-\u0333\x00-\x07\x0e-\x1a\x7f"  # accents apart from their letters; controls
)
_NOISE = re.compile(rf"{_ANSI}|[{_UNSEEN}]")
_NOISY = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\[\\]")
_NAMED = (
    "quot|apos|amp|lt|gt|nbsp|sol|bsol|colon|semi|equals|commat|period|lowbar|hyphen|"
    "dash|num|dollar|percnt|excl|quest|plus|ast|lpar|rpar|lsqb|rsqb|lbrack|rbrack|"
    "lcub|rcub|comma|shy|zwj|zwnj|NewLine|Tab"
)
_WIDE = "\uff01-\uff5e\U0001d400-\U0001d7ff\u2070-\u209c\u24b6-\u24e9"
_ENCODED = re.compile(
    r"%(?P<percent>[0-9A-Fa-f]{2})|%u(?P<wide_percent>[0-9A-Fa-f]{4})"
    r"|\\{1,4}(?:x(?P<hex>[0-9A-Fa-f]{2})|u(?P<four>[0-9A-Fa-f]{4})|"
    r"u\{(?P<braced>[0-9A-Fa-f]{1,6})\}|U(?P<eight>[0-9A-Fa-f]{8})|"
    r"(?P<octal>[01][0-7]{2}(?!\d))|(?P<slash>/))"
    rf"|(?P<entity>&(?:\#\d{{1,7}}|\#[xX][0-9A-Fa-f]{{1,6}}|{_NAMED});)"
    rf"|(?P<wide>[{_WIDE}])"
)
_BASES = {
    "percent": 16,
    "wide_percent": 16,
    "hex": 16,
    "four": 16,
    "braced": 16,
    "eight": 16,
    "octal": 8,
}
_SOFT_BREAK = re.compile(r"(?<=[^\s=])=\r?\n(?=\S)")
_CONTINUED = re.compile(r"\\\r?\n")  # a command of a shell
_QUOTED_PRINTABLE = re.compile(rf"=(?P<percent>[0-9A-F]{{2}})|{_SOFT_BREAK.pattern}")
_VANISHES = re.compile(rf"[{_UNSEEN}\x1b\x9b\x08]")


class Edit(NamedTuple):
    """A part of a text, and its replacement in a view."""

    start: int
    end: int
    put: str


class DecodedView:
    """A decoded text, and the place of each of its characters in the original.

    `edits` is called only if there is a match in the view.
    """

    def __init__(
        self,
        text: str,
        source: "DecodedView | None" = None,
        edits: Callable[[], Sequence[Edit]] = tuple,
    ) -> None:
        self.text = text
        self._source = source
        self._list = edits

    @cached_property
    def _edits(self) -> Sequence[Edit]:
        return self._list()

    @cached_property
    def _at(self) -> list[int]:
        """The start of each edit in this view."""
        starts = []
        last = size = 0
        for start, end, put in self._edits:
            size += start - last
            starts.append(size)
            size += len(put)
            last = end
        return starts

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original text of a part of this view."""
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
def views(text: str) -> tuple[DecodedView, ...]:
    """The views of a text to search: itself, and each decoded further than the last.

    Invisible characters may be inside a word or between two words: there is a view for
    either case, and one of long hidden parts, such as a link.
    """
    decoded = [DecodedView(text)]
    for _ in range(_ROUNDS):
        count = len(decoded)
        source = decoded[-1]
        if _is_noisy(source.text):
            decoded[-1:] = [
                substituted(source, _NOISE, " "),
                *_hidden(source),
                substituted(source, _NOISE, ""),
            ]
        for pattern in _encodings(decoded[-1].text):
            view = substituted(decoded[-1], pattern, _letter)
            decoded += [view] if view.text != decoded[-1].text else []
        if len(decoded) == count:
            break
    return tuple(decoded)


def substituted(
    source: DecodedView, pattern: re.Pattern[str], put: str | Put
) -> DecodedView:
    """A view in which each match is replaced."""
    edits = partial(_edits, source.text, pattern, put)
    return DecodedView(pattern.sub(put, source.text), source, edits)


def _edits(text: str, pattern: re.Pattern[str], put: str | Put) -> list[Edit]:
    edits = (
        Edit(*match.span(), put if isinstance(put, str) else put(match))
        for match in pattern.finditer(text)
    )
    return [edit for edit in edits if edit.put != text[edit.start : edit.end]]


def replaced(text: str, edits: Iterable[Edit]) -> str:
    """A text after edits, which are sorted and do not overlap."""
    parts: list[str] = []
    last = 0
    for start, end, put in edits:
        parts += text[last:start], put
        last = end
    return "".join((*parts, text[last:])) if parts else text


def _hidden(source: DecodedView) -> Iterator[DecodedView]:
    """A view of the long hidden parts, one on each line."""
    places = [match.span() for match in _LONG.finditer(source.text)]
    if places:
        ends = [0, *(at for place in places for at in place), len(source.text)]
        around = zip(ends[::2], ends[1::2], strict=True)
        edits = [Edit(start, end, "\n") for start, end in around]
        yield DecodedView(replaced(source.text, edits), source, lambda: edits)


def without_overlaps(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Edits by place, the longest first, without those that overlap an earlier one."""
    last = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= last:
            yield edit
            last = edit.end


def plain(text: str) -> str:
    """The last view of a text, which is decoded completely."""
    return views(text)[-1].text


def _is_noisy(text: str) -> bool:
    """Whether a text has characters that a terminal or a page does not show."""
    if text.isascii() and not _NOISY.search(text):
        return False
    return _NOISE.search(text) is not None


def _encodings(text: str) -> Iterator[re.Pattern[str]]:
    """The encodings to undo: continued lines of mail or shell, and characters."""
    if "=" in text and _SOFT_BREAK.search(text):
        yield _QUOTED_PRINTABLE
    elif "\\" in text:
        yield _CONTINUED
    if not text.isascii() or any(sign in text for sign in "%\\&="):
        yield _ENCODED


def _letter(match: re.Match[str]) -> str:
    """The decoded character; unchanged if no pattern needs it."""
    group = match.lastgroup
    if not group:
        return ""  # a soft line break
    letter = "/" if group == "slash" else _known_letter(group, match[group])
    return match[0] if letter is None else letter


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
