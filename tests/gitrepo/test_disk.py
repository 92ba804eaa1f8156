"""What is read from git's own files is what git says, or nothing is said."""

from pathlib import Path

import pytest

from skillforge.gitrepo.disk import git_dir_of, has_remote, read_ref
from tests.conftest import LibraryFolder

MAIN = "refs/heads/main"


@pytest.mark.parametrize("pack", ["", "pack", "pack and move"])
def test_a_ref_points_where_git_says(library: LibraryFolder, pack: str) -> None:
    if pack:
        library.git("pack-refs", "--all")
    if "move" in pack:
        library.git("commit", "--allow-empty", "-m", "Next")
    git_dir = git_dir_of(str(library.root))

    assert read_ref(git_dir, MAIN) == library.git("rev-parse", "main").strip()
    assert read_ref(git_dir, "refs/heads/mai") == ""
    assert read_ref(git_dir, "refs/heads/other") == ""


def test_only_git_can_tell_where_a_ref_names_another(library: LibraryFolder) -> None:
    library.git("symbolic-ref", "refs/heads/alias", MAIN)
    git_dir = git_dir_of(str(library.root))

    assert read_ref(git_dir, "refs/heads/alias") is None
    assert read_ref(git_dir, "refs/heads") is None


def test_only_git_can_tell_refs_of_a_table(library: LibraryFolder) -> None:
    (library.root / ".git" / "reftable").mkdir()

    assert read_ref(git_dir_of(str(library.root)), MAIN) is None


def test_the_git_directory_is_found_from_below(
    library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(library.root / "skills")

    assert git_dir_of(".") == str(library.root / ".git")


def test_others_than_a_usual_checkout_have_none(
    library: LibraryFolder, tmp_path: Path
) -> None:
    library.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    library.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))

    assert git_dir_of(str(tmp_path / "linked")) == ""
    assert git_dir_of(str(tmp_path / "bare" / "objects")) == ""
    assert git_dir_of("/") == ""


def test_a_remote_is_known_by_the_configuration(library: LibraryFolder) -> None:
    git_dir = git_dir_of(str(library.root))

    assert not has_remote(git_dir)
    library.git("remote", "add", "origin", "https://example.invalid/x.git")
    assert has_remote(git_dir)
    assert not has_remote("/nowhere")
