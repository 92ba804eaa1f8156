"""Expectations: what is expected, what was got, and the smallest difference."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.checks.cases import expectations
from skillforge.checks.cases.expectations import differences
from skillforge.sandbox import JobResult, WorkFile


def ended(
    stdout: str = "", code: int = 0, err: str = "", **found: WorkFile
) -> JobResult:
    return JobResult(code, stdout.encode(), err.encode(), 0.0, files=found)


def of_stdout(rule: dict[str, Any] | str, out: str) -> list[str]:
    return differences({"stdout": rule}, ended(out))


@pytest.mark.parametrize(
    ("rule", "out", "says"),
    [
        pytest.param("a b", "a c", "first difference after 'a '", id="equals-line"),
        pytest.param(
            "a\nb\nc\nd\n", "a\nb\nX\nd\n", "-c\n    +X", id="equals-difference"
        ),
        pytest.param({"equals": 5}, "6", "expected '5', got '6'", id="equals-number"),
        pytest.param(
            {"contains": "total: 3"},
            "sum\ntotal: 4\n",
            "nearest is 'total: 4'",
            id="near",
        ),
        pytest.param({"contains": ["a", "z"]}, "abc", "contain 'z'", id="contains"),
        pytest.param(
            {"not_contains": "c"}, "a\nb\nc", "line 3 does", id="not-contains"
        ),
        pytest.param({"matches": r"^\d+$"}, "x1", r"match /^\d+$/", id="matches"),
        pytest.param({"json": 1}, "x", "expected JSON, got 'x'", id="not-json"),
        pytest.param(
            {"json": {"a": [{"b": 1}]}},
            '{"a": [{"b": 2, "c": 3}]}',
            "$.a[0].b: expected 1, got 2",
            id="json-deep",
        ),
        pytest.param({"json": {"a": 1}}, '{"b": 1}', "no such key (b)", id="json-key"),
        pytest.param(
            {"json": [1]}, "[1, 2]", "expected 1 items, got 2", id="json-list"
        ),
        pytest.param({"json": 1}, "true", "expected 1, got true", id="json-boolean"),
        pytest.param(
            {"json_schema": {"required": ["a"]}}, "{}", "'a' is a required", id="schema"
        ),
        pytest.param(
            {"json_schema": {"$ref": "http://127.0.0.1:9/x"}},
            "{}",
            "refers to another schema",
            id="schema-elsewhere",
        ),
    ],
)
def test_a_difference_is_shown_at_its_smallest(
    rule: dict[str, Any] | str, out: str, says: str
) -> None:
    found = of_stdout(rule, out)

    assert len(found) == 1
    assert found[0].startswith("stdout: ")
    assert says in found[0]


@pytest.mark.parametrize(
    ("rule", "out"),
    [
        ("a", "a\n"),
        ("a\n", "a"),
        ({"contains": "b"}, "abc"),
        ({"not_contains": ["x", "y"]}, "abc"),
        ({"matches": [r"^b", r"c$"]}, "a\nbc\n"),
        ({"json": {"a": {"b": [1]}}}, '{"a": {"b": [1], "c": 2}, "d": 3}'),
        ({"json_schema": {"type": "array"}}, "[]"),
    ],
)
def test_what_is_met_is_not_mentioned(rule: dict[str, Any] | str, out: str) -> None:
    assert of_stdout(rule, out) == []


def test_an_exit_code_difference_shows_the_output() -> None:
    [found] = differences({"exit": [0, 3]}, ended(code=1, err="Traceback\nBoom: x\n"))

    assert found == "exit: expected 0 or 3, got 1; output: Boom: x"


def test_without_expectations_an_exit_of_zero_is_expected() -> None:
    assert differences({}, ended()) == []
    assert len(differences({}, ended(code=2))) == 1


def test_standard_error_is_compared_as_well() -> None:
    assert differences({"stderr": "a"}, ended(err="b"))
    assert not differences({"stderr": "a"}, ended(err="a\n"))


def test_one_line_break_at_the_end_does_not_matter_more_do() -> None:
    assert of_stdout("a", "a\n\n")
    assert of_stdout("a ", "a")


def test_files_that_are_not_files() -> None:
    expect = {"files": {"l": {"contains": "x"}, "gone": "x", "there": {"absent": True}}}
    found = differences(expect, ended(l=WorkFile("link"), there=WorkFile("folder")))

    assert found == [
        "l: expected a file, got a link",
        "gone: expected to exist, but it does not",
        "there: expected to be absent, but there is a folder",
    ]


def test_bytes_are_not_the_text_that_they_are_shown_as() -> None:
    assert differences({"stdout": "\\xff"}, JobResult(0, b"\xff", b"", 0.0))
    assert not differences({"stdout": "\\xff"}, JobResult(0, b"\\xff", b"", 0.0))


def test_what_cannot_be_looked_at_does_not_exist() -> None:
    odd = ended(out=WorkFile("unreadable"), big=WorkFile("large file", b"x"))

    assert differences({"files": {"out": {"exists": True}}}, odd)
    assert differences({"files": {"out": {"absent": True}}}, odd)
    assert differences({"files": {"big": {"not_contains": "y"}}}, odd)
    assert not differences({"files": {"big": {"exists": True}}}, odd)


def test_an_end_by_a_signal_is_named() -> None:
    assert "got 137 (SIGKILL)" in differences({}, ended(code=137))[0]


def test_a_pattern_that_never_ends_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(expectations, "_SECONDS", 1)
    start = time.monotonic()

    found = of_stdout({"matches": "(a+)+$"}, "a" * 60 + "!")

    assert found == ["the patterns of the case take more than 1 s to match"]
    assert time.monotonic() - start < 4


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values)
def test_json_holds_itself(value: Any) -> None:
    assert of_stdout({"json": value}, json.dumps(value)) == []


@given(st.dictionaries(st.text(), values), st.dictionaries(st.text(), values))
def test_json_may_hold_more(less: dict[str, Any], more: dict[str, Any]) -> None:
    assert of_stdout({"json": less}, json.dumps({**more, **less})) == []


@given(values, values)
def test_json_that_is_not_it_is_a_difference(value: Any, other: Any) -> None:
    if json.dumps(value) != json.dumps(other) and not holds_mappings(value):
        assert of_stdout({"json": value}, json.dumps(other))


def holds_mappings(value: Any) -> bool:
    """Whether there is a mapping in it, of which another may hold more."""
    if isinstance(value, list):
        return any(map(holds_mappings, value))
    return isinstance(value, dict)


@given(st.binary(max_size=200), st.text(max_size=50))
def test_any_output_can_be_compared(out: bytes, expected: str) -> None:
    rule = {"equals": expected, "contains": expected, "json": expected}
    differences({"stdout": rule}, JobResult(0, out, b"", 0.0))
