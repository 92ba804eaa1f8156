"""Refs that are fetched while others move them."""

import threading
from pathlib import Path

import pytest

from skillforge.errors import ConflictError, ToolError
from skillforge.gitrepo import remote
from skillforge.gitrepo.remote import Remote, fetch
from skillforge.gitrepo.repository import GitRepo
from tests.conftest import LibraryFolder

SPEC = "+refs/heads/*:refs/other/*"


@pytest.fixture
def here(tmp_path: Path) -> GitRepo:
    (tmp_path / "here").mkdir()
    return GitRepo.init(tmp_path / "here")


def lock_of(repo: GitRepo) -> Path:
    """What git leaves for a moment where it moves a ref."""
    lock = repo.common_dir / "refs/other/main.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    return lock


def test_a_ref_that_another_process_moves_is_retried(
    here: GitRepo, library: LibraryFolder
) -> None:
    lock = lock_of(here)
    threading.Timer(0.2, lock.unlink).start()

    fetch(here, Remote(str(library.root)), [SPEC])

    assert here.ref("refs/other/main") == library.git("rev-parse", "main").strip()


def test_a_ref_that_stays_locked_is_reported_without_gits_advice(
    here: GitRepo, library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_TRIES", 2)
    lock_of(here)

    with pytest.raises(ConflictError, match=r"main\.lock") as raised:
        fetch(here, Remote(str(library.root)), [SPEC])

    assert "hint:" not in raised.value.message


def test_a_repository_that_is_not_there_is_not_waited_for(here: GitRepo) -> None:
    with pytest.raises(ToolError, match="git fetch failed"):
        fetch(here, Remote("/nowhere/at/all"), [SPEC])
