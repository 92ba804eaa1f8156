"""What a pattern can cost is bounded by its structure, whatever the text."""

import re
from collections.abc import Iterator
from itertools import islice
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skillforge.checks.scan.pattern_cost import problems, ways
from tests.conftest import EXAMPLES

FINE = [
    (r"curl[^\n]{0,300}internal", 301),
    (r"\bfoo\w*\b[^\n]{0,80}bar", 81),
    (r"(?:\w+\s+){0,4}secret", 5),
    (r"a[^\n|]{0,60}\|\s*b", 1),
    (r"\b(?:send|post|upload)\b", 1),
    (r"x+$", 1),
]
COSTLY = [
    r"(a+)+$",
    r"(\w+\s?)*x",
    r"(?:ab|ab)*c",
    r".*.*.*x",
    r"(x+x+)+y",
    r"(?:\w|\w\w)+z",
    r"(?:\d+|\w+)*!",
    r"(?=(a+)+b)x",
    r"(?:a?)*b",
    r"x[^\n]{0,200}y[^\n]{0,200}z",
]


@pytest.mark.parametrize(("source", "count"), FINE, ids=[p[0] for p in FINE])
def test_usual_patterns_have_few_ways(source: str, count: int) -> None:
    assert ways(source) == count


@pytest.mark.parametrize("source", COSTLY)
def test_patterns_that_backtrack_much_have_many_ways(source: str) -> None:
    assert ways(source) > 10_000


CHARACTERS = st.sampled_from(["a", "b", "[ab]", r"\w", r"\s", "[^b]", "[^!]", " "])
REPEATS = st.sampled_from(["", "?", "*", "+", "{0,3}", "{2}", "{1,4}", "*?"])


def _sequence(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})")
    part = st.tuples(CHARACTERS | group, REPEATS).map("".join)
    return st.lists(part, min_size=1, max_size=3).map("".join)


SOURCES = st.recursive(CHARACTERS, _sequence, max_leaves=8)


@given(SOURCES, st.text("ab !", max_size=9))
@settings(max_examples=8 * EXAMPLES)
def test_no_text_is_matched_in_more_ways(source: str, text: str) -> None:
    """Every way to match a text is counted, against the bound from the structure."""
    whole = f"{source}!"
    bound = ways(whole)
    assume(bound < 5000)  # else the bound is refused anyway, and the count endless
    parsed = list(parser.parse(whole))

    found = sum(1 for _ in islice(paths(parsed, text, 0), bound + 1))

    assert found <= bound


def paths(parsed: list[Any], text: str, at: int) -> Iterator[int]:
    """Where each way to match from a place ends."""
    if not parsed:
        yield at
        return
    code, argument = parsed[0]
    for end in _part_paths(code, argument, text, at):
        yield from paths(parsed[1:], text, end)


def _part_paths(code: Any, argument: Any, text: str, at: int) -> Iterator[int]:
    if code is codes.BRANCH:
        for branch in argument[1]:
            yield from paths(list(branch), text, at)
    elif code is codes.SUBPATTERN:
        yield from paths(list(argument[3]), text, at)
    elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        least, most, inner = argument
        yield from _repeat_paths(list(inner), least, int(most), text, at)
    else:
        tree = parser.SubPattern(parser.State(), [(code, argument)])
        if re._compiler.compile(tree).match(text, at):  # type: ignore[attr-defined]
            yield at + 1


def _repeat_paths(
    inner: list[Any], least: int, most: int, text: str, at: int
) -> Iterator[int]:
    if least <= 0:
        yield at
    if most > 0:
        for end in paths(inner, text, at):
            if end > at:
                yield from _repeat_paths(inner, least - 1, most - 1, text, end)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        pytest.param(r"(\w+) \1", "back references", id="back-reference"),
        pytest.param(r"Secret", "lower case", id="upper-case"),
        pytest.param(r"[A]b", "lower case", id="upper-case-class"),
    ],
)
def test_what_can_never_match_is_a_problem(source: str, problem: str) -> None:
    assert any(problem in found for found in problems(source))


def test_ordinary_classes_are_not_a_problem() -> None:
    assert list(problems(r"\S+\W[^\n]{0,9}\bsecret\b")) == []
