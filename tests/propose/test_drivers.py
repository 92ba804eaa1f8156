"""No program that a repository's own configuration names is run."""

import re
from pathlib import Path

import pytest

from skillforge.gitrepo import GitRepo
from skillforge.gitrepo.running import version
from tests.propose.conftest import Loop

MINOR, PATCH = map(int, re.findall(r"\d+", version())[1:3])
# The first patch of each older git that can be told not to fetch while it reads.
CAN_STAY_OFFLINE = {39: 4, 40: 2, 41: 1, 42: 2, 43: 4, 44: 1, 45: 1}
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


@pytest.mark.skipif(
    CAN_STAY_OFFLINE.get(MINOR, 0) > PATCH,
    reason="this git has no way to turn lazy fetching off",
)
def test_a_missing_object_is_not_fetched_with_a_program_of_the_repository(
    loop: Loop, ran: Path, tmp_path: Path
) -> None:
    """Of a partial clone, git fetches what is missing while it reads."""
    root = loop.folder.root
    loop.folder.git("clone", "--quiet", "--bare", str(root), str(tmp_path / "origin"))
    blob = loop.folder.git("rev-parse", "main:skills/csv-tables/SKILL.md").strip()
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": str(tmp_path / "origin"),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": f"touch {ran}; git-upload-pack",
    }.items():
        loop.folder.git("config", key, value)
    (root / ".git/objects" / blob[:2] / blob[2:]).unlink()

    for command in (
        ("list",),
        ("show", "csv-tables"),
        ("log", "csv-tables"),
        ("catalog",),
        ("audit",),
        ("doctor",),
    ):
        loop(*command)
        assert not ran.exists(), command
    assert "--refetch" in loop("list").err
