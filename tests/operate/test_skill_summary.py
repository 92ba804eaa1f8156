"""A cached summary equals the one that reading the skill gives."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.library import Library
from skillforge.model import SKILLS
from skillforge.operate.skill_summary import SkillSummary, summaries, summarize
from skillforge.store import Cache
from skillforge.text import BYTES_PER_TOKEN
from tests.conftest import LibraryFolder

DOCUMENTS = {
    "plain": "---\nname: plain\ndescription: Adds numbers.\n---\nAdd them.\n",
    "pinned": "---\nname: pinned\ndescription: x\nmetadata:\n  pinned: 'yes'\n---\n",
    "agents": "---\nname: agents\ndescription: Größe\nmetadata:\n"
    "  origin: Agent-Background\n  superseded-by: plain\n---\nText.\n",
    "broken": "---\nname: broken\ndescription: x\n---\nSee [it](references/no.md).\n",
    "no-header": "See [it](references/no.md).\n",
    "no-yaml": "---\nname: [\n---\nSee [it](references/no.md).\n",
    "a-list": "---\n- name\n---\nText.\n",
    "empty": "",
}


@pytest.fixture
def skills(library: LibraryFolder) -> LibraryFolder:
    for name, text in DOCUMENTS.items():
        library.write(f"skills/{name}/SKILL.md", text)
    library.write("skills/without/notes.md", "No SKILL.md here.\n")
    library.write("skills/a-file.md", "Not a folder.\n")
    (library.root / "skills" / "a-link").symlink_to("plain")
    library.commit("Some skills")
    return library


def cached(folder: LibraryFolder) -> dict[str, SkillSummary]:
    library = Library(folder.root)
    entries = library.repository().tree(f"{library.tip}:{SKILLS}")
    trees = {name: entry.object for name, entry in entries.items() if entry.is_tree}
    return summaries(library, library.tip, trees)


def read(folder: LibraryFolder) -> dict[str, SkillSummary]:
    library = Library(folder.root)
    every = {skill.name: summarize(skill) for skill in library.read_at(library.tip)}
    every.pop("a-link", None)
    return every


def change_rows(folder: LibraryFolder, statement: str) -> None:
    path = Cache.of(folder.root / ".git").path
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()


def test_the_first_run_and_the_next_agree_with_reading_every_skill(
    skills: LibraryFolder,
) -> None:
    expected = read(skills)
    assert expected["broken"].has_dead_links
    assert not expected["no-yaml"].has_dead_links
    assert expected["pinned"].is_pinned
    assert expected["agents"].origin == "Agent-Background"
    assert expected["agents"].superseded_by == "plain"
    assert list(cached(skills).items()) == list(expected.items())
    assert list(cached(skills).items()) == list(expected.items())


def test_only_what_changed_is_read_again_and_all_agrees(skills: LibraryFolder) -> None:
    cached(skills)
    skills.write("skills/broken/references/no.md", "Here it is.\n")
    skills.write("skills/plain/SKILL.md", DOCUMENTS["agents"])
    (skills.root / "skills/empty/SKILL.md").unlink()
    skills.commit("Change some")
    assert cached(skills) == read(skills)
    assert not cached(skills)["broken"].has_dead_links


def test_the_cache_is_used(skills: LibraryFolder) -> None:
    cached(skills)
    cache = Cache.of(skills.root / ".git")
    with closing(sqlite3.connect(cache.path)) as db:
        keys = [key for (key,) in db.execute("SELECT key FROM summaries")]
    cache.save_entries("summaries", dict.fromkeys(keys, '[true, "", "", 7, false]'))

    assert set(cached(skills).values()) == {SkillSummary(True, "", "", 7, False)}


def test_a_row_that_others_wrote_is_not_believed(skills: LibraryFolder) -> None:
    cached(skills)
    change_rows(skills, """UPDATE summaries SET value = '[true, "", "", 7, false]'""")
    assert cached(skills) == read(skills)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("[", id="not JSON"),
        pytest.param("{}", id="an object"),
        pytest.param("[true]", id="too short"),
        pytest.param('[1, "", "", 0, false]', id="another type"),
    ],
)
def test_a_damaged_row_is_read_again(skills: LibraryFolder, text: str) -> None:
    expected = cached(skills)
    change_rows(skills, f"UPDATE summaries SET value = '{text}'")
    assert cached(skills) == expected


def test_other_rules_read_every_skill_again(
    skills: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = cached(skills)
    change_rows(skills, """UPDATE summaries SET value = '[true, "", "", 7, false]'""")
    monkeypatch.setattr("skillforge.operate.skill_summary.edition", lambda: "newer")
    assert cached(skills) == expected


@given(st.text(min_size=1), st.text())
def test_tokens_are_those_of_the_line_in_the_catalog(
    name: str, description: str
) -> None:
    size = len(description.encode())
    line = f"{name}: {description}\n".encode()
    found = SkillSummary(description_bytes=size).tokens(name)
    assert found == -(-len(line) // BYTES_PER_TOKEN)
