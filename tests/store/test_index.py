"""What is written to the index is found, also after incremental updates."""

from pathlib import Path

import pytest

from skillforge.errors import ToolError
from skillforge.store.index import (
    IndexedSkill,
    Indexes,
    SkillText,
    in_memory,
    matches,
    spaced,
)

TREE = "a" * 40


def text(name: str, description: str, body: str = "") -> SkillText:
    return SkillText(IndexedSkill(name, f"tree of {name}", description), body)


def test_a_removed_skill_leaves_no_rows(tmp_path: Path) -> None:
    first, second = text("one", "apples"), text("two", "pears", "and apples")
    changed = text("two", "plums")
    indexes = Indexes(tmp_path)
    indexes.write(TREE, None, (), [first, second])
    found = indexes.latest()
    assert found is not None

    indexes.write("b" * 40, found[1], [first, second], [changed])
    index = indexes.find("b" * 40)

    assert index is not None
    assert index.skills() == [changed.skill]
    assert index.best(["apples"], 9) == []
    assert [match.skill.name for match in index.best(["plum"], 9)] == ["two"]
    fresh = in_memory("b" * 40, [changed])
    assert index.best(["plum"], 9) == fresh.best(["plum"], 9)


def test_the_index_of_another_tree_is_not_taken(tmp_path: Path) -> None:
    indexes = Indexes(tmp_path)
    indexes.write(TREE, None, (), [text("one", "apples")])
    [path] = tmp_path.glob("search-*.db")
    path.rename(Path(str(path).replace(TREE, "b" * 40)))

    assert indexes.find("b" * 40) is None
    assert indexes.find(TREE) is None


def test_what_died_half_way_is_thrown_away(tmp_path: Path) -> None:
    (tmp_path / f"search-1-0-{TREE}.77.half").write_bytes(b"half")
    (tmp_path / "search-0-old.db").write_bytes(b"old")

    Indexes(tmp_path).write(TREE, None, (), [])

    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolError):
        Indexes(tmp_path / "nothing").write(TREE, None, (), [])


def test_equals_are_in_order_of_names() -> None:
    names = ["d", "a", "c", "b"]
    index = in_memory(TREE, [text(name, "same words") for name in names])

    assert [match.skill.name for match in index.best(["words"], 3)] == ["a", "b", "c"]


def test_all_words_in_the_description_count_for_more_than_a_body_full_of_them() -> None:
    index = in_memory(
        TREE, [text("body", "x", "join tables " * 50), text("head", "join tables")]
    )

    found = index.best(["join", "tables"], 2)

    assert [(match.skill.name, match.is_whole) for match in found] == [
        ("head", True),
        ("body", False),
    ]


def test_signs_are_words_of_their_own() -> None:
    assert spaced("a數據b").split() == ["a", "數", "據", "b"]
    assert matches([["合併數據表"]], ["數據"]) == [[["數據"]]]
