"""A page that shows something else than a command says is found out."""

from pathlib import Path

import pytest

from tests.docs.command_check import misuse
from tests.docs.comparison import Ids, difference
from tests.docs.page_parser import scenes


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        pytest.param(["kept 6"], "kept 6\n", id="same"),
        pytest.param(["commit 721ae997d599"], "commit 0d2f4c81aa01\n", id="hash"),
        pytest.param(
            ["in 0.02 s on 2026-11-17"], "in 1.25 s on 2027-01-02\n", id="time"
        ),
        pytest.param(["a", "…", "d"], "a\nb\nc\nd\n", id="left-out"),
        pytest.param(["a", "…", "d"], "a\nd\n", id="left-out-nothing"),
        pytest.param(["/home/ada/x"], "/home/you/x\n", id="home"),
        pytest.param([], "\n", id="nothing"),
    ],
)
def test_what_differs_each_time_may_differ(shown: list[str], said: str) -> None:
    assert difference(shown, said, Ids()) == ""


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        pytest.param(["kept 6"], "kept 7\n", id="number"),
        pytest.param(["kept 6"], "kept 6\nand more\n", id="more"),
        pytest.param(["kept 6", "and more"], "kept 6\n", id="less"),
        pytest.param([], "a word\n", id="something"),
        pytest.param(["a", "…", "d"], "a\nb\n", id="end"),
        pytest.param(["export the … table"], "export the old table\n", id="inside"),
    ],
)
def test_what_is_wrong_is_told(shown: list[str], said: str) -> None:
    assert "differ" in difference(shown, said, Ids())


def test_a_hash_of_the_page_stands_for_the_one_that_came() -> None:
    ids = Ids()

    assert difference(["pattern 243d1dec60a6"], "pattern 99887766aabb\n", ids) == ""
    assert ids.put_into("draft 243d --name a") == "draft 9988 --name a"
    assert "243d1dec60a6 is" in difference(["243d1dec60a6"], "0123456789ab\n", ids)


def test_a_page_is_read_as_scenes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A\n\n<!-- given: a place -->\n"
        "```console\n$ one \\\n  two\nsaid\n$ three\n```\n"
        "\n<!-- and: a deed -->\n```sh\nfour   # why\nif five; then\n    six\nfi\n```\n"
        "\n```json\n{}\n```\n\n````markdown\n```sh\nnot this\n```\n````\n"
    )

    [scene] = scenes(page)

    assert (scene.given, scene.id) == ("a place", "page.md:5")
    assert [(it.line, it.command, it.shows, it.before) for it in scene.steps] == [
        (5, "one \\\n  two", ["said"], ()),
        (8, "three", [], ()),
        (13, "four   # why", None, ("a deed",)),
        (14, "if five; then\n    six\nfi", None, ()),
    ]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        pytest.param("skillforge validate --fix --write", "", id="fine"),
        pytest.param("skillforge canary set NAME --share 50", "", id="group"),
        pytest.param("skillforge record < uses.jsonl", "", id="redirected"),
        pytest.param("skillforge --version", "", id="version"),
        pytest.param("skillforge hook install|remove", "", id="either"),
        pytest.param("skillforge hook install|no", "no command 'install|no'", id="no"),
        pytest.param("skillforge valdate", "no command 'valdate'", id="command"),
        pytest.param("skillforge canary stop", "no command 'stop'", id="inner"),
        pytest.param("skillforge scan --fix", "no option --fix", id="option"),
    ],
)
def test_a_command_that_cannot_be_typed_is_told(line: str, wrong: str) -> None:
    assert misuse(line) == wrong
