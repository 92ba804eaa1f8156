"""Checkouts whose git directory or files are not where they usually are."""

from pathlib import Path

import pytest

from tests.propose.conftest import Loop


def move_git_dir(loop: Loop, to: Path, kind: str) -> None:
    dot_git = loop.folder.root / ".git"
    dot_git.rename(to)
    if kind == "link":
        dot_git.symlink_to(to)
    else:
        dot_git.write_text(f"gitdir: {to}\n")


@pytest.mark.parametrize("kind", ["link", "file"])
@pytest.mark.parametrize("place", ["elsewhere", "elsewhere/.git"])
def test_a_checkout_follows_though_its_git_directory_is_elsewhere(
    loop: Loop, tmp_path: Path, kind: str, place: str
) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    move_git_dir(loop, tmp_path / place, kind)

    loop.land("csv-tables", "good")
    loop.land("csv-tables", "worse")
    loop.ok("rollback", "csv-tables", "--now", "--why", "It is worse")

    assert loop.folder.git("status", "--porcelain") == ""
    assert loop("audit").code == 0


def test_a_missing_main_checkout_stops_a_promotion(loop: Loop, tmp_path: Path) -> None:
    move_git_dir(loop, tmp_path / "elsewhere", "file")
    linked = tmp_path / "linked"
    loop.folder.git("worktree", "add", "--quiet", str(linked))
    number = loop.propose("xlsx-tables")
    loop.approve(number)
    before = loop.main()

    done = loop.run("promote", str(number), "--library", str(linked))

    assert done.code == 4
    assert "run the command in the main checkout" in done.err
    assert loop.main() == before
    assert loop.run("audit", "--library", str(linked)).code == 0


@pytest.mark.parametrize("options", [(), ("--cone", "--sparse-index")])
def test_a_sparse_checkout_follows(loop: Loop, options: tuple[str, ...]) -> None:
    loop.land("csv-tables", "good")
    loop.folder.git("sparse-checkout", "set", *options, "evidence")

    loop.land("csv-tables", "better")

    assert not (loop.folder.root / "skills/csv-tables").exists()
    assert loop.folder.git("status", "--porcelain") == ""
    loop.folder.git("sparse-checkout", "disable")
    assert (loop.folder.root / "skills/csv-tables/SKILL.md").read_text() == loop.text(
        "csv-tables"
    )
