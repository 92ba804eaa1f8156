"""Search signs in a text: a pattern is tried only near the words that it requires.

The time is linear in the length of the text, even if it is a single line. A file that
is full of required words is searched as far as the budget allows; then it is `unread`.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Literal, TypeAlias

from skillforge.checks.scan.budget import Budget, Span
from skillforge.checks.scan.signs import BORDER, LONGEST_MATCH, Pattern, Sign, own_signs

Kind: TypeAlias = Literal["Q", "I"]

_COST = 64  # the fixed cost of a window, and of each required word in it
_AHEAD = 32  # characters after a match that a lookahead may need
_BEFORE = 16  # characters before a window that a lookbehind may need
_LEAST_REACH = 64  # characters; with less, windows would be many and short
_SIZES: dict[Kind, int] = {"Q": 8, "I": 4}  # bytes of each item of a `memoryview`
_MISSES = 20_000  # times a word is part of another; after that, it counts anywhere
_SAMPLE, _SAMPLES = 256, 48  # characters and number of samples to count words in


class Search:
    """A text that consists of files, and the matches of signs in it."""

    def __init__(self, text: str, files: Sequence[tuple[int, str]]) -> None:
        """`files` are the offsets and paths of the files, in order."""
        self.text = text
        self._budget = Budget(files, len(text))
        self._matches: dict[str, list[Span]] = {}
        self._words: dict[str, bool] = {}
        self._counts: dict[str, int] = {}

    @property
    def unread(self) -> Iterable[str]:
        """The files whose search would exceed the budget."""
        return self._budget.unread

    @property
    def cost(self) -> int:
        """The part of the budget that is spent."""
        return self._budget.spent

    def matches(self, sign: Sign) -> list[Span]:
        """The spans of a sign, in order; searched once."""
        if sign.name not in self._matches:
            ends: dict[int, int] = {}
            for pattern in sign.patterns:
                self._budget.next_pattern()
                for start, end in self._spans_of(pattern):
                    ends.setdefault(start, end)
                    self._budget.count_match(start)
            self._matches[sign.name] = sorted(ends.items())
        return self._matches[sign.name]

    def _spans_of(self, pattern: Pattern) -> Iterator[Span]:
        """The matches of a pattern; equal windows are searched once."""
        groups: list[list[str]] = []
        for words in pattern.words:
            groups.append([word for word in words if self._has(word)])
            if not groups[-1]:
                return
        if len(groups) > 1:
            groups.sort(key=lambda words: sum(map(self._count, words)))
        reach = max(pattern.reach + _AHEAD, _LEAST_REACH)
        bare = [[word.lstrip(BORDER) for word in words] for words in groups]
        known: dict[str, list[Span]] = {}
        last = 0
        for low, high in self._windows(groups[0] if groups else [""], reach):
            before = max(0, low - _BEFORE)
            window = self.text[before:high]
            if window not in known:
                counts = [sum(map(window.count, words)) for words in bare]
                is_likely = all(counts)
                if is_likely:
                    cost = pattern.weight * len(window) + _COST * sum(counts)
                    self._budget.spend(low, cost)
                matches = pattern.compiled.finditer(self.text, low, high)
                spans = map(_stripped, matches) if is_likely else ()
                known[window] = [(at - before, end - before) for at, end in spans]
            for start, end in known[window]:
                if before + start >= last:  # not yet matched in the overlap
                    last = before + end
                    yield before + start, last

    def _windows(self, words: list[str], reach: int) -> Iterator[Span]:
        """The parts of a text in which a pattern can match: around required words.

        A long part with many words is divided into overlapping windows, so that each
        possible match is complete in one of them.
        """
        for span in self._budget.spans:
            for low, high in _parts(words, self.text, reach, span):
                while high - low > 4 * reach:
                    if not self._budget.spend(low, _COST):
                        break
                    yield low, low + 4 * reach
                    low += 2 * reach
                if self._budget.spend(low, _COST):
                    yield low, high

    def _has(self, word: str) -> bool:
        """Whether the text contains a word."""
        if word not in self._words:
            kind, parts = _parts_of(word)
            is_own = word in _own_words()
            may_be = parts <= self._present[kind] if kind and is_own else True
            places = _places(self.text, word, 1, (0, len(self.text)))
            self._words[word] = may_be and next(places, None) is not None
        return self._words[word]

    @cached_property
    def _present(self) -> dict[Kind, set[int]]:
        """The parts of required words that the text contains.

        One pass over the text for all words is far faster than a search for each.
        """
        data = memoryview(self.text.encode("utf-8", "replace"))
        present: dict[Kind, set[int]] = {}
        for kind, size in _SIZES.items():
            present[kind] = set()
            for start in range(min(size, len(data))):
                end = len(data) - (len(data) - start) % size
                present[kind] |= _word_parts()[kind].intersection(
                    data[start:end].cast(kind)
                )
        return present

    def _count(self, word: str) -> int:
        """How often a word occurs in a sample of the text."""
        if word not in self._counts:
            self._counts[word] = self._sample.count(word.lstrip(BORDER))
        return self._counts[word]

    @cached_property
    def _sample(self) -> str:
        step = max(_SAMPLE, len(self.text) // _SAMPLES)
        starts = range(0, len(self.text), step)
        return "\n".join(self.text[at : at + _SAMPLE] for at in starts)


@cache
def _own_words() -> frozenset[str]:
    """All words that our own patterns require."""
    patterns = (p for sign in own_signs().values() for p in sign.patterns)
    return frozenset(word for p in patterns for group in p.words for word in group)


@cache
def _word_parts() -> dict[Kind, frozenset[int]]:
    """The parts of all words that our own patterns require, by kind."""
    parts = [_parts_of(word) for word in _own_words()]
    return {
        kind: frozenset().union(*(part for k, part in parts if k == kind))
        for kind in _SIZES
    }


@cache
def _parts_of(word: str) -> tuple[Kind | None, frozenset[int]]:
    """All runs of a few bytes of a word, as numbers; None for a very short word."""
    data = word.lstrip(BORDER).encode()
    kind = next((kind for kind, size in _SIZES.items() if len(data) >= size), None)
    size = _SIZES[kind] if kind else 1
    parts = (data[at : at + size] for at in range(len(data) - size + 1))
    return kind, frozenset(int.from_bytes(part, sys.byteorder) for part in parts)


def _stripped(match: re.Match[str]) -> Span:
    """The span of a match without surrounding spaces, up to a maximum length."""
    start = match.end() - len(match[0].lstrip())
    return start, start + min(LONGEST_MATCH, len(match[0].strip()))


def _parts(words: list[str], text: str, reach: int, span: Span) -> Iterator[Span]:
    """The parts of lines within reach of some words, in order."""
    low = high = enough = span[0]  # words before `enough` extend no part
    for at in sorted(at for w in words for at in _places(text, w, reach, span)):
        if at < enough:
            continue
        start = max(text.rfind("\n", max(0, at - reach), at) + 1, at - reach, 0)
        stop = text.find("\n", at, at + 2 * reach)
        if start > high:
            yield low, high
            low = start
        high = min(len(text), stop if stop >= 0 else at + 2 * reach)
        enough = high if stop >= 0 else high - reach
    yield low, high


def _places(text: str, word: str, reach: int, span: Span) -> Iterator[int]:
    """The places of a word, except those within reach of the previous place."""
    bare = word.lstrip(BORDER)
    misses = 0 if word != bare else _MISSES
    at = text.find(bare, *span)
    while at >= 0:
        if misses < _MISSES and at and (text[at - 1].isalnum() or text[at - 1] == "_"):
            misses += 1
            at = text.find(bare, at + 1, span[1])
            continue
        yield at
        stop = text.find("\n", at, at + reach)
        at = text.find(bare, stop + 1 if stop >= 0 else at + reach, span[1])
