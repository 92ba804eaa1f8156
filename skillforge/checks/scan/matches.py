"""All that was seen in a skill, and which signs stand together.

Signs are searched when a rule asks for them (see `search`), each once in the whole
text of a skill.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice, pairwise

from skillforge.checks.scan import hosts
from skillforge.checks.scan.budget import Span
from skillforge.checks.scan.hosts import Host
from skillforge.checks.scan.normalize import SOFT
from skillforge.checks.scan.search import Search
from skillforge.checks.scan.segments import Segment, SegmentView
from skillforge.checks.scan.signs import SIGNS
from skillforge.checks.scan.text_extraction import Notice
from skillforge.text import occurrences

_MOST = 5  # times that the very same line of a file is looked at
_FAR = 2000  # characters of a line that count as nearby, for each line that does
# Sightings in one file, beyond which it is reported as unread. Honest files have 70.
_MOST_OF_SIGN = 1000
_MOST_LINKS = 5000
_NEAREST = 100  # links, where a line has more
_SHOWN = 160  # characters of a sighting that a finding quotes


@dataclass(frozen=True, slots=True)
class SignMatch:
    """A sign, or a link, and where it was seen."""

    sign: str
    piece: Segment = field(repr=False)
    line: int
    text: str  # what matched
    context: str = field(default="", repr=False)  # the line around it
    at: int = 0  # its place in the piece
    link: hosts.HostLink | None = None

    @property
    def path(self) -> str:
        return self.piece.path

    @property
    def view(self) -> SegmentView:
        return self.piece.view

    @property
    def shown(self) -> str:
        """The line that it stands on, as it is written where that is known."""
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

    def __init__(self, found: Iterable[Segment | Notice], about: str = "") -> None:
        words = re.findall(r"[a-z0-9]+", about.lower())
        pairs = (a + b for a, b in pairwise(words))
        self.about = frozenset((*words, *pairs))  # `csv tables` is also `csvtables`
        self.pieces: list[Segment] = []
        self._notices: list[Notice] = []
        self._crowded: dict[str, None] = {}  # paths, in order
        for each in found:
            if isinstance(each, Notice):
                self._notices.append(each)
            else:
                self.pieces.append(each)
        # All pieces in one text: to look for a word once is faster than in each.
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
        """What is to be said of files; complete when all signs were asked for."""
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
        return list(self._sightings("link", found, _MOST_LINKS))

    def of(self, *names: str) -> list[SignMatch]:
        """Where some signs were seen."""
        found: list[SignMatch] = []
        for name in names:
            if name not in self._signs:
                spans = ((low, high, None) for low, high in self._all(name))
                self._signs[name] = list(self._sightings(name, spans))
            found += self._signs[name]
        return found

    def near(
        self, first: Iterable[SignMatch], names: Iterable[str], lines: int
    ) -> Iterator[tuple[SignMatch, SignMatch]]:
        """Each of some sightings with the first of other signs at most so far away."""
        wanted = tuple(names)
        for one in first:
            other = self.beside(one, wanted, lines)
            if other is not None:
                yield one, other

    def beside(
        self, one: SignMatch, names: Iterable[str], lines: int
    ) -> SignMatch | None:
        """The first of some signs that stands at most so many lines from another."""
        signs = [name for name in names if self._all(name)]
        for number in self._pieces_of[one.path] if signs else ():
            if self.pieces[number].line > one.line + lines:
                continue
            start, end = self._span(number, one.line - lines, one.line + lines)
            if self.pieces[number] is one.piece:
                here = self._starts[number] + one.at
                far = _FAR * (lines + 1)
                start, end = max(start, here - far), min(end, here + far)
            for name in signs if start < end else ():
                if found := self._first(name, start, end):
                    return found
        return None

    def _first(self, name: str, start: int, end: int) -> SignMatch | None:
        """The first match of a sign in a part of the text."""
        matches = self._all(name)
        at = bisect_left(matches, start, key=lambda match: match[0])
        if at == len(matches) or matches[at][0] >= end:
            return None
        low, high = matches[at]
        return self._sighting(name, low, high)

    def links_near(
        self, seen: SignMatch, lines: int, kinds: Iterable[Host]
    ) -> list[SignMatch]:
        """Links of some kinds at most so many lines away."""
        wanted = set(kinds)
        mine = self._links_of.get(seen.path, [])
        low = bisect_left(mine, seen.line - lines, key=lambda link: link.line)
        high = bisect_right(mine, seen.line + lines, key=lambda link: link.line)
        if high - low > _NEAREST:
            here = bisect_left(mine, self._place(seen), key=self._place)
            low = max(low, here - _NEAREST // 2)
            high = min(high, here + _NEAREST // 2)
        return [link for link in mine[low:high] if link.kind in wanted]

    def _place(self, seen: SignMatch) -> tuple[int, int]:
        """Where something stands: its line, and how far into the whole text."""
        return seen.line, self._starts[self._numbers[id(seen.piece)]] + seen.at

    @cached_property
    def _links_of(self) -> dict[str, list[SignMatch]]:
        """The links of each file, in the order of lines."""
        found: dict[str, list[SignMatch]] = {}
        for link in sorted(self.links, key=self._place):
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
        """Whether some file has these very letters."""
        return any(word in raw for raw in self._raws)

    @cached_property
    def _raws(self) -> set[str]:
        return {piece.raw for piece in self.pieces}

    def _all(self, name: str) -> list[Span]:
        """Where a sign is in the whole text, in order."""
        return self._search.matches(SIGNS[name])

    def _sightings(
        self,
        name: str,
        found: Iterable[tuple[int, int, hosts.HostLink | None]],
        most: int = _MOST_OF_SIGN,
    ) -> Iterator[SignMatch]:
        """Sightings, but for what tells nothing new and for a crowd in one file."""
        told: Counter[tuple[str, str]] = Counter()
        count: Counter[str] = Counter()
        for start, end, link in found:
            seen = self._sighting(name, start, end, link)
            count[seen.path] += 1
            if count[seen.path] > most:
                self._crowded[seen.path] = None
                continue
            # The very same line again tells nothing new; another one might.
            told[seen.path, seen.context] += 1
            if link or told[seen.path, seen.context] <= _MOST:
                yield seen

    def _sighting(
        self, name: str, at: int, end: int, link: hosts.HostLink | None = None
    ) -> SignMatch:
        number = bisect_right(self._starts, at) - 1
        piece, inside = self.pieces[number], at - self._starts[number]
        around = _around(piece.text, inside)
        text = link.host + link.rest if link else self._text[at:end]
        return SignMatch(
            name, piece, self._line(number, inside), text, around, inside, link
        )

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
    """The line that a place is on; of a very long one, what is near."""
    start = max(text.rfind("\n", max(0, at - 200), at) + 1, at - 200, 0)
    end = text.find("\n", at, at + 300)
    return start, end if end >= 0 else min(len(text), at + 300)


def _around(text: str, at: int) -> str:
    start, end = _line_around(text, at)
    return text[start:end]


def quoted(text: str) -> str:
    """What a finding shows of a text: on one line, and not too long."""
    shown = " ".join(text.split())
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
