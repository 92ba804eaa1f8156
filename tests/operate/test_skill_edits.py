"""Pins are set and removed by proposals; every other byte stays."""

import pytest

from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop


@pytest.fixture
def loop(library: LibraryFolder, run: Run) -> Loop:
    return Loop(library, run)


def land(loop: Loop, number: int) -> None:
    loop.approve(number)
    loop.promote(number)


def test_pinning_and_unpinning_are_proposals(loop: Loop) -> None:
    before = loop.text("csv-tables")

    data = loop.ok("pin", "csv-tables", "--why", "For the audit")
    land(loop, data["proposal"])
    pinned = loop.text("csv-tables")
    assert 'pinned: "true"' in pinned
    assert loop.ok("pin", "csv-tables")["proposal"] is None

    land(loop, loop.ok("unpin", "csv-tables")["proposal"])
    assert "pinned" not in loop.text("csv-tables")
    assert loop.text("csv-tables").endswith(before.partition("---\n#")[2])
    assert loop.ok("unpin", "csv-tables")["created"] is False
    assert loop.audit_kinds() == []


def test_the_same_wish_finds_its_proposal(loop: Loop) -> None:
    first = loop.ok("pin", "csv-tables")
    second = loop.ok("pin", "csv-tables")

    assert first["proposal"] == second["proposal"]
    assert (first["created"], second["created"]) == (True, False)


def test_another_proposal_for_the_skill_is_in_the_way(loop: Loop) -> None:
    loop.propose("csv-tables", "better")

    assert loop("pin", "csv-tables").code == 4
    assert loop("pin", "csv-tables", "--supersede").code == 0


def test_comments_and_unsaved_work_stay(loop: Loop) -> None:
    text = loop.text("csv-tables").replace(
        "description:", "metadata:  # ours\n  team: blue  # the best\ndescription:"
    )
    loop.folder.write("skills/csv-tables/SKILL.md", text)
    loop.folder.commit()
    loop.folder.write("skills/csv-tables/SKILL.md", "unsaved")

    number = loop.ok("pin", "csv-tables")["proposal"]

    diff = loop.ok("review", number)["diff"]
    assert "-metadata" not in diff
    assert '+  pinned: "true"' in diff
    assert (loop.folder.root / "skills/csv-tables/SKILL.md").read_text() == "unsaved"


@pytest.mark.parametrize(
    ("name", "words"),
    [("csv-table", "did you mean csv-tables?"), ("../..", "main has no skill")],
)
def test_an_unknown_name_is_an_error(loop: Loop, name: str, words: str) -> None:
    ran = loop("pin", name)

    assert ran.code == 2
    assert words in ran.err


def test_the_error_for_an_absorbed_skill_names_its_successor(loop: Loop) -> None:
    loop.folder.git("rm", "-rq", "skills/csv-tables")
    loop.folder.commit("Gone\n\nSkill: csv-tables\nAbsorbed-Into: pdf-tables")

    assert "it was absorbed into pdf-tables" in loop("pin", "csv-tables").err


def test_the_error_for_an_archived_skill_says_how_to_restore_it(loop: Loop) -> None:
    loop.folder.git("mv", "skills/csv-tables", "csv")
    (loop.folder.root / "archive").mkdir()
    loop.folder.git("mv", "csv", "archive/csv-tables")
    loop.folder.commit("By hand")

    assert "skillforge curate --restore csv-tables" in loop("pin", "csv-tables").err


def test_a_skill_with_a_link_in_it_is_not_flattened(loop: Loop) -> None:
    (loop.folder.root / "skills/csv-tables/link").symlink_to("SKILL.md")
    loop.folder.commit()

    ran = loop("pin", "csv-tables")

    assert ran.code == 4
    assert "not a regular file" in ran.err


def test_a_page_that_cannot_be_read_is_not_touched(loop: Loop) -> None:
    loop.folder.write("skills/csv-tables/SKILL.md", "---\nname: [\n---\n")
    loop.folder.commit()

    assert loop("pin", "csv-tables").code == 4
