"""Paths of drafts: what one system reads differently from another is not taken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.checks import path_policy


@pytest.mark.parametrize(
    "path",
    ["SKILL.md", "scripts/run.py", "a b/ü.txt", ".hidden", "references/x.SKILL.md"],
)
def test_ordinary_paths_are_taken(path: str) -> None:
    assert path_policy.refusal(path) == ""


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/x",
        "../x",
        "a/../b",
        "./a",
        "a/",
        "a//b",
        "C:/x",
        "c:x",
        "a\\b",
        "a\0b",
        "a\tb",
        "a\u202eb",
        "a\udcffb",
        "e\u0301",
        "nul",
        "x/AUX.txt",
        "a.",
        "a ",
        ".git",
        ".Git/config",
        ".gitmodules",
        "git~1",
        "x/.git.",
        "skill.md",
        "x/SKILL.md",
        "SKILL.md/x",
        "x" * 256,
        "what?",
        "a:b",
    ],
)
def test_odd_paths_are_refused(path: str) -> None:
    assert path_policy.refusal(path)


@given(st.text(max_size=30))
def test_what_is_taken_stays_inside(path: str) -> None:
    if not path_policy.refusal(path):
        assert not path.startswith("/")
        assert ".." not in path.split("/")
        assert path.isprintable()
        assert path.encode()


@pytest.mark.parametrize(
    ("found", "clash"),
    [
        (["a", "b/c"], False),
        (["a", "A"], True),
        (["a/x", "A/y"], True),
        (["a", "a/b"], True),
        (["a/b", "a"], True),
        (["straße", "STRASSE"], True),
    ],
)
def test_paths_that_collide(found: list[str], clash: bool) -> None:
    assert bool(path_policy.clash(found)) is clash


@pytest.mark.parametrize("name", ["a", "csv-tables", "Pdf_Tables", "a.b"])
def test_names_that_can_be_a_branch(name: str) -> None:
    assert path_policy.is_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "-a", ".a", "a..b", "a.", "a.lock", "a/b", "a b", "a\n", "con", "a@{b", "é"],
)
def test_names_that_cannot(name: str) -> None:
    assert not path_policy.is_name(name)
