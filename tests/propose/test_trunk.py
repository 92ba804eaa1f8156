"""The whole loop on a branch called trunk, beside others called main and master."""

from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop


@pytest.fixture
def trunk(tmp_path: Path, run: Run) -> Loop:
    """As `init` sets it up; main is behind, and master is an attacker's."""
    folder = LibraryFolder(tmp_path / "library")
    folder.root.mkdir()
    folder.git("init", "--quiet", "--initial-branch", "trunk")
    run("init", str(folder.root))
    folder.add_skill("csv-tables")
    folder.commit("Start")
    folder.git("branch", "main")
    folder.git("checkout", "--quiet", "-b", "master")
    folder.write("skillforge.yaml", "branch: master\napprovals: 0\n")
    folder.commit("Mine")
    folder.git("checkout", "--quiet", "trunk")
    return Loop(folder, run)


def others(loop: Loop) -> str:
    return loop.folder.git("rev-parse", "main", "master")


def names(loop: Loop) -> set[str]:
    return {skill["name"] for skill in loop.ok("list")["skills"]}


def test_the_loop_moves_trunk_and_nothing_else(trunk: Loop, tmp_path: Path) -> None:
    before = others(trunk)
    start = trunk.folder.git("rev-parse", "trunk").strip()

    number = trunk.propose("xlsx-tables", "one")
    assert trunk("promote", number).code == 4  # the policy of master asks for nobody
    trunk.approve(number)
    merged = trunk("promote", number)
    assert "merged into trunk: Add xlsx-tables" in merged.out
    trunk.land("xlsx-tables", "two")
    trunk.ok("rollback", "xlsx-tables", "--now", "--why", "Worse")
    trunk.ok("release", "1.0.0")

    assert trunk.audit_kinds() == []
    line = trunk.folder.git("rev-list", "--first-parent", f"{start}..trunk")
    assert len(line.split()) == 3
    tag = trunk.folder.git("rev-parse", "v1.0.0^{commit}")
    assert tag == trunk.folder.git("rev-parse", "trunk")
    assert others(trunk) == before
    assert trunk.folder.git("status", "--porcelain") == ""
    assert "one" in (trunk.folder.root / "skills/xlsx-tables/SKILL.md").read_text()
    trunk.fsck()


def test_skills_are_used_as_trunk_has_them(trunk: Loop, tmp_path: Path) -> None:
    trunk.land("xlsx-tables", "one")

    assert "xlsx-tables" in names(trunk)
    trunk.ok("sync", "--to", tmp_path / "agent", "--key", "k")
    used = trunk.ok("use", "xlsx-tables", "--key", "k")
    trunk.ok("record", "xlsx-tables", "--key", "k", "--outcome", "success")
    trunk.ok("record", "xlsx-tables", "--key", "other", "--outcome", "success")

    text = (tmp_path / "agent/xlsx-tables/SKILL.md").read_text()
    assert text == trunk.text("xlsx-tables", "trunk")
    assert used["version"] == trunk.tree("xlsx-tables", "trunk")
    for command in ("stats", "proposals", "catalog", "doctor"):
        assert trunk(command).code == 0, command


def test_messages_name_the_branch(trunk: Loop) -> None:
    for line in (
        ("propose", "no-such-skill", "--delete"),
        ("use", "no-such-skill", "--key", "k"),
        ("log", "no-such-skill"),
    ):
        ran = trunk(*line)
        assert ran.code == 2
        assert "trunk " in ran.err
        assert "main" not in ran.err.replace("skillforge", "")


def test_clones_and_worktrees_go_by_trunk(
    trunk: Loop, tmp_path: Path, run: Run
) -> None:
    trunk.land("xlsx-tables", "one")
    url = f"file://{trunk.folder.root}"
    trunk.folder.git("clone", "--quiet", "-b", "master", url, str(tmp_path / "clone"))
    linked = str(tmp_path / "linked")
    trunk.folder.git("worktree", "add", "--quiet", "-b", "work", linked, "main")
    trunk.folder.git("checkout", "--quiet", "--detach", "main")

    for place in (tmp_path / "clone", tmp_path / "linked", trunk.folder.root):
        there = Loop(LibraryFolder(place), run)
        assert "xlsx-tables" in names(there)
        assert there.audit_kinds() == []


def test_a_branch_made_later_takes_nothing_over(trunk: Loop) -> None:
    """The accident of the chaos run, with every name that was once guessed."""
    trunk.land("xlsx-tables", "one")
    for name in ("main", "master"):
        trunk.folder.git("branch", "--force", name, "trunk~1")

    merge = trunk.land("ods-tables", "two")["merge"]

    assert trunk.folder.git("rev-parse", "trunk").strip() == merge
