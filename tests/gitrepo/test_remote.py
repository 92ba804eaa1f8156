"""Refs that are fetched while others move them."""

import subprocess
import threading
from pathlib import Path

import pytest

from skillforge.errors import ConflictError, ToolError
from skillforge.gitrepo import remote
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature
from skillforge.gitrepo.remote import Remote, fetch, push
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


def test_an_error_quotes_only_the_end_of_a_long_message(
    here: GitRepo, tmp_path: Path
) -> None:
    shared = tmp_path / "shared.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(shared)], check=True)
    hook = shared / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    flood = "head -c 3000000 /dev/zero | tr '\\0' A >&2; seq 9999 >&2; echo no >&2"
    hook.write_text(f"#!/bin/sh\n{flood}; exit 1\n")
    hook.chmod(0o755)
    with here.object_writer("0" * 40) as commits:
        by = Signature("Ada", "ada@example.org", "1700000000 +0000")
        head = commits.branch_commit(NewCommit([], "Start", by, starts_empty=True))

    with pytest.raises(ToolError) as error:
        push(here, Remote(str(shared)), RefUpdate("refs/heads/main", head, ""))

    assert "remote: no" in error.value.message
    assert "pre-receive hook declined" in error.value.message
    assert "the remote refused it" in error.value.hint  # it could be reached
    assert len(error.value.message) < 12_000
