"""All that was seen in a skill, and which signs stand together.

Signs are looked for when a rule asks for them, and only around the words that they
need: an honest skill, in which nothing rare is found, costs little.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise

from skillforge.checks.scan import hosts
from skillforge.checks.scan.hosts import Host
from skillforge.checks.scan.normal import SOFT
from skillforge.checks.scan.pieces import Piece, View
from skillforge.checks.scan.reading import Notice
from skillforge.checks.scan.signs import SIGNS, Sign
from skillforge.text import occurrences

_MOST = 5  # times that the very same line of a file is looked at
_REACH = 600  # characters before and behind a word that a pattern may look at
_OVERLAP = 100  # characters that two parts of a very long line have in common
_SHOWN = 160  # characters of a sighting that a finding quotes


@dataclass(frozen=True, slots=True)
class Sighting:
    """A sign, or a link, and where it was seen."""

    sign: str
    piece: Piece = field(repr=False)
    line: int
    text: str  # what matched
    context: str = field(default="", repr=False)  # the line around it
    at: int = 0  # its place in the piece
    link: hosts.Link | None = None

    @property
    def path(self) -> str:
        return self.piece.path

    @property
    def view(self) -> View:
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


class Seen:
    """The signs, links and notices of one skill."""

    def __init__(self, found: Iterable[Piece | Notice], about: str = "") -> None:
        words = re.findall(r"[a-z0-9]+", about.lower())
        pairs = (a + b for a, b in pairwise(words))
        self.about = frozenset((*words, *pairs))  # `csv tables` is also `csvtables`
        self.pieces: list[Piece] = []
        self.notices: list[Notice] = []
        for each in found:
            if isinstance(each, Notice):
                self.notices.append(each)
            else:
                self.pieces.append(each)
        # All pieces in one text: to look for a word once is faster than in each.
        self._text = "\n".join(piece.text for piece in self.pieces)
        ends = accumulate(len(piece.text) + 1 for piece in self.pieces)
        self._starts = [0, *ends]
        self._signs: dict[str, list[Sighting]] = {}
        self._words: dict[str, bool] = {}
        self._lines: dict[int, list[int]] = {}

    @cached_property
    def links(self) -> list[Sighting]:
        return [
            self._sighting("link", link.offset, link.host + link.rest, link)
            for link in hosts.links(self._text)
        ]

    def of(self, *names: str) -> list[Sighting]:
        """Where some signs were seen."""
        found: list[Sighting] = []
        for name in names:
            if name not in self._signs:
                everywhere = (0, len(self._text))
                looked = (self._look(sign, *everywhere) for sign in SIGNS[name])
                self._signs[name] = [seen for each in looked for seen in each]
            found += self._signs[name]
        return found

    def near(
        self, first: Iterable[Sighting], names: Iterable[str], lines: int
    ) -> Iterator[tuple[Sighting, Sighting]]:
        """Each of some sightings with the first of other signs at most so far away."""
        wanted = tuple(names)
        for one in first:
            other = self.beside(one, wanted, lines)
            if other is not None:
                yield one, other

    def beside(
        self, one: Sighting, names: Iterable[str], lines: int
    ) -> Sighting | None:
        """The first of some signs that stands at most so many lines from another."""
        signs = [s for n in names for s in SIGNS[n] if any(map(self._has, s.needs))]
        for number in self._pieces_of[one.path] if signs else ():
            if self.pieces[number].line > one.line + lines:
                continue
            start, end = self._span(number, one.line - lines, one.line + lines)
            for sign in signs if start < end else ():
                for found in self._look(sign, start, end):
                    return found
        return None

    def links_near(
        self, seen: Sighting, lines: int, kinds: Iterable[Host]
    ) -> list[Sighting]:
        """Links of some kinds at most so many lines away."""
        wanted = set(kinds)
        mine = self._links_of.get(seen.path, [])
        low = bisect_left(mine, seen.line - lines, key=lambda link: link.line)
        high = bisect_right(mine, seen.line + lines, key=lambda link: link.line)
        return [link for link in mine[low:high] if link.kind in wanted]

    @cached_property
    def _links_of(self) -> dict[str, list[Sighting]]:
        """The links of each file, in the order of lines."""
        found: dict[str, list[Sighting]] = {}
        for link in sorted(self.links, key=lambda link: link.line):
            found.setdefault(link.path, []).append(link)
        return found

    @cached_property
    def _pieces_of(self) -> dict[str, list[int]]:
        """The numbers of the pieces of each file."""
        found: dict[str, list[int]] = {}
        for number, piece in enumerate(self.pieces):
            found.setdefault(piece.path, []).append(number)
        return found

    def _has(self, word: str) -> bool:
        """Whether a word may stand somewhere; that it does not is certain."""
        if word not in self._words:
            is_one = " " not in word.strip()
            self._words[word] = word in (self._vocabulary if is_one else self._text)
        return self._words[word]

    def is_written(self, word: str) -> bool:
        """Whether some file has these very letters."""
        return any(word in piece.raw for piece in self.pieces)

    @cached_property
    def _vocabulary(self) -> str:
        """Every word once: far shorter than the text."""
        return f" {' '.join(set(self._text.split()))} "

    def _look(self, sign: Sign, start: int, end: int) -> Iterator[Sighting]:
        """Where a sign stands in a part of the text."""
        needs = [word for word in sign.needs if self._has(word)]
        told: Counter[tuple[str, str]] = Counter()
        for low, high in _windows(needs, self._text, start, end):
            for match in sign.pattern.finditer(self._text, low, high):
                at = match.end() - len(match[0].lstrip())
                seen = self._sighting(sign.name, at, match[0].strip()[:600])
                # The very same line again tells nothing new; another one might.
                told[seen.path, seen.context] += 1
                if told[seen.path, seen.context] <= _MOST:
                    yield seen

    def _sighting(
        self, name: str, at: int, text: str, link: hosts.Link | None = None
    ) -> Sighting:
        number = bisect_right(self._starts, at) - 1
        piece, inside = self.pieces[number], at - self._starts[number]
        around = _around(piece.text, inside)
        return Sighting(
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


def _windows(
    words: list[str], text: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """The parts of a text in which a sign can stand: around words that it needs."""
    last = start
    for at in sorted(at for word in words for at in _places(text, word, start, end)):
        if at < last:
            continue
        low = max(last, text.rfind("\n", max(start, at - _REACH), at) + 1, at - _REACH)
        stop = text.find("\n", at, at + _REACH)
        high = min(end, stop if stop >= 0 else at + _REACH)
        yield low, high
        last = high if stop >= 0 else max(low + 1, high - _OVERLAP)


def _places(text: str, word: str, start: int, end: int) -> Iterator[int]:
    at = text.find(word, start, end)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word), end)


def quoted(text: str) -> str:
    """What a finding shows of a text: on one line, and not too long."""
    shown = " ".join(text.split())
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
