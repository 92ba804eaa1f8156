"""No program that a repository's own configuration names is run."""

from pathlib import Path

import pytest

from skillforge.gitrepo import GitRepo
from tests.propose.conftest import Loop

KINDS = ("smudge", "clean", "process")


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    return tmp_path / "ran"


def plant(loop: Loop, ran: Path, kind: str, where: str = "--local") -> None:
    loop.folder.git("config", where, f"filter.a=b c.{kind}", f"touch {ran}; cat")
    attributes = loop.folder.root / ".git/info/attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text('* filter="a=b c"\n*.md filter=evil\n')
    loop.folder.git("config", where, f"filter.evil.{kind}", f"touch {ran}; cat")


@pytest.mark.parametrize("kind", KINDS)
def test_no_filter_of_a_repository_runs(loop: Loop, ran: Path, kind: str) -> None:
    first = loop.land("csv-tables", "good")
    plant(loop, ran, kind)
    loop.land("csv-tables", "worse")
    loop.ok("rollback", "csv-tables", "--now", "--why", "It is worse")

    assert not ran.exists()
    assert loop.folder.git("status", "--porcelain") == "" or kind == "clean"
    assert loop.tree("csv-tables") == loop.tree("csv-tables", first["merge"])


def test_an_included_file_and_a_worktree_count_as_the_repository(
    loop: Loop, ran: Path, tmp_path: Path
) -> None:
    plant(loop, ran, "smudge")
    config = loop.folder.root / ".git/config"
    (tmp_path / "more").write_text(config.read_text())
    config.write_text(f"[core]\n\tbare = false\n[include]\n\tpath = {tmp_path}/more\n")
    loop.folder.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    ran.unlink(missing_ok=True)

    linked = GitRepo(tmp_path / "linked")
    linked.run("checkout-index", "--all", "--force")
    loop.land("csv-tables", "good")

    assert not ran.exists()


def test_what_the_user_set_for_all_repositories_stays(
    loop: Loop, ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    plant(loop, ran, "smudge", "--global")
    loop.folder.git("config", "--local", "filter.evil.smudge", "touch evil; cat")

    loop.land("csv-tables", "good")

    assert ran.exists()
    assert not (loop.folder.root / "evil").exists()


def test_no_merge_driver_of_a_repository_runs(loop: Loop, ran: Path) -> None:
    loop.folder.git("config", "merge.evil.driver", f"touch {ran}")
    attributes = loop.folder.root / ".git/info/attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("* merge=evil\n")
    number = loop.propose("csv-tables", "one")
    loop.land("pdf-tables", "other")

    loop("refresh", number)

    assert not ran.exists()
