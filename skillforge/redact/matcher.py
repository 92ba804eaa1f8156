"""One pattern for many values: matches the longest, and whole words only."""

import re
from collections.abc import Iterable

_DEEPEST = 40
_FEW = 8  # values that are tried one by one


def any_of(values: Iterable[str]) -> re.Pattern[str]:
    """A pattern that matches any of the values; nothing if there are none."""
    ordered = sorted(values, key=lambda value: (-len(value), value))
    groups = _by_start(ordered, 0)
    either = (
        f"{_begin(start)}{re.escape(start)}(?:{_either(group, len(start))})"
        for start, group in groups.items()
    )
    return re.compile("|".join(either) or r"(?!)")


def whole(value: str) -> str:
    """The pattern of a single value."""
    return f"{_begin(value)}{re.escape(value)}{_end(value)}"


def _either(group: list[str], at: int) -> str:
    """The rest of some values, grouped by prefix, as there may be thousands."""
    if len(group) <= _FEW or at > _DEEPEST:
        return "|".join(f"{re.escape(word[at:])}{_end(word)}" for word in group)
    return "|".join(
        f"{re.escape(start)}(?:{_either(some, at + 2)})"
        if len(start) == 2
        else f"{re.escape(start)}{_end(some[0])}"
        for start, some in _by_start(group, at).items()
    )


def _by_start(values: Iterable[str], at: int) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for value in values:
        groups.setdefault(value[at : at + 2], []).append(value)
    return groups


def _begin(value: str) -> str:
    """A match does not start inside a word, except after an escaped line break."""
    return r"(?:(?<![^\W_])|(?<=\\[nrt]))" if value[0].isalnum() else ""


def _end(value: str) -> str:
    return r"(?![^\W_])" if value[-1].isalnum() else ""
