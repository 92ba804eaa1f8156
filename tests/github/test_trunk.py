"""A library on GitHub whose default branch is trunk, beside main and master."""

import subprocess

import pytest

from tests.github.conftest import AUTHOR, QUICK, REVIEWER, Team


@pytest.fixture
def trunk(team: Team) -> Team:
    team.push("main", {"skillforge.yaml": f"{QUICK}branch: trunk\n"})
    rename(team, "trunk")
    team.repo.git("branch", "main", "trunk~1")
    team.repo.git("branch", "master", "trunk")
    subprocess.run(["rm", "-r", team.clone(AUTHOR).root], check=True)
    return team


def rename(team: Team, name: str) -> None:
    """The default branch gets another name, as in the settings of a repository."""
    before = team.repo.settings["default_branch"]
    team.repo.git("branch", "--move", before, name)
    team.repo.git("symbolic-ref", "HEAD", f"refs/heads/{name}")
    team.repo.settings["default_branch"] = name


def test_the_loop_on_trunk(trunk: Team) -> None:
    others = ("rev-parse", "main", "master")
    before = trunk.repo.git(*others)

    number = trunk.propose("xlsx-tables", "one")
    assert trunk.repo.pulls[number].base == "trunk"
    trunk.approve(number)
    merge = trunk.promote(number)["merge"]
    back = trunk.ok(AUTHOR, "rollback", "xlsx-tables", "--why", "Worse")["proposal"]
    trunk.approve(back)
    trunk.promote(back)

    assert trunk.repo.git("rev-parse", "trunk~1").strip() == merge
    assert trunk.repo.git(*others) == before
    assert trunk.audit_kinds() == []
    assert trunk.clone(REVIEWER).git("rev-parse", "trunk~1").strip() == merge


def test_it_is_trunk_that_is_protected(trunk: Team) -> None:
    trunk.ok("olga", "protect", "--owner", "@acme/reviewers")

    assert "/skillforge.yaml" in trunk.repo.git("show", "trunk:.github/CODEOWNERS")
    assert trunk.ok("olga", "protect", "--owner", "@acme/reviewers")["calls"] == []


def test_a_default_branch_that_was_renamed_is_named(team: Team) -> None:
    team.clone(AUTHOR)
    team.repo.git("branch", "stale", "main")
    rename(team, "trunk")

    gone = team(AUTHOR, "propose", team.draft("xlsx-tables"))
    team.repo.git("branch", "main", "trunk")
    moved = team(AUTHOR, "propose", team.draft("xlsx-tables"))

    for ran in (gone, moved):
        assert ran.code == 4
        assert "is now trunk, not main" in ran.err
        assert "git remote set-head origin --auto" in ran.err
    assert not team.repo.pulls
