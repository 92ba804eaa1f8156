"""Any bytes in, a document or a finding out."""

import random

import frontmatter
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from skillforge.document import MAX_BYTES, parse
from skillforge.document.plain_header import kind_of, read_plain
from skillforge.document.yaml_header import HeaderError, read_yaml
from tests.conftest import CASES, EXAMPLES, parse_text, skill_md

CASE_TEXTS = [
    path.read_bytes() for path in sorted(CASES.rglob("SKILL.md")) if path.is_file()
]
LINES = st.sampled_from(
    [
        "name: csv-tables",
        "description: Reads tables. Use when asked.",
        "description: >",
        "  folded text",
        "  # more text",
        "   deeper text",
        "  trailing ",
        "text: |-",
        "  ",
        "description: Use when: x",
        "license: MIT",
        "license:",
        "metadata:",
        "  version: 1.10",
        "  version: '1.10'",
        "    deep: 007",
        "\tversion: 1",
        "- item",
        "tags: [a, b]",
        "a: *x",
        "b: &x y",
        "c: \u2028",
        "# comment",
        "",
        "x: |",
        'q: "a\\tb"',
        "e: 'it''s'",
        "n: null",
        "when: 2026-01-01",
        "k:v",
        "k : v",
        "key: value # comment",
        "key: ends:",
        "...",
    ]
)
HEADERS = st.lists(LINES | st.text(max_size=20), max_size=8).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(st.binary() | HEADERS.map(lambda h: f"---\n{h}---\nBody".encode()))
@example(b"")
@example(b"\xef\xbb\xbf---\nname: a\n---\n")
@example(b"---\n\xff\n---\n")
@settings(max_examples=8 * EXAMPLES)
def test_any_bytes_give_a_document(data: bytes) -> None:
    document = parse(data)

    assert document.readable == bool(document.fields)
    assert document.readable or document.problems
    for finding in document.problems:
        assert finding.hint
        assert 1 <= finding.line <= data.count(b"\n") + 2


def test_any_damage_to_real_files_gives_a_document() -> None:
    rng = random.Random(1)
    for _ in range(3000):
        data = bytearray(rng.choice(CASE_TEXTS) or b"---\n")
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data) + 1)
            data[at : at + rng.randint(0, 3)] = rng.choice(
                [b"", b":", b"\n", b"- ", b"\t", b"'", b'"', b"[", b"{", b"&", b"\x00"]
            )
        document = parse(bytes(data))
        assert document.readable == bool(document.fields)


@given(HEADERS)
@example("key: trailing \n")
@example("key: >\n  trailing \n")
@example("key: a\u2028b\n")
@example("key: 'a' b\n")
@example("a: b\n# \u2028key: c\n")
@settings(max_examples=16 * EXAMPLES)
def test_the_fast_reader_agrees_with_libyaml_wherever_it_answers(header: str) -> None:
    plain = read_plain(header)
    if plain is not None:
        assert plain == read_yaml(header)


@given(
    st.lists(
        st.sampled_from("ab:#>|-'\" .\n\r\t\v\f\x00\x1c\x7f\x85\u2028\ufeff\ud800é"),
        max_size=12,
    ).map("".join)
)
@example("a: b\rc: d\n")
@settings(max_examples=16 * EXAMPLES)
def test_the_fast_reader_agrees_on_any_characters(text: str) -> None:
    for header in (f"{text}\n", f"a: {text}\n", f"a: >\n  {text}\nb: c\n"):
        if (plain := read_plain(header)) is not None:
            assert plain == read_yaml(header)


@pytest.mark.parametrize("line_break", ["\n", "\r", "\x85", "\u2028"])
def test_an_end_marker_is_refused_after_any_line_break(line_break: str) -> None:
    header = f"name: csv-tables{line_break}...{line_break}"

    with pytest.raises(HeaderError) as refused:
        read_yaml(f"{header}\n")

    assert refused.value.finding.rule == "frontmatter-single"


def test_the_fast_reader_answers_for_plain_headers() -> None:
    text = "name: a\nlicense: \"MIT\"\nmetadata:\n  version: '1.0'\n\nother: x # y\n"

    assert read_plain(text.replace(" # y", "")) is not None
    assert read_plain(text) is None


@given(HEADERS)
@example("name: csv-tables\n...\n...\n")
@settings(max_examples=5 * EXAMPLES)
def test_other_readers_see_what_we_see(header: str) -> None:
    """What we accept, python-frontmatter and ruamel.yaml read with the same text."""
    document = parse_text(f"---\n{header}---\nBody\n")
    if not document.readable or any(k in header for k in ("\u2028", "\x85", "\u2029")):
        return
    if any(kind_of(key) for key in document.fields):
        return  # a key such as `1` or `yes`, which they do not take for text
    read = [
        frontmatter.loads(document.text).metadata,
        YAML(typ="safe", pure=True).load(header),
    ]
    for fields in read:
        assert list(fields) == list(document.fields)
        for key, value in fields.items():
            if isinstance(value, str):
                assert value == document.fields[key]


@pytest.mark.parametrize(
    "value", ["1.10", "yes", "2026-01-01", "007", "0x1F", "~", "1e3"]
)
def test_scalars_stay_text_as_written(value: str) -> None:
    document = parse_text(f"---\nname: {value}\nmetadata:\n  a: {value}\n---\n")

    assert document.fields == {"name": value, "metadata": {"a": value}}
    assert set(document.kinds) == {"name", "metadata.a"}


@pytest.mark.parametrize(
    "value", ["1.2.3", "v1.0", "12 apples", '"1.0"', "'yes'", "on it"]
)
def test_text_is_not_read_as_another_type(value: str) -> None:
    assert not parse_text(f"---\nname: {value}\n---\n").kinds


def test_every_key_has_its_line() -> None:
    text = "---\n# note\nname: a\n\nmetadata:\n  x: |\n    t\n  y:\n    - z: 1\n---\n"

    assert parse_text(text).lines == {
        "name": 3,
        "metadata": 5,
        "metadata.x": 6,
        "metadata.y": 8,
        "metadata.y.0": 9,
        "metadata.y.0.z": 9,
    }


def test_a_large_file_is_refused_without_reading_it() -> None:
    document = parse(skill_md("a", body="x" * MAX_BYTES).encode())

    assert [f.rule for f in document.problems] == ["file-too-large"]


def test_a_large_header_is_refused() -> None:
    document = parse_text(f"---\nname: {'x' * 70_000}\n---\n")

    assert [f.rule for f in document.problems] == ["file-too-large"]


def test_a_yaml_bomb_does_not_grow() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)
    )

    assert [f.rule for f in parse_text(f"---\n{bomb}---\n").problems] == ["yaml-anchor"]


@pytest.mark.parametrize("opener", ["[", "{a: ", "- "], ids=["list", "map", "block"])
def test_deep_nesting_is_refused(opener: str) -> None:
    document = parse_text(f"---\nname: {opener * 5000}\n---\n")

    assert not document.readable


def test_hyphens_inside_a_value_do_not_end_the_header() -> None:
    text = "---\nname: a\ndescription: |\n  x\n  ---\n  y\n---\nBody\n---\nmore\n"
    document = parse_text(text)

    assert document.fields["description"] == "x\n---\ny\n"
    assert document.body == "Body\n---\nmore\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "body", ["", "x", "x\n"], ids=["none", "no-newline", "newline"]
)
def test_the_body_is_the_rest(newline: str, body: str) -> None:
    text = f"---{newline}name: a{newline}---{newline}{body}"

    assert parse_text(text).body == body


def test_a_bom_is_found_and_the_fields_are_read_all_the_same() -> None:
    document = parse_text("\ufeff---\nname: a\n---\n")

    assert document.fields == {"name": "a"}
    assert [f.rule for f in document.problems] == ["encoding-bom"]


def test_unreadable_is_raised_only_inside() -> None:
    with pytest.raises(HeaderError):
        read_yaml("a: [")


def test_without_libyaml_the_same_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = [parse(data) for data in CASE_TEXTS]

    monkeypatch.delattr(yaml, "cyaml")
    slow = [parse(data) for data in CASE_TEXTS]

    for document, other in zip(fast, slow, strict=True):
        assert (document.fields, document.lines) == (other.fields, other.lines)
        assert document.readable == other.readable
