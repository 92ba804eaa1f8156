"""Old names lead to the skill that took their place; history tells who made what."""

import shutil

import pytest

from skillforge.history.lineage import Life, absorptions, lives, successors
from tests.conftest import LibraryFolder


def message(*trailers: str) -> str:
    return "Change\n\nA reason.\n\n" + "\n".join(trailers)


def remove(library: LibraryFolder, name: str, *trailers: str) -> str:
    shutil.rmtree(library.root / "skills" / name)
    return library.commit(message(f"Skill: {name}", *trailers))


def followed(library: LibraryFolder) -> dict[str, str]:
    tip = library.git("rev-parse", "HEAD").strip()
    return successors(library.library, tip)


def life(library: LibraryFolder, name: str) -> Life:
    return lives(library.library, "HEAD", [name])[name]


def test_an_old_name_resolves_to_the_skill_that_absorbed_it(
    library: LibraryFolder,
) -> None:
    remove(library, "csv-tables", "Absorbed-Into: pdf-tables")

    assert followed(library) == {"csv-tables": "pdf-tables"}


def test_several_names_of_one_draft(library: LibraryFolder) -> None:
    library.add_skill("tables")
    for name in ("csv-tables", "pdf-tables"):
        shutil.rmtree(library.root / "skills" / name)
    skills = ("Skill: tables", "Skill: csv-tables", "Skill: pdf-tables")
    library.commit(message(*skills, "Absorbed-Into: tables"))

    assert followed(library) == {"csv-tables": "tables", "pdf-tables": "tables"}


def test_a_chain_is_followed_to_its_end(library: LibraryFolder) -> None:
    library.add_skill("tables")
    library.commit()
    remove(library, "csv-tables", "Absorbed-Into: pdf-tables")
    remove(library, "pdf-tables", "Absorbed-Into: tables")

    assert followed(library) == {"csv-tables": "tables", "pdf-tables": "tables"}


def test_a_chain_without_an_end_resolves_to_nothing(library: LibraryFolder) -> None:
    library.add_skill("tables")
    library.commit()
    remove(library, "csv-tables", "Absorbed-Into: pdf-tables")
    remove(library, "pdf-tables")

    assert followed(library) == {}


def test_a_ring_of_names_ends(library: LibraryFolder) -> None:
    remove(library, "csv-tables", "Absorbed-Into: pdf-tables")
    library.add_skill("csv-tables")
    library.commit()
    remove(library, "pdf-tables", "Absorbed-Into: csv-tables")
    remove(library, "csv-tables", "Absorbed-Into: pdf-tables")

    assert followed(library) == {}


def test_a_name_that_is_in_use_again_is_its_own(library: LibraryFolder) -> None:
    remove(library, "csv-tables", "Absorbed-Into: pdf-tables")
    library.add_skill("csv-tables")
    library.commit()

    assert followed(library) == {}
    assert absorptions(library.library, "HEAD") == {"csv-tables": "pdf-tables"}


def test_no_commit_takes_a_name_that_it_did_not_take_away(
    library: LibraryFolder,
) -> None:
    """What stands on top of somebody's branch can say anything."""
    remove(library, "csv-tables")
    library.add_skill("evil")
    library.commit(message("Skill: csv-tables", "Absorbed-Into: evil"))

    assert followed(library) == {}


def test_a_squash_with_other_trailers_behind_is_read(library: LibraryFolder) -> None:
    shutil.rmtree(library.root / "skills/csv-tables")
    own = message("Skill: csv-tables", "Absorbed-Into: pdf-tables")
    library.commit(f"{own}\n\nCo-authored-by: A <a@x.invalid>")

    assert followed(library) == {"csv-tables": "pdf-tables"}


@pytest.mark.parametrize("origin", ["agent-background", "human", ""])
def test_the_creating_commit_names_the_creator(
    library: LibraryFolder, origin: str
) -> None:
    library.add_skill("tables")
    trailer = [f"Origin: {origin}"] if origin else []
    library.commit(message("Skill: tables", "Action: create", *trailer))
    library.add_skill("tables", body="Better.\n")
    library.commit(message("Skill: tables", "Action: edit", "Origin: import"))

    assert life(library, "tables").origin == origin


def test_a_merge_has_the_time_and_its_commit_the_author(
    library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.git("checkout", "--quiet", "-b", "work")
    library.add_skill("tables")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
    library.commit(message("Skill: tables", "Action: create", "Origin: curator"))
    library.git("checkout", "--quiet", "main")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-09T00:00:00Z")
    library.git("merge", "--quiet", "--no-ff", "--no-edit", "work")

    assert life(library, "tables") == Life("curator", 1_767_916_800)


def test_a_rollback_does_not_change_the_creator(library: LibraryFolder) -> None:
    library.add_skill("tables")
    library.commit(
        message("Skill: tables", "Action: create", "Origin: agent-foreground")
    )
    remove(library, "tables", "Action: delete", "Origin: human")
    library.add_skill("tables")
    library.commit(message("Skill: tables", "Action: rollback", "Origin: human"))

    assert life(library, "tables")[0::2] == ("agent-foreground", True)


def test_a_second_skill_of_a_name_is_its_second_makers(library: LibraryFolder) -> None:
    library.add_skill("tables")
    library.commit(
        message("Skill: tables", "Action: create", "Origin: agent-foreground")
    )
    remove(library, "tables", "Action: delete", "Origin: human")
    library.add_skill("tables")
    library.commit("Somebody writes it anew by hand")

    assert life(library, "tables").origin == ""
