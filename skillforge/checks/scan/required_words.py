"""The words that a regular expression requires: without them it cannot match.

They are derived from the expression, as a word missing from a manual list would hide an
attack. The words are in groups: each match contains at least one word of each group. No
letter, digit or underscore precedes a word that starts with `\\b`.
"""

import re
from collections.abc import Iterable, Sequence
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple, TypeAlias

from skillforge.checks.scan.signs import BORDER, LONGEST_MATCH

Words: TypeAlias = frozenset[str]
Groups: TypeAlias = tuple[tuple[str, ...], ...]

_MOST_WORDS = 48  # of a group
_MOST_GROUPS = 4
_SHORT = 3  # letters; most texts contain such a word
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_ZERO_WIDTH = (codes.AT, codes.ASSERT, codes.ASSERT_NOT)


class Needed(NamedTuple):
    """The words that a part of an expression needs, and all its texts if few."""

    texts: Words | None
    groups: tuple[Words, ...]

    @property
    def rarest(self) -> Words | None:
        """The group that is probably the rarest in a text."""
        return max(self.groups, key=_rarity, default=None)


def _rarity(words: Words) -> tuple[int, int]:
    return min(6, *(len(word.lstrip(BORDER)) for word in words)), -len(words)


def _shortest(texts: Iterable[str]) -> Words:
    """The texts that contain no other of them."""
    shortest: list[str] = []
    for text in sorted(texts, key=len):
        if not any(word in text for word in shortest):
            shortest.append(text)
    return frozenset(shortest)


def _group(texts: Words) -> tuple[Words, ...]:
    """The texts as a group; none if one of them is empty."""
    words = [word if _is_at_border(word) else word.lstrip(BORDER) for word in texts]
    return (_shortest(words),) if all(words) else ()


def _is_at_border(text: str) -> bool:
    """Whether a word starts at a word border, rather than ends there."""
    return bool(re.match(rf"{BORDER}\w", text))


def _joined(first: str, second: str) -> str:
    return first + (second.lstrip(BORDER) if first else second)


class _Run:
    """The possible texts since the last gap, and the groups so far."""

    def __init__(self) -> None:
        self.texts: Words = frozenset([""])
        self.groups: list[Words] = []
        self.is_whole = True  # nothing but those texts so far

    def join(self, texts: Words) -> None:
        if len(self.texts) * len(texts) > _MOST_WORDS:
            self.end()
        self.texts = frozenset(_joined(a, b) for a in self.texts for b in texts)

    def bound(self) -> None:
        """The border of a word, which is useful if a word starts there."""
        if self.texts == {""}:
            self.texts = frozenset([BORDER])

    def end(self) -> None:
        """A gap: the next text does not follow immediately."""
        self.is_whole = False
        self.groups += _group(self.texts)
        self.texts = frozenset([""])

    def needed(self) -> Needed:
        if self.is_whole:
            return Needed(self.texts, _group(self.texts))
        self.end()
        return Needed(None, tuple(self.groups))


def needed(parsed: Iterable[tuple[Any, Any]]) -> Needed:
    """What a parsed expression needs."""
    run = _Run()
    for code, argument in parsed:
        if (code, argument) == (codes.AT, codes.AT_BOUNDARY):
            run.bound()
        if code in _ZERO_WIDTH:
            continue
        part = _part(code, argument)
        if part.texts is not None and len(part.texts) <= _MOST_WORDS:
            run.join(part.texts)
        else:
            run.end()
            run.groups += part.groups
    return run.needed()


def _part(code: Any, argument: Any) -> Needed:  # noqa: PLR0911 - one for each kind
    if code is codes.LITERAL:
        return Needed(frozenset([chr(argument)]), ())
    if code is codes.IN and all(inner is codes.LITERAL for inner, _ in argument):
        return Needed(frozenset(chr(letter) for _, letter in argument), ())
    if code is codes.SUBPATTERN:
        return needed(argument[3])
    if code is codes.ATOMIC_GROUP:
        return needed(argument)
    if code is codes.BRANCH:
        return _either([needed(branch) for branch in argument[1]])
    if code in REPEATS:
        least, most, inner = argument
        inside = needed(inner)
        if (least, most) == (0, 1) and inside.texts is not None:
            return Needed(inside.texts | {""}, ())
        return Needed(None, inside.groups if least else ())
    return Needed(None, ())


def _either(branches: Sequence[Needed]) -> Needed:
    """The words that several branches need: a word of any of them."""
    texts = [branch.texts for branch in branches if branch.texts is not None]
    whole = frozenset().union(*texts) if len(texts) == len(branches) else None
    if whole is not None and len(whole) <= _MOST_WORDS:
        return Needed(whole, _group(whole))
    rarest = [branch.rarest for branch in branches]
    known = [words for words in rarest if words]
    is_known = len(known) == len(rarest)
    return Needed(None, (_shortest(frozenset().union(*known)),) if is_known else ())


def required_words(source: str) -> tuple[int, Groups]:
    """The maximum length of a match, and the groups of words that it contains."""
    parsed = parser.parse(source, re.MULTILINE)
    groups = sorted(map(sorted, set(needed(parsed).groups)), key=_order)
    reach = min(parsed.getwidth()[1], LONGEST_MATCH)
    return reach, tuple(map(tuple, groups[:_MOST_GROUPS]))


def _order(words: list[str]) -> tuple[bool, int, int, list[str]]:
    """Few and long words first, as they exclude a match soonest."""
    shortest = min(len(word.lstrip(BORDER)) for word in words)
    return shortest < _SHORT, len(words), -shortest, words
