"""All that was seen in a skill, and which signs stand together.

Signs are looked for when a rule asks for them, and only around the words that they
need: an honest skill, in which nothing rare is found, costs little. Each sign is
searched once in the whole text, so the time is linear in its length, also where all
of it is a single line.
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
_WINDOW = 4 * _REACH  # characters of a very long line that are searched at once
_FAR = 2000  # characters of a line that count as nearby, for each line that does
_CROWD = 5000  # matches on one line, beyond which it is reported as unread
_MOST_LINKS = 100  # the nearest links, where a line has more
_BEFORE = 16  # characters before a window that a pattern may look back at
_LONG_WORD = 64  # characters; no sign needs a word that is longer
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
        self._numbers = {id(piece): number for number, piece in enumerate(self.pieces)}
        self._signs: dict[str, list[Sighting]] = {}
        self._matches: dict[Sign, list[tuple[int, int]]] = {}
        self._words: dict[str, bool] = {}
        self._lines: dict[int, list[int]] = {}

    @cached_property
    def links(self) -> list[Sighting]:
        links = hosts.links(self._text, _CROWD + 1)
        return list(self._sightings("link", ((k.offset, k.offset, k) for k in links)))

    def of(self, *names: str) -> list[Sighting]:
        """Where some signs were seen."""
        found: list[Sighting] = []
        for name in names:
            if name not in self._signs:
                self._signs[name] = [
                    seen
                    for sign in SIGNS[name]
                    for seen in self._sightings(
                        name, ((low, high, None) for low, high in self._all(sign))
                    )
                ]
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
        signs = [s for n in names for s in SIGNS[n] if self._all(s)]
        for number in self._pieces_of[one.path] if signs else ():
            if self.pieces[number].line > one.line + lines:
                continue
            start, end = self._span(number, one.line - lines, one.line + lines)
            if self.pieces[number] is one.piece:
                here = self._starts[number] + one.at
                far = _FAR * (lines + 1)
                start, end = max(start, here - far), min(end, here + far)
            for sign in signs if start < end else ():
                if found := self._first(sign, start, end):
                    return found
        return None

    def _first(self, sign: Sign, start: int, end: int) -> Sighting | None:
        """The first match of a sign in a part of the text."""
        matches = self._all(sign)
        at = bisect_left(matches, start, key=lambda match: match[0])
        if at == len(matches) or matches[at][0] >= end:
            return None
        low, high = matches[at]
        return self._sighting(sign.name, low, high)

    def links_near(
        self, seen: Sighting, lines: int, kinds: Iterable[Host]
    ) -> list[Sighting]:
        """Links of some kinds at most so many lines away."""
        wanted = set(kinds)
        mine = self._links_of.get(seen.path, [])
        low = bisect_left(mine, seen.line - lines, key=lambda link: link.line)
        high = bisect_right(mine, seen.line + lines, key=lambda link: link.line)
        if high - low > _MOST_LINKS:
            here = bisect_left(mine, self._place(seen), key=self._place)
            low = max(low, here - _MOST_LINKS // 2)
            high = min(high, here + _MOST_LINKS // 2)
        return [link for link in mine[low:high] if link.kind in wanted]

    def _place(self, seen: Sighting) -> tuple[int, int]:
        """Where something stands: its line, and how far into the whole text."""
        return seen.line, self._starts[self._numbers[id(seen.piece)]] + seen.at

    @cached_property
    def _links_of(self) -> dict[str, list[Sighting]]:
        """The links of each file, in the order of lines."""
        found: dict[str, list[Sighting]] = {}
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

    def _has(self, word: str) -> bool:
        """Whether a word may stand somewhere; that it does not is certain."""
        if word not in self._words:
            parts = word.split()
            is_there = all(map(self._vocabulary.__contains__, parts))
            is_one = len(parts) < 2
            self._words[word] = is_there and word in (
                self._vocabulary if is_one else self._text
            )
        return self._words[word]

    def is_written(self, word: str) -> bool:
        """Whether some file has these very letters."""
        return any(word in raw for raw in self._raws)

    @cached_property
    def _raws(self) -> set[str]:
        return {piece.raw for piece in self.pieces}

    @cached_property
    def _vocabulary(self) -> str:
        """Every word once, a very long one in parts: far shorter than the text."""
        words = set(self._text.split())
        long = [word for word in words if len(word) > _LONG_WORD]
        words.difference_update(long)
        words.update(
            word[at : at + 2 * _LONG_WORD]
            for word in long
            for at in range(0, len(word), _LONG_WORD)
        )
        return f" {' '.join(words)} "

    def _all(self, sign: Sign) -> list[tuple[int, int]]:
        """Where a sign stands in the whole text, in order; searched once."""
        if sign not in self._matches:
            needs = [word for word in sign.needs if self._has(word)]
            self._matches[sign] = list(_matches(sign, needs, self._text))
        return self._matches[sign]

    def _sightings(
        self, name: str, found: Iterable[tuple[int, int, hosts.Link | None]]
    ) -> Iterator[Sighting]:
        """Sightings, but for what tells nothing new and for a crowd on one line."""
        told: Counter[tuple[str, str]] = Counter()
        line_end = count = 0
        for start, end, link in found:
            if start >= line_end:
                line_end, count = self._line_end(start), 0
            count += 1
            if count > _CROWD:
                if count == _CROWD + 1:
                    self._unread(start)
                continue
            seen = self._sighting(name, start, end, link)
            # The very same line again tells nothing new; another one might.
            told[seen.path, seen.context] += 1
            if link or told[seen.path, seen.context] <= _MOST:
                yield seen

    def _line_end(self, at: int) -> int:
        """Where the line of a piece ends on which something stands."""
        number = bisect_right(self._starts, at) - 1
        breaks = self._breaks(number)
        line = bisect_right(breaks, at - self._starts[number])
        here = self._starts[number]
        return here + breaks[line] if line < len(breaks) else self._starts[number + 1]

    def _unread(self, at: int) -> None:
        """Note, once, that one line of a file has too much on it."""
        path = self.pieces[bisect_right(self._starts, at) - 1].path
        notice = Notice("unread", path, "a line with more on it than can be read")
        if notice not in self.notices:
            self.notices.append(notice)

    def _sighting(
        self, name: str, at: int, end: int, link: hosts.Link | None = None
    ) -> Sighting:
        number = bisect_right(self._starts, at) - 1
        piece, inside = self.pieces[number], at - self._starts[number]
        around = _around(piece.text, inside)
        text = link.host + link.rest if link else self._text[at:end]
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


def _matches(sign: Sign, words: list[str], text: str) -> Iterator[tuple[int, int]]:
    """Every match of a sign, in order; a text that repeats itself is searched once."""
    known: dict[str, list[tuple[int, int]]] = {}
    last = 0
    for low, high in _windows(words, text):
        before = max(0, low - _BEFORE)
        window = text[before:high]
        if window not in known:
            found = map(_stripped, sign.pattern.finditer(text, low, high))
            known[window] = [(start - before, end - before) for start, end in found]
        for start, end in known[window]:
            if before + start >= last:  # not found in the overlap already
                last = before + end
                yield before + start, last


def _stripped(match: re.Match[str]) -> tuple[int, int]:
    """The span of a match without the spaces around it, and of what is quoted of it."""
    start = match.end() - len(match[0].lstrip())
    return start, min(start + _REACH, start + len(match[0].strip()))


def _windows(words: list[str], text: str) -> Iterator[tuple[int, int]]:
    """The parts of a text in which a sign can stand: around words that it needs.

    Whatever is within reach of such a word is whole in one of them, also where many
    words make one long part, which is searched in windows that overlap.
    """
    step = _WINDOW - 2 * _REACH
    for low, high in _parts(words, text):
        while high - low > _WINDOW:
            yield low, low + _WINDOW
            low += step
        yield low, high


def _parts(words: list[str], text: str) -> Iterator[tuple[int, int]]:
    """What is within reach of some words, on the same line, in order."""
    low = high = enough = 0  # up to here, what a word can reach is in the part
    for at in sorted(at for word in words for at in _places(text, word)):
        if at < enough:
            continue
        start = max(text.rfind("\n", max(0, at - _REACH), at) + 1, at - _REACH, 0)
        stop = text.find("\n", at, at + 2 * _REACH)
        if start > high:
            yield low, high
            low = start
        high = min(len(text), stop if stop >= 0 else at + 2 * _REACH)
        enough = high if stop >= 0 else high - _REACH
    yield low, high


def _places(text: str, word: str) -> Iterator[int]:
    """Where a word stands, but for where it is within reach of the one before."""
    at = text.find(word)
    while at >= 0:
        yield at
        stop = text.find("\n", at, at + _REACH)
        at = text.find(word, stop if stop >= 0 else at + _REACH)


def quoted(text: str) -> str:
    """What a finding shows of a text: on one line, and not too long."""
    shown = " ".join(text.split())
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
