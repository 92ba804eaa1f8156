"""Edit one field, and every other byte stays."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillforge.document.edit import remove_field, scalar, set_field
from skillforge.errors import RequestError
from tests.conftest import EXAMPLES, parse_text

TEXT = """---
# A comment
name: csv-tables   # the name
description: >
  Reads tables.

  Use when asked.
license: 'MIT'
metadata:
    version: "1.0"  # quoted
    tags: [a, b]

    empty:
allowed-tools:
- Read
- Grep
flow: {x: y}
---
# Title

No final newline"""
PATHS = [
    ("name",),
    ("description",),
    ("license",),
    ("metadata", "version"),
    ("metadata", "tags"),
    ("metadata", "empty"),
    ("metadata", "added"),
    ("allowed-tools",),
    ("flow", "x"),
    ("flow", "added"),
    ("added",),
    ("added", "inner"),
]
VALUES = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NEWLINES = st.sampled_from(["\n", "\r\n"])


def lookup(fields: object, path: tuple[str, ...]) -> object:
    for key in path:
        fields = fields.get(key) if isinstance(fields, dict) else None
    return fields


@given(st.sampled_from(PATHS), VALUES, NEWLINES)
@settings(max_examples=6 * EXAMPLES)
def test_setting_a_field_leaves_the_rest(
    path: tuple[str, ...], value: str, newline: str
) -> None:
    text = TEXT.replace("\n", newline)
    before = parse_text(text)

    after = parse_text(set_field(text, path, value))

    assert lookup(after.fields, path) == value
    assert after.body == before.body
    unchanged = [p for p in PATHS if p[: len(path)] != path and path[: len(p)] != p]
    assert all(lookup(after.fields, p) == lookup(before.fields, p) for p in unchanged)


@given(st.sampled_from([p for p in PATHS if "added" not in p]), VALUES, NEWLINES)
@settings(max_examples=3 * EXAMPLES)
def test_setting_a_field_touches_its_own_lines_only(
    path: tuple[str, ...], value: str, newline: str
) -> None:
    text = TEXT.replace("\n", newline)
    after = set_field(text, path, value).split(newline)
    before = text.split(newline)

    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    rest = len(before) - start
    while rest and before[-rest:] != after[-rest:]:
        rest -= 1
    changed = before[start : len(before) - rest]
    assert all(
        path[-1] in line or line.startswith(("  ", "- ")) or not line.strip()
        for line in changed
    )


@given(st.sampled_from(PATHS), VALUES)
def test_setting_twice_is_setting_once(path: tuple[str, ...], value: str) -> None:
    once = set_field(TEXT, path, value)

    assert set_field(once, path, value) == once


@pytest.mark.parametrize("path", PATHS, ids=".".join)
def test_removing_what_was_added_gives_the_original_back(path: tuple[str, ...]) -> None:
    if "added" in path and path[0] != "flow":
        assert remove_field(set_field(TEXT, path, "x"), path) == TEXT


def test_comments_order_and_quotes_stay() -> None:
    changed = set_field(TEXT, ("metadata", "version"), "1.1")

    assert changed == TEXT.replace('"1.0"', '"1.1"')


def test_a_plain_value_that_looks_like_a_number_is_quoted() -> None:
    assert 'name: "007"   # the name' in set_field(TEXT, ("name",), "007")


def test_removing_takes_the_lines_along() -> None:
    removed = remove_field(TEXT, ("description",))

    assert "Use when asked" not in removed
    assert removed.count("\n") == TEXT.count("\n") - 4


@pytest.mark.parametrize(
    "text", ["no header", "---\nname: [\n---\n"], ids=["missing", "broken"]
)
def test_what_cannot_be_read_is_not_edited(text: str) -> None:
    with pytest.raises(RequestError, match="cannot change"):
        set_field(text, ("name",), "a")


@given(VALUES)
def test_a_written_scalar_is_read_back(value: str) -> None:
    assert parse_text(f"---\na: {scalar(value)}\n---\n").fields == {"a": value}
    assert not parse_text(f"---\na: {scalar(value)}\n---\n").kinds


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        pytest.param("m: # c\n", ("m", "x"), "y", "m: # c\n  x: y\n", id="comment"),
        pytest.param(
            "m: {} # c\n", ("m", "x"), "y", 'm: {x: "y"} # c\n', id="empty-flow"
        ),
        pytest.param("m: t # c\n", ("m", "x"), "y", "m: # c\n  x: y\n", id="text"),
        pytest.param("m: {a: b, c: d}\n", ("m", "a"), None, "m: {c: d}\n", id="flow"),
        pytest.param(
            "m: {a: b, c: d}\n", ("m", "c"), None, "m: {a: b}\n", id="flow-end"
        ),
        pytest.param("m: {a: b,}\n", ("m", "x"), "y", 'm: {a: b,x: "y"}\n', id="comma"),
        pytest.param("k: v\nm: # c\n  a: b\n", ("m", "a"), None, "k: v\n", id="last"),
        pytest.param(
            "k: v\nm:\n  # c\n  a: b\n", ("m", "a"), None, "k: v\n", id="below"
        ),
        pytest.param("# only\n", ("x",), "y", "# only\nx: y\n", id="comments-only"),
    ],
)
def test_odd_headers_are_edited(
    before: str, path: tuple[str, ...], value: str | None, after: str
) -> None:
    text = f"---\n{before}---\nBody"

    changed = (
        remove_field(text, path) if value is None else set_field(text, path, value)
    )

    assert changed == f"---\n{after}---\nBody"


def test_a_key_that_no_parser_takes_is_refused() -> None:
    with pytest.raises(RequestError):
        set_field(TEXT, ("k" * 2000,), "x")
