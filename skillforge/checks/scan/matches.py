"""All matches of signs in a skill, and which of them are near each other.

Signs are searched when a rule asks for them (see `search`), each once in the whole
text of a skill.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice, pairwise

from skillforge.checks.scan import hosts
from skillforge.checks.scan.budget import Span
from skillforge.checks.scan.hosts import Host
from skillforge.checks.scan.normalize import SOFT
from skillforge.checks.scan.search import Search
from skillforge.checks.scan.segments import Segment, SegmentView
from skillforge.checks.scan.signs import Sign, own_signs
from skillforge.checks.scan.text_extraction import Notice
from skillforge.text import occurrences

_MOST = 5  # times that the very same line of a file is reported
_FAR = 2000  # characters of a line that count as nearby, for each line that does
# Matches in one file, beyond which it is reported as unread. Honest files have 70.
_MOST_OF_SIGN = 1000
_MOST_LINKS = 5000
_NEAREST = 100  # links, where a line has more
_SHOWN = 160  # characters of a match that a finding quotes


@dataclass(frozen=True, slots=True)
class SignMatch:
    """A match of a sign, or a link, and where it is."""

    sign: str
    piece: Segment = field(repr=False)
    line: int
    text: str  # what matched
    context: str = field(default="", repr=False)  # the line around it
    at: int = 0  # its place in the piece
    link: hosts.HostLink | None = None
    is_command: bool = False

    @property
    def path(self) -> str:
        return self.piece.path

    @property
    def view(self) -> SegmentView:
        return self.piece.view

    @property
    def shown(self) -> str:
        """The line that contains it, as written where that is known."""
        text = self.piece.text
        start, end = _line_around(text, self.at)
        start = max(start, text.rfind(SOFT, start, self.at) + 1)
        stop = text.find(SOFT, self.at, end)
        end = stop if stop >= 0 else end
        return self.piece.written(start, end) or text[start:end]

    @property
    def host(self) -> str:
        return self.link.host if self.link else ""

    @property
    def kind(self) -> Host | None:
        return self.link.kind if self.link else None


class ScanMatches:
    """The signs, links and notices of one skill."""

    def __init__(
        self,
        found: Iterable[Segment | Notice],
        about: str = "",
        signs: Mapping[str, Sign] | None = None,
    ) -> None:
        """`signs` are those of a library, which are searched beside our own."""
        self._known = {**own_signs(), **(signs or {})}
        words = re.findall(r"[a-z0-9]+", about.lower())
        pairs = (a + b for a, b in pairwise(words))
        self.about = frozenset((*words, *pairs))  # `csv tables` is also `csvtables`
        self.pieces: list[Segment] = []
        self._notices: list[Notice] = []
        self._crowded: dict[str, None] = {}  # paths, in order
        for item in found:
            if isinstance(item, Notice):
                self._notices.append(item)
            else:
                self.pieces.append(item)
        # All pieces in one text: one search for a word is faster than one for each.
        self._text = "\n".join(piece.text for piece in self.pieces)
        ends = accumulate(len(piece.text) + 1 for piece in self.pieces)
        self._starts = [0, *ends]
        self._numbers = {id(piece): number for number, piece in enumerate(self.pieces)}
        paths = (piece.path for piece in self.pieces)
        files = list(zip(self._starts, paths, strict=False))
        self._search = Search(self._text, files)
        self._signs: dict[str, list[SignMatch]] = {}
        self._lines: dict[int, list[int]] = {}

    @property
    def notices(self) -> list[Notice]:
        """Notices about files; complete when all signs have been searched."""
        words = "more signs of attacks than can be read"
        paths = {**self._crowded, **dict.fromkeys(self._search.unread)}
        return [*self._notices, *(Notice("unread", path, words) for path in paths)]

    @cached_property
    def links(self) -> list[SignMatch]:
        found = (
            (link.offset, link.offset, link)
            for start, end in pairwise(self._starts)
            for link in islice(hosts.links(self._text, start, end), _MOST_LINKS + 1)
        )
        return list(self._matches_of("link", found, _MOST_LINKS))

    def of(self, *names: str) -> list[SignMatch]:
        """The matches of some signs."""
        found: list[SignMatch] = []
        for name in names:
            if name not in self._signs:
                spans = ((low, high, None) for low, high in self._all(name))
                self._signs[name] = list(self._matches_of(name, spans))
            found += self._signs[name]
        return found

    def near(
        self, first: Iterable[SignMatch], names: Iterable[str], lines: int
    ) -> Iterator[tuple[SignMatch, SignMatch]]:
        """Each of some matches with the first of other signs at most so far away."""
        wanted = tuple(names)
        for match in first:
            other = self.beside(match, wanted, lines)
            if other is not None:
                yield match, other

    def beside(
        self, match: SignMatch, names: Iterable[str], lines: int
    ) -> SignMatch | None:
        """The first of some signs that is at most so many lines from a match."""
        signs = [name for name in names if self._all(name)]
        for number in self._pieces_of[match.path] if signs else ():
            if self.pieces[number].line > match.line + lines:
                continue
            start, end = self._span(number, match.line - lines, match.line + lines)
            if self.pieces[number] is match.piece:
                here = self._starts[number] + match.at
                far = _FAR * (lines + 1)
                start, end = max(start, here - far), min(end, here + far)
            for name in signs if start < end else ():
                if found := self._first(name, start, end):
                    return found
        return None

    def _first(self, name: str, start: int, end: int) -> SignMatch | None:
        """The first match of a sign in a part of the text."""
        matches = self._all(name)
        at = bisect_left(matches, start, key=lambda span: span[0])
        if at == len(matches) or matches[at][0] >= end:
            return None
        low, high = matches[at]
        return self._match(name, low, high)

    def links_near(
        self, match: SignMatch, lines: int, kinds: Iterable[Host]
    ) -> list[SignMatch]:
        """Links of some kinds at most so many lines away."""
        wanted = set(kinds)
        mine = self._links_of.get(match.path, [])
        low = bisect_left(mine, match.line - lines, key=lambda link: link.line)
        high = bisect_right(mine, match.line + lines, key=lambda link: link.line)
        if high - low > _NEAREST:
            here = bisect_left(mine, self._position(match), key=self._position)
            low = max(low, here - _NEAREST // 2)
            high = min(high, here + _NEAREST // 2)
        return [link for link in mine[low:high] if link.kind in wanted]

    def _position(self, match: SignMatch) -> tuple[int, int]:
        """Where a match is: its line, and how far into the whole text."""
        return match.line, self._starts[self._numbers[id(match.piece)]] + match.at

    @cached_property
    def _links_of(self) -> dict[str, list[SignMatch]]:
        """The links of each file, in the order of lines."""
        found: dict[str, list[SignMatch]] = {}
        for link in sorted(self.links, key=self._position):
            found.setdefault(link.path, []).append(link)
        return found

    @cached_property
    def _pieces_of(self) -> dict[str, list[int]]:
        """The numbers of the pieces of each file."""
        found: dict[str, list[int]] = {}
        for number, piece in enumerate(self.pieces):
            found.setdefault(piece.path, []).append(number)
        return found

    def is_written(self, word: str) -> bool:
        """Whether any file contains these exact letters."""
        return any(word in raw for raw in self._raws)

    @cached_property
    def _raws(self) -> set[str]:
        return {piece.raw for piece in self.pieces}

    def _all(self, name: str) -> list[Span]:
        """Where a sign is in the whole text, in order."""
        return self._search.matches(self._known[name])

    def _matches_of(
        self,
        name: str,
        found: Iterable[tuple[int, int, hosts.HostLink | None]],
        most: int = _MOST_OF_SIGN,
    ) -> Iterator[SignMatch]:
        """Matches, without repetitions and with a limit for each file."""
        repeated: Counter[tuple[str, str]] = Counter()
        count: Counter[str] = Counter()
        for start, end, link in found:
            match = self._match(name, start, end, link)
            count[match.path] += 1
            if count[match.path] > most:
                self._crowded[match.path] = None
                continue
            # The very same line again is nothing new; another line might be.
            repeated[match.path, match.context] += 1
            if link or repeated[match.path, match.context] <= _MOST:
                yield match

    def _match(
        self, name: str, at: int, end: int, link: hosts.HostLink | None = None
    ) -> SignMatch:
        number = bisect_right(self._starts, at) - 1
        piece, inside = self.pieces[number], at - self._starts[number]
        around = _around(piece.text, inside)
        text = link.host + link.rest if link else self._text[at:end]
        line = self._line(number, inside)
        is_command = not link and self._known[name].is_command
        return SignMatch(name, piece, line, text, around, inside, link, is_command)

    def _line(self, number: int, inside: int) -> int:
        piece = self.pieces[number]
        if piece.hidden_by and not piece.numbers:
            return piece.line
        line = bisect_right(self._breaks(number), inside) - 1
        if piece.numbers:
            return piece.numbers[min(line, len(piece.numbers) - 1)]
        return piece.line + line

    def _span(self, number: int, first: int, last: int) -> tuple[int, int]:
        """The part of the text that a piece has on some lines of its file."""
        piece, start = self.pieces[number], self._starts[number]
        if piece.hidden_by and not piece.numbers:
            is_there = first <= piece.line <= last
            return (start, start + len(piece.text)) if is_there else (0, 0)
        breaks = self._breaks(number)
        low, high = first - piece.line, last - piece.line
        if piece.numbers:  # which are in order
            low = bisect_left(piece.numbers, first)
            high = bisect_right(piece.numbers, last) - 1
        if high < max(low, 0) or low >= len(breaks):
            return 0, 0
        end = breaks[high + 1] if high + 1 < len(breaks) else len(piece.text)
        return start + breaks[max(low, 0)], start + end

    def _breaks(self, number: int) -> list[int]:
        """Where the lines of a piece begin."""
        if number not in self._lines:
            text = self.pieces[number].text
            ends = [*occurrences(text, "\n"), *occurrences(text, SOFT)]
            self._lines[number] = [0, *sorted(at + 1 for at in ends)]
        return self._lines[number]


def _line_around(text: str, at: int) -> tuple[int, int]:
    """The line around a position; of a very long one, what is near."""
    start = max(text.rfind("\n", max(0, at - 200), at) + 1, at - 200, 0)
    end = text.find("\n", at, at + 300)
    return start, end if end >= 0 else min(len(text), at + 300)


def _around(text: str, at: int) -> str:
    start, end = _line_around(text, at)
    return text[start:end]


def quoted(text: str) -> str:
    """A text as a finding quotes it: on one line, and not too long."""
    shown = " ".join(text.split())
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
