"""`signs/words.json`: the words without which a pattern of a sign cannot match.

They are derived from the patterns themselves, so that none is forgotten: a word that
is missing in a list made by hand hides an attack. `make reference` writes the file.

A pattern's words are groups: every match has at least one word of each group. A word
that begins with `\\b` has no letter, digit or underscore before it.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple, TypeAlias

from skillforge.checks.scan import signs
from skillforge.checks.scan.signs.sign import BORDER, FARTHEST, WORDS_FILE, key_of

Words: TypeAlias = frozenset[str]

_MOST_WORDS = 48  # of a group
_MOST_GROUPS = 4
_SHORT = 3  # letters of a word that most texts have
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_ZERO_WIDTH = (codes.AT, codes.ASSERT, codes.ASSERT_NOT)


class Needed(NamedTuple):
    """What a part of a pattern needs: all that it can be, if that is little."""

    texts: Words | None
    groups: tuple[Words, ...]

    @property
    def best(self) -> Words | None:
        """The group that is likely to be the rarest in a text."""
        return max(self.groups, key=_rarity, default=None)


def _rarity(words: Words) -> tuple[int, int]:
    return min(6, *(len(word.lstrip(BORDER)) for word in words)), -len(words)


def _least(texts: Iterable[str]) -> Words:
    """The words that the others contain: a text with one of those has one of these."""
    found: list[str] = []
    for text in sorted(texts, key=len):
        if not any(word in text for word in found):
            found.append(text)
    return frozenset(found)


def _group(texts: Words) -> tuple[Words, ...]:
    """The group that some texts make: none if one of them is empty."""
    words = [word if _begins(word) else word.lstrip(BORDER) for word in texts]
    return (_least(words),) if all(words) else ()


def _begins(text: str) -> bool:
    """Whether a word begins at a border, rather than ends there."""
    return bool(re.match(rf"{BORDER}\w", text))


def _joined(one: str, two: str) -> str:
    return one + (two.lstrip(BORDER) if one else two)


class _Run:
    """The texts that a pattern may have matched since the last gap, and the groups."""

    def __init__(self) -> None:
        self.texts: Words = frozenset([""])
        self.groups: list[Words] = []
        self.is_whole = True  # nothing but those texts so far

    def join(self, texts: Words) -> None:
        if len(self.texts) * len(texts) > _MOST_WORDS:
            self.end()
        self.texts = frozenset(_joined(a, b) for a in self.texts for b in texts)

    def bound(self) -> None:
        """The border of a word: of use if a word begins there."""
        if self.texts == {""}:
            self.texts = frozenset([BORDER])

    def end(self) -> None:
        """A gap: what comes next does not follow at once."""
        self.is_whole = False
        self.groups += _group(self.texts)
        self.texts = frozenset([""])

    def needed(self) -> Needed:
        if self.is_whole:
            return Needed(self.texts, _group(self.texts))
        self.end()
        return Needed(None, tuple(self.groups))


def _needed(pattern: Iterable[tuple[Any, Any]]) -> Needed:
    run = _Run()
    for code, argument in pattern:
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


def _part(code: Any, argument: Any) -> Needed:
    if code is codes.LITERAL:
        return Needed(frozenset([chr(argument)]), ())
    if code is codes.IN and all(inner is codes.LITERAL for inner, _ in argument):
        return Needed(frozenset(chr(letter) for _, letter in argument), ())
    if code is codes.SUBPATTERN:
        return _needed(argument[3])
    if code is codes.ATOMIC_GROUP:
        return _needed(argument)
    if code is codes.BRANCH:
        return _either([_needed(branch) for branch in argument[1]])
    if code in _REPEATS:
        least, most, inner = argument
        found = _needed(inner)
        if (least, most) == (0, 1) and found.texts is not None:
            return Needed(found.texts | {""}, ())
        return Needed(None, found.groups if least else ())
    return Needed(None, ())


def _either(branches: Sequence[Needed]) -> Needed:
    """What one of several branches needs: a word of any."""
    texts = [branch.texts for branch in branches if branch.texts is not None]
    whole = frozenset().union(*texts) if len(texts) == len(branches) else None
    if whole is not None and len(whole) <= _MOST_WORDS:
        return Needed(whole, _group(whole))
    best = [branch.best for branch in branches]
    known = [words for words in best if words]
    is_known = len(known) == len(best)
    return Needed(None, (_least(frozenset().union(*known)),) if is_known else ())


def words_of(source: str) -> dict[str, Any]:
    """How far a match can reach, and the groups of words that it has."""
    pattern = parser.parse(source, re.MULTILINE)
    groups = sorted(map(sorted, set(_needed(pattern).groups)), key=_order)
    reach = min(pattern.getwidth()[1], FARTHEST)
    return {"reach": reach, "words": groups[:_MOST_GROUPS]}


def _order(words: list[str]) -> tuple[bool, int, int, list[str]]:
    """Few and long words first: they tell soonest that a pattern cannot match."""
    shortest = min(len(word.lstrip(BORDER)) for word in words)
    return shortest < _SHORT, len(words), -shortest, words


def written() -> str:
    """The text of the file for today's signs."""
    patterns = (p.source for each in signs.SIGNS.values() for p in each.patterns)
    found = {key_of(source): words_of(source) for source in patterns}
    lines = (
        f'"{key}": {json.dumps(found[key], ensure_ascii=False)}'
        for key in sorted(found)
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    Path(WORDS_FILE).write_text(written(), encoding="utf-8")
