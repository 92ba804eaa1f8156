"""The matches of signs in a skill, and which of them are near each other.

A sign is searched (see `search`) when a rule first asks for it, in all of the text.
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
from skillforge.text import occurrences, shortened

_MOST = 5  # times that the very same line of a file is reported
_FAR = 2000  # characters that count as near, for each line that does
# Matches in one file, beyond which it is reported as unread. Honest files have 70.
_MOST_OF_SIGN = 1000
_MOST_LINKS = 5000
_NEAREST = 100  # links, where a line has more
_MOST_PROGRAMS = 20  # that are counted; each takes a pass over the code
_SHOWN = 160  # characters of a match that a finding quotes


@dataclass(frozen=True, slots=True)
class SignMatch:
    """A match of a sign, or a link, and where it is."""

    sign: str
    segment: Segment = field(repr=False)
    line: int
    text: str  # what matched
    context: str = field(default="", repr=False)  # the line around it
    at: int = 0  # its place in the segment
    link: hosts.HostLink | None = None
    is_command: bool = False

    @property
    def path(self) -> str:
        return self.segment.path

    @property
    def view(self) -> SegmentView:
        return self.segment.view

    @property
    def shown(self) -> str:
        """The line that contains it, as written if that is known."""
        text = self.segment.text
        start, end = _line_around(text, self.at)
        start = max(start, text.rfind(SOFT, start, self.at) + 1)
        stop = text.find(SOFT, self.at, end)
        end = stop if stop >= 0 else end
        return self.segment.written(start, end) or text[start:end]

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
        items: Iterable[Segment | Notice],
        about: str = "",
        signs: Mapping[str, Sign] | None = None,
    ) -> None:
        """`signs` are those of a library, in addition to our own."""
        self._known = {**own_signs(), **(signs or {})}
        words = re.findall(r"[a-z0-9]+", about.lower())
        pairs = (a + b for a, b in pairwise(words))
        self.about = frozenset((*words, *pairs))  # `csv tables` is also `csvtables`
        self.segments: list[Segment] = []
        self._notices: list[Notice] = []
        self._crowded: dict[str, None] = {}  # paths, in order
        for item in items:
            if isinstance(item, Notice):
                self._notices.append(item)
            else:
                self.segments.append(item)
        # One search in the text of all segments is faster than a search in each.
        self._text = "\n".join(segment.text for segment in self.segments)
        ends = accumulate(len(segment.text) + 1 for segment in self.segments)
        self._starts = [0, *ends]
        self._numbers = {
            id(segment): number for number, segment in enumerate(self.segments)
        }
        paths = (segment.path for segment in self.segments)
        files = list(zip(self._starts, paths, strict=False))
        self._search = Search(self._text, files)
        self._signs: dict[str, list[SignMatch]] = {}
        self._lines: dict[int, list[int]] = {}
        self._programs: dict[str, int] = {}

    @property
    def notices(self) -> list[Notice]:
        """Notices about files; complete after all signs have been searched."""
        words = "more signs of attacks than can be read"
        paths = {**self._crowded, **dict.fromkeys(self._search.unread)}
        return [*self._notices, *(Notice("unread", path, words) for path in paths)]

    @cached_property
    def links(self) -> list[SignMatch]:
        spans = (
            (link.offset, link.offset, link)
            for start, end in pairwise(self._starts)
            for link in islice(hosts.links(self._text, start, end), _MOST_LINKS + 1)
        )
        return list(self._matches_of("link", spans, _MOST_LINKS))

    def of(self, *names: str) -> list[SignMatch]:
        """The matches of some signs."""
        matches: list[SignMatch] = []
        for name in names:
            if name not in self._signs:
                spans = ((low, high, None) for low, high in self._all(name))
                self._signs[name] = list(self._matches_of(name, spans))
            matches += self._signs[name]
        return matches

    def runs(self, program: str) -> int:
        """How many lines of code start with the name of a program."""
        if program not in self._programs and len(self._programs) < _MOST_PROGRAMS:
            line = re.compile(
                rf"^[ \t]*(?:\$ )?{re.escape(program)}(?=\s)", re.MULTILINE
            )
            self._programs[program] = sum(
                len(line.findall(segment.text))
                for segment in self.segments
                if segment.view is SegmentView.CODE and not segment.hidden_by
            )
        return self._programs.get(program, 0)

    def near(
        self, first: Iterable[SignMatch], names: Iterable[str], lines: int
    ) -> Iterator[tuple[SignMatch, SignMatch]]:
        """Matches paired with the first match of other signs within some lines."""
        signs = tuple(names)
        for match in first:
            neighbour = self.beside(match, signs, lines)
            if neighbour is not None:
                yield match, neighbour

    def beside(
        self, match: SignMatch, names: Iterable[str], lines: int
    ) -> SignMatch | None:
        """The first match of some signs within some lines of a match."""
        signs = [name for name in names if self._all(name)]
        for number in self._segments_of[match.path] if signs else ():
            if self.segments[number].line > match.line + lines:
                continue
            start, end = self._span(number, match.line - lines, match.line + lines)
            if self.segments[number] is match.segment:
                here = self._starts[number] + match.at
                far = _FAR * (lines + 1)
                start, end = max(start, here - far), min(end, here + far)
            for name in signs if start < end else ():
                if first := self._first(name, start, end):
                    return first
        return None

    def _first(self, name: str, start: int, end: int) -> SignMatch | None:
        """The first match of a sign in a span of the text."""
        matches = self._all(name)
        at = bisect_left(matches, start, key=lambda span: span[0])
        if at == len(matches) or matches[at][0] >= end:
            return None
        low, high = matches[at]
        return self._match(name, low, high)

    def links_near(
        self, match: SignMatch, lines: int, kinds: Iterable[Host]
    ) -> list[SignMatch]:
        """Links of some kinds within some lines of a match."""
        wanted_kinds = set(kinds)
        links = self._links_of.get(match.path, [])
        low = bisect_left(links, match.line - lines, key=lambda link: link.line)
        high = bisect_right(links, match.line + lines, key=lambda link: link.line)
        if high - low > _NEAREST:
            here = bisect_left(links, self._position(match), key=self._position)
            low = max(low, here - _NEAREST // 2)
            high = min(high, here + _NEAREST // 2)
        return [link for link in links[low:high] if link.kind in wanted_kinds]

    def _position(self, match: SignMatch) -> tuple[int, int]:
        """The line of a match, and its offset in the whole text."""
        return match.line, self._starts[self._numbers[id(match.segment)]] + match.at

    @cached_property
    def _links_of(self) -> dict[str, list[SignMatch]]:
        """The links of each file, in the order of lines."""
        by_path: dict[str, list[SignMatch]] = {}
        for link in sorted(self.links, key=self._position):
            by_path.setdefault(link.path, []).append(link)
        return by_path

    @cached_property
    def _segments_of(self) -> dict[str, list[int]]:
        """The numbers of the segments of each file."""
        by_path: dict[str, list[int]] = {}
        for number, segment in enumerate(self.segments):
            by_path.setdefault(segment.path, []).append(number)
        return by_path

    def _all(self, name: str) -> list[Span]:
        """The spans of a sign in the whole text, in order."""
        return self._search.matches(self._known[name])

    def _matches_of(
        self,
        name: str,
        spans: Iterable[tuple[int, int, hosts.HostLink | None]],
        most: int = _MOST_OF_SIGN,
    ) -> Iterator[SignMatch]:
        """Matches without repeated lines, up to a limit for each file."""
        repeated: Counter[tuple[str, str]] = Counter()
        count: Counter[str] = Counter()
        for start, end, link in spans:
            match = self._match(name, start, end, link)
            count[match.path] += 1
            if count[match.path] > most:
                self._crowded[match.path] = None
                continue
            # Repeats of the same line add nothing.
            repeated[match.path, match.context] += 1
            if link or repeated[match.path, match.context] <= _MOST:
                yield match

    def _match(
        self, name: str, at: int, end: int, link: hosts.HostLink | None = None
    ) -> SignMatch:
        number = bisect_right(self._starts, at) - 1
        segment, inside = self.segments[number], at - self._starts[number]
        around = _around(segment.text, inside)
        text = link.host + link.rest if link else self._text[at:end]
        line = self._line(number, inside)
        is_command = not link and self._known[name].is_command
        return SignMatch(name, segment, line, text, around, inside, link, is_command)

    def _line(self, number: int, inside: int) -> int:
        segment = self.segments[number]
        if segment.hidden_by and not segment.numbers:
            return segment.line
        line = bisect_right(self._breaks(number), inside) - 1
        if segment.numbers:
            return segment.numbers[min(line, len(segment.numbers) - 1)]
        return segment.line + line

    def _span(self, number: int, first: int, last: int) -> tuple[int, int]:
        """The span of a segment's text on some lines of its file."""
        segment, start = self.segments[number], self._starts[number]
        if segment.hidden_by and not segment.numbers:
            is_there = first <= segment.line <= last
            return (start, start + len(segment.text)) if is_there else (0, 0)
        breaks = self._breaks(number)
        low, high = first - segment.line, last - segment.line
        if segment.numbers:  # which are in order
            low = bisect_left(segment.numbers, first)
            high = bisect_right(segment.numbers, last) - 1
        if high < max(low, 0) or low >= len(breaks):
            return 0, 0
        end = breaks[high + 1] if high + 1 < len(breaks) else len(segment.text)
        return start + breaks[max(low, 0)], start + end

    def _breaks(self, number: int) -> list[int]:
        """The offsets of the lines of a segment."""
        if number not in self._lines:
            text = self.segments[number].text
            ends = [*occurrences(text, "\n"), *occurrences(text, SOFT)]
            self._lines[number] = [0, *sorted(at + 1 for at in ends)]
        return self._lines[number]


def _line_around(text: str, at: int) -> tuple[int, int]:
    """The span of the line at a position; of a very long line, the nearby part."""
    start = max(text.rfind("\n", max(0, at - 200), at) + 1, at - 200, 0)
    end = text.find("\n", at, at + 300)
    return start, end if end >= 0 else min(len(text), at + 300)


def _around(text: str, at: int) -> str:
    start, end = _line_around(text, at)
    return text[start:end]


def quoted(text: str) -> str:
    """A text as findings quote it: on one line, and shortened."""
    return shortened(" ".join(text.split()), _SHOWN)
