"""No program that a repository's own configuration names is run."""

import shutil
import subprocess
from pathlib import Path

import pytest

from skillforge.gitrepo import GitRepo
from tests.conftest import Run
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


@pytest.mark.parametrize(
    "reads",
    [
        "list",
        "catalog",
        "show csv-tables",
        "log csv-tables",
        "why csv-tables",
        "audit",
        "doctor",
    ],
)
def test_reading_a_partial_clone_fetches_nothing(
    loop: Loop, ran: Path, tmp_path: Path, reads: str
) -> None:
    """Git would run the program that the configuration names, for a missing object."""
    loop.land("csv-tables", "good")
    source = tmp_path / "source"
    shutil.copytree(loop.folder.root, source)
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": str(source),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": f"touch {ran}; git-upload-pack",
    }.items():
        loop.folder.git("config", key, value)
    name = loop.folder.git("rev-parse", "main:skills/csv-tables/SKILL.md").strip()
    (loop.folder.root / ".git/objects" / name[:2] / name[2:]).unlink()

    done = loop(*reads.split())

    assert not ran.exists()
    assert done.code in (0, 1, 3)
    assert "Traceback" not in done.err


def test_the_error_for_a_partial_clone_says_how_to_fetch_the_rest(
    loop: Loop, tmp_path: Path, run: Run
) -> None:
    loop.folder.git("config", "uploadpack.allowFilter", "true")
    where, options = (
        f"file://{loop.folder.root}",
        ("--no-checkout", "--filter=blob:none"),
    )
    loop.folder.git("clone", "--quiet", *options, where, str(tmp_path / "partial"))

    done = run("list", "--library", str(tmp_path / "partial"))

    assert done.code == 3
    assert "git fetch --refetch --no-filter" in done.err
    subprocess.run(
        ["git", "fetch", "--quiet", "--refetch", "--no-filter"],
        cwd=tmp_path / "partial",
        check=True,
    )
    assert run("list", "--library", str(tmp_path / "partial")).code == 0


def test_an_order_file_that_is_missing_stops_nothing(loop: Loop) -> None:
    loop.folder.git("config", "diff.orderFile", "/nonexistent/order")

    loop.land("csv-tables", "good")

    assert loop("audit").code == 0
