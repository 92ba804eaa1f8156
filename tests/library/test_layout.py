"""Where skills are, and what they are called: pure functions on paths."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from skillforge.library.skill_discovery import of_paths
from skillforge.model import Layout
from skillforge.model.layout import folder_names, ref_name, skill_of_ref

NAMES = st.sampled_from(["a", "b", "skills", "plugins", "x-1", ".curated", "csv"])
PATHS = st.lists(NAMES, min_size=1, max_size=5).map("/".join)
GLOBS = st.lists(
    st.lists(NAMES | st.just("*"), min_size=1, max_size=4).map("/".join),
    min_size=1,
    max_size=4,
    unique=True,
).map(lambda globs: Layout(tuple(globs)))


@pytest.mark.parametrize(
    ("globs", "folder", "name"),
    [
        (["skills/*"], "skills/csv", "csv"),
        (["scientific-skills/*"], "scientific-skills/csv", "csv"),
        (["plugins/*/skills/*"], "plugins/red/skills/csv", "red/csv"),
        (["skills/*/*", "extra/*/*"], "skills/tables/csv", "tables/csv"),
        (["skills/*/*", "extra/*/*"], "extra/tables/csv", "extra/tables/csv"),
        (["skills/*", "skills/*/*"], "skills/csv/big", "csv/big"),
        (["skills/*/*", "skills/lonely"], "skills/lonely", "skills/lonely"),
        ([".claude/skills/*"], ".claude/skills/csv", "csv"),
    ],
)
def test_a_skill_is_named_by_what_the_wildcards_match(
    globs: list[str], folder: str, name: str
) -> None:
    layout = Layout(tuple(globs))
    assert layout.name_of(folder) == name
    assert layout.path_of(name) == folder


@pytest.mark.parametrize("path", ["skills", "skills/a/b", "other/a", "skills/"])
def test_other_folders_are_no_skills(path: str) -> None:
    assert not Layout().name_of(path)
    assert not Layout(("skills/*", "more/x")).name_of(path)


def test_a_wildcard_matches_no_hidden_folder() -> None:
    layout = Layout(("skills/*", "skills/.curated/*"))
    assert not layout.name_of("skills/.curated")
    assert layout.name_of("skills/.curated/csv") == "skills/.curated/csv"


def filled(glob: str, words: list[str]) -> str:
    fill = iter(words)
    return "/".join(next(fill) if "*" in part else part for part in glob.split("/"))


@given(GLOBS, st.integers(0, 3), st.lists(NAMES, min_size=4, max_size=4), PATHS)
def test_names_and_folders_are_the_same_thing(
    layout: Layout, glob: int, words: list[str], two: str
) -> None:
    one = filled(layout.globs[glob % len(layout.globs)], words)
    name = layout.name_of(one)
    assume(name)
    assert layout.path_of(name) == one
    assert layout.has_name(name)
    assert one == two or layout.name_of(two) != name


@given(GLOBS, PATHS)
def test_what_is_in_a_skill_is_covered_in_any_case(layout: Layout, path: str) -> None:
    inside = f"{path}/SKILL.md"
    if layout.name_of(path):
        assert layout.name_of(path) in layout.names_around(inside)
        assert layout.covers(inside)
        assert layout.covers(inside.upper())


@given(PATHS)
def test_a_name_is_one_part_of_a_ref(name: str) -> None:
    part = ref_name(name)
    assert "/" not in part
    assert not part.startswith(".")
    assert skill_of_ref(part) == name


def test_side_by_side_only_equal_folders_have_long_names() -> None:
    names = ["a/csv", "b/csv", "b/pdf", "x/.claude/skills/one"]
    assert folder_names(names) == {
        "a/csv": "a-csv",
        "b/csv": "b-csv",
        "b/pdf": "pdf",
        "x/.claude/skills/one": "one",
    }


@given(st.lists(PATHS, unique=True))
def test_side_by_side_no_skill_takes_the_folder_of_another(names: list[str]) -> None:
    names += ["x/csv", "y/csv", "z/x-csv", "z-x/csv", "x-1/b", "x/1-b", "q/X-CSV"]
    folders = [folder.lower() for folder in folder_names(names).values()]
    assert len(folders) == len({*folders})


def files(*folders: str) -> list[str]:
    return [f"{folder}/SKILL.md" for folder in folders]


@pytest.mark.parametrize(
    ("folders", "globs"),
    [
        (["skills/a", "skills/b"], ["skills/*"]),
        (["plugins/a/skills/x", "plugins/b/skills/x"], ["plugins/*/skills/*"]),
        (["skills/a/x", "skills/b/y", "more/a/z"], ["skills/*/*", "more/a/*"]),
        ([".claude/skills/a", ".agents/x/a"], [".agents/x/*", ".claude/skills/*"]),
        (["skills/.one/a", "skills/.two/b"], ["skills/.one/*", "skills/.two/*"]),
        (["skills/a", "skills/a/deep"], ["skills/*", "skills/a/*"]),
        (["csv", "pdf"], ["csv", "pdf"]),
    ],
)  # fmt: skip
def test_globs_cover_what_is_there(folders: list[str], globs: list[str]) -> None:
    found = of_paths(files(*folders))
    assert list(found.globs) == globs
    assert found.skills == sorted(folders)


def test_a_wildcard_that_matches_more_folders_than_skills_is_not_used() -> None:
    paths = files("skills/lonely", *(f"skills/{group}/csv" for group in "abcd"))
    assert list(of_paths(paths).globs) == ["skills/*/*", "skills/lonely"]


def test_what_is_left_out_has_a_reason() -> None:
    found = of_paths(
        ["SKILL.md", "template/SKILL.md", "skills/a/skill.md", *files("skills/b")]
    )
    assert found.skills == ["skills/b"]
    assert set(found.left_out) == {"SKILL.md", "template/SKILL.md", "skills/a/skill.md"}
    assert all(found.left_out.values())


@given(st.lists(PATHS, max_size=8, unique=True))
def test_every_skill_is_covered_or_left_out(folders: list[str]) -> None:
    found = of_paths(files(*folders))
    layout = Layout(found.globs)
    covered = {folder for folder in folders if layout.name_of(folder)}
    left = {path.rpartition("/")[0] for path in found.left_out}
    assert covered | left == set(folders)
