"""The worst-case cost of a regular expression, from its structure.

Python's engine backtracks: if the parts of an expression can divide a text in many
ways, it may try all of them. `ways` is an upper bound for one start. There is only one
way to end a part if what follows starts with a character that it cannot contain.
"""

import re
from collections.abc import Iterator, Sequence
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

from skillforge.checks.scan.required_words import REPEATS
from skillforge.checks.scan.signs import LONGEST_MATCH

# ASCII, and a number each for all other letters, spaces and signs.
Characters: TypeAlias = frozenset[int]
Parsed: TypeAlias = Sequence[tuple[Any, Any]]

_ASCII = 128
_LETTER, _SPACE, _SIGN = range(_ASCII, _ASCII + 3)
_OTHERS: Characters = frozenset([_LETTER, _SPACE, _SIGN])
_SAMPLES = {_LETTER: "\u4e2d", _SPACE: "\u2003", _SIGN: "\u2713"}
_ALL: Characters = frozenset(range(_ASCII)) | _OTHERS
_LIMIT = 1 << 40  # beyond, it does not matter how many
_CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}
_LINE_END = frozenset([ord("\n")])
_BORDER = (codes.AT, codes.AT_BOUNDARY)
_MOST_TEXTS = 200


def ways(source: str) -> int:
    """The maximum number of ways in which an expression is tried from one start."""
    return _ways(list(parser.parse(source, re.MULTILINE)), frozenset())


def problems(source: str) -> Iterator[str]:
    """The parts of an expression that cannot match, or cannot be bounded."""
    for code, argument in _walk(parser.parse(source, re.MULTILINE)):
        if code in (codes.GROUPREF, codes.GROUPREF_EXISTS):
            yield "back references are not supported"
        if code is codes.LITERAL and chr(argument).isupper():
            yield f"{chr(argument)!r} never matches: text is searched in lower case"


def _walk(parsed: Any) -> Iterator[tuple[Any, Any]]:
    for code, argument in parsed:
        yield code, argument
        if code is codes.IN:
            yield from (item for item in argument if item[0] is codes.LITERAL)
        for inner in _inner(code, argument):
            yield from _walk(inner)


def _inner(code: Any, argument: Any) -> list[Any]:
    """The expressions inside a part."""
    if code is codes.SUBPATTERN:
        return [argument[3]]
    if code is codes.ATOMIC_GROUP:
        return [argument]
    if code is codes.BRANCH:
        return list(argument[1])
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [argument[1]]
    return [argument[2]] if code in REPEATS else []


def _ways(parsed: Parsed, after: Characters) -> int:
    """The product of the ways of all parts; `after` may follow the last one."""
    texts = _texts(parsed)
    if texts:  # those that begin with each other compete
        return max(sum(a.startswith(b) for b in texts) for a in texts)
    total = 1
    for at, (code, argument) in enumerate(parsed):
        following = _first(parsed[at + 1 :], after)
        if parsed[at + 1 : at + 2] == [_BORDER]:
            following = _across_border(code, argument, following)
        total = min(_LIMIT, total * _ways_of_part(code, argument, following))
    return total


def _texts(parsed: Parsed) -> list[str]:
    """All texts that an expression matches, if it has few; none otherwise."""
    texts = [""]
    for code, argument in parsed:
        if code is codes.LITERAL:
            part = [chr(argument)]
        elif code is codes.SUBPATTERN:
            part = _texts(list(argument[3]))
        elif code is codes.BRANCH:
            branches = [_texts(list(branch)) for branch in argument[1]]
            part = [t for b in branches for t in b] if all(branches) else []
        elif code in REPEATS and argument[:2] == (0, 1):
            inner = _texts(list(argument[2]))
            part = ["", *inner] if inner else []
        else:
            return []
        if not part or len(texts) * len(part) > _MOST_TEXTS:
            return []
        texts = [a + b for a in texts for b in part]
    return texts


def _across_border(code: Any, argument: Any, after: Characters) -> Characters:
    """What may follow a repeated part if there is `\\b` in between."""
    if code in REPEATS and argument[2].getwidth() == (1, 1):
        inside = _first(list(argument[2]), frozenset())
        if inside <= _WORD:
            return after - _WORD
        if not inside & _WORD:
            return after & _WORD
    return after


def _ways_of_part(code: Any, argument: Any, after: Characters) -> int:
    if code in REPEATS:
        least, most, inner = argument
        return _ways_of_repeat(least, most, inner, after)
    if code is codes.BRANCH:
        branches = [(_first(b, after), _ways(list(b), after)) for b in argument[1]]
        return max(
            sum(count for first, count in branches if character in first)
            for character in _ALL
        )
    inner = _inner(code, argument)
    return _ways(list(inner[0]), after) if inner else 1


def _ways_of_repeat(least: int, most: Any, inner: Any, after: Characters) -> int:
    body = list(inner)
    width = int(inner.getwidth()[0])
    if not width:
        return _LIMIT  # a repeated part that may be empty
    times = min(int(most), LONGEST_MATCH // width)
    first = _first(body, after)
    ways_once = _ways(body, first | after)
    if ways_once == 1:
        is_certain = not first & after
        return 1 if is_certain or times <= least else times - least + 1
    return min(_LIMIT, int(sum(min(_LIMIT, ways_once**n) for n in range(times + 1))))


def _first(parsed: Any, after: Characters) -> Characters:
    """The characters that may start an expression; if it may be empty, or `after`."""
    first: Characters = frozenset()
    for code, argument in parsed:
        characters, may_be_empty = _begin(code, argument)
        first |= characters
        if not may_be_empty:
            return first
    return first | after


def _begin(code: Any, argument: Any) -> tuple[Characters, bool]:
    """The characters that may start a part, and whether it may be empty."""
    if code in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
        return _characters(code, argument), False
    if code is codes.AT and argument is codes.AT_END:
        return _LINE_END, False
    if code in (codes.AT, codes.ASSERT_NOT):
        # The end of a word is certain; other assertions may hold in many places.
        is_border = (code, argument) == _BORDER
        return (frozenset() if is_border else _ALL), True
    if code is codes.ASSERT:
        ahead = _first(argument[1], frozenset())
        return (ahead if argument[0] > 0 else _ALL), True
    if code in REPEATS:
        return _first(argument[2], frozenset()), argument[0] == 0
    branches = _inner(code, argument)
    first = frozenset[int]().union(*(_first(b, frozenset()) for b in branches))
    return first, any(b.getwidth()[0] == 0 for b in branches)


def _characters(code: Any, argument: Any) -> Characters:
    if code is codes.ANY:
        return _ALL - _LINE_END
    if code is codes.LITERAL:
        return _number(argument)
    if code is codes.NOT_LITERAL:
        return _ALL - (_number(argument) - _OTHERS)
    result: Characters = frozenset()
    is_negated = False
    for kind, value in argument:
        if kind is codes.NEGATE:
            is_negated = True
        elif kind is codes.LITERAL:
            result |= _number(value)
        elif kind is codes.RANGE:
            result |= frozenset(range(value[0], min(value[1] + 1, _ASCII)))
            result |= _OTHERS if value[1] >= _ASCII else frozenset()
        else:
            result |= _category(value, is_negated)
    return _ALL - result if is_negated else result


def _number(character: int) -> Characters:
    if character < _ASCII:
        return frozenset([character])
    text = chr(character)
    kind = _SPACE if text.isspace() else _LETTER if text.isalnum() else _SIGN
    return frozenset([kind])


def _category(code: Any, is_negated: bool = False) -> Characters:
    if code not in _CATEGORIES:
        return frozenset() if is_negated else _ALL
    pattern = re.compile(_CATEGORIES[code])
    ascii_characters = {
        number for number in range(_ASCII) if pattern.match(chr(number))
    }
    return frozenset(
        ascii_characters | {n for n, t in _SAMPLES.items() if pattern.match(t)}
    )


_WORD = _category(codes.CATEGORY_WORD)
