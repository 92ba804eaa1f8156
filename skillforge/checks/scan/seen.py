"""All that was seen in a skill, and which signs stand together.

Signs are looked for when a rule asks for them, and only around the words that they
need: an honest skill, in which nothing rare is found, costs little.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from skillforge.checks.scan import hosts
from skillforge.checks.scan.hosts import Host
from skillforge.checks.scan.normal import SOFT
from skillforge.checks.scan.pieces import Piece, View
from skillforge.checks.scan.reading import Notice
from skillforge.checks.scan.signs import Sign, by_name
from skillforge.checks.scan.signs_code import CODE_SIGNS
from skillforge.checks.scan.signs_words import WORD_SIGNS
from skillforge.text import occurrences

SIGNS = by_name(CODE_SIGNS, WORD_SIGNS)
_MOST = 60  # sightings of one sign in one piece: more of the same tell nothing new
_REACH = 600  # characters before and behind a word that a pattern may look at
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
    def kind(self) -> Host | None:
        return self.link.kind if self.link else None


class Seen:
    """The signs, links and notices of one skill."""

    def __init__(self, found: Iterable[Piece | Notice], about: str = "") -> None:
        self.about = re.sub(r"[\W_]", "", about.lower())
        self.pieces: list[Piece] = []
        self.notices: list[Notice] = []
        for each in found:
            if isinstance(each, Notice):
                self.notices.append(each)
            else:
                self.pieces.append(each)
        self._signs: dict[str, list[Sighting]] = {}

    @cached_property
    def links(self) -> list[Sighting]:
        return [
            Sighting(
                "link",
                piece,
                piece.line_at(link.offset),
                link.host + link.rest,
                _around(piece.text, link.offset),
                link.offset,
                link,
            )
            for piece in self.pieces
            for link in hosts.links(piece.text)
        ]

    def of(self, *names: str) -> list[Sighting]:
        """Where some signs were seen."""
        found: list[Sighting] = []
        for name in names:
            if name not in self._signs:
                self._signs[name] = [
                    seen
                    for piece in self.pieces
                    for sign in SIGNS[name]
                    for seen in _look(sign, piece, 0, len(piece.text))
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
        signs = [sign for name in names for sign in SIGNS[name]]
        for piece in self.pieces:
            if piece.path != one.path:
                continue
            start, end = self._span(piece, one.line - lines, one.line + lines)
            for sign in signs if start < end else ():
                for found in _look(sign, piece, start, end):
                    return found
        return None

    def _span(self, piece: Piece, first: int, last: int) -> tuple[int, int]:
        """The part of a piece that stands on some lines of its file."""
        if piece.hidden_by and not piece.numbers:
            return (0, len(piece.text)) if first <= piece.line <= last else (0, 0)
        starts = self._starts(piece)
        if piece.numbers:
            kept = [
                i for i, number in enumerate(piece.numbers) if first <= number <= last
            ]
            if not kept:
                return 0, 0
            low, high = kept[0], kept[-1]
        else:
            low, high = first - piece.line, last - piece.line
            if high < 0 or low >= len(starts):
                return 0, 0
        end = starts[high + 1] if high + 1 < len(starts) else len(piece.text)
        return starts[max(low, 0)], end

    def _starts(self, piece: Piece) -> list[int]:
        known = self._lines.get(id(piece))
        if known is None:
            breaks = [*occurrences(piece.text, "\n"), *occurrences(piece.text, SOFT)]
            known = self._lines[id(piece)] = [0, *sorted(at + 1 for at in breaks)]
        return known

    @cached_property
    def _lines(self) -> dict[int, list[int]]:
        return {}

    def links_near(
        self, seen: Sighting, lines: int, kinds: Iterable[Host]
    ) -> list[Sighting]:
        wanted = set(kinds)
        return [
            link
            for link in self.links
            if link.path == seen.path and link.kind in wanted
            if abs(link.line - seen.line) <= lines
        ]


def _look(sign: Sign, piece: Piece, start: int, end: int) -> Iterator[Sighting]:
    """Where a sign stands in a part of a piece."""
    text = piece.text
    count = 0
    for low, high in _windows(sign, text, start, end):
        for match in sign.pattern.finditer(text, low, high):
            count += 1
            if count > _MOST:
                return
            at = match.end() - len(match[0].lstrip())
            yield Sighting(
                sign.name,
                piece,
                piece.line_at(at),
                match[0].strip()[:600],
                _around(text, at),
                at,
            )


def _around(text: str, at: int) -> str:
    """The line that a place is on; of a very long one, what is near."""
    start = max(text.rfind("\n", 0, at) + 1, at - 200)
    return text[start : at + 300].split("\n", 1)[0]


def _windows(sign: Sign, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a text in which a sign can stand: around the words that it needs."""
    places = sorted(at for key in sign.needs for at in _places(text, key, start, end))
    last = start
    for at in places:
        if at < last - 40:
            continue
        low = max(last, text.rfind("\n", max(start, at - _REACH), at) + 1, at - _REACH)
        stop = text.find("\n", at, at + _REACH)
        high = min(end, stop if stop >= 0 else at + _REACH)
        if low < high:
            yield low, high
            last = high


def _places(text: str, key: str, start: int, end: int) -> Iterator[int]:
    at = text.find(key, start, end)
    while at >= 0:
        yield at
        at = text.find(key, at + len(key), end)


def quoted(text: str) -> str:
    """What a finding shows of a text: on one line, and not too long."""
    shown = " ".join(text.split())
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
