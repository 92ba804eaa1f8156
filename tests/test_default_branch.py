"""The branch that promotion moves is decided once; no push decides it."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from skillforge import default_branch
from skillforge.errors import ConfigError, RequestError
from skillforge.gitrepo import GitRepo, branches
from tests.conftest import LibraryFolder, Run

KEYED = "branch: trunk\n"


def new_library(root: Path, branch: str, policy: str = "") -> LibraryFolder:
    folder = LibraryFolder(root)
    root.mkdir(parents=True)
    folder.git("init", "--quiet", "--initial-branch", branch)
    folder.add_skill("csv-tables")
    if policy:
        folder.write("skillforge.yaml", policy)
    folder.commit("Start")
    return folder


def on_branch(folder: LibraryFolder, name: str, policy: str) -> None:
    """A branch with a policy of its author's."""
    back = folder.git("symbolic-ref", "--short", "HEAD").strip()
    folder.git("checkout", "--quiet", "-b", name)
    folder.write("skillforge.yaml", policy)
    folder.commit("Mine")
    folder.git("checkout", "--quiet", back)


def branch_of(folder: LibraryFolder) -> str:
    return default_branch.find(GitRepo(folder.root))


def clone_of(folder: LibraryFolder, *options: str) -> LibraryFolder:
    there = folder.root.parent / "clone"
    folder.git("clone", "--quiet", *options, f"file://{folder.root}", str(there))
    return LibraryFolder(there)


def bare_of(folder: LibraryFolder) -> LibraryFolder:
    there = folder.root.parent / "bare.git"
    folder.git("clone", "--quiet", "--bare", str(folder.root), str(there))
    LibraryFolder(there).git("remote", "remove", "origin")
    return LibraryFolder(there)


@pytest.mark.parametrize("policy", ["", KEYED], ids=["silent", "keyed"])
@pytest.mark.parametrize("others", [("work",), ("master", "zeta")])
def test_a_library_is_on_the_branch_it_began_on(
    tmp_path: Path, policy: str, others: tuple[str, ...]
) -> None:
    folder = new_library(tmp_path / "library", "trunk", policy)
    for name in others:
        folder.git("branch", name)
    folder.git("checkout", "--quiet", others[0])  # what is checked out decides nothing

    assert branch_of(folder) == "trunk"


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(KEYED, id="copied"),
        pytest.param("branch: main\n", id="claims"),
        pytest.param("approvals: 0\n", id="silent"),
        pytest.param("branch: [", id="unreadable"),
    ],
)
@pytest.mark.parametrize("name", ["main", "master", "aaa"])
def test_a_pushed_branch_is_never_taken(tmp_path: Path, name: str, policy: str) -> None:
    """Not here, not in a clone, not in a bare copy; at worst nothing is decided."""
    folder = new_library(tmp_path / "library", "trunk", KEYED)
    on_branch(folder, name, policy.replace("main", name))

    assert branch_of(folder) == "trunk"
    assert branch_of(clone_of(folder)) == "trunk"
    bare, found = bare_of(folder), ""  # which has no log that tells claims apart
    with suppress(RequestError):
        found = branch_of(bare)
    assert found in ("", "trunk")


def test_a_branch_that_claims_to_be_it_does_not_stop_main(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "main")
    on_branch(folder, "evil", "branch: evil\n")

    assert branch_of(folder) == "main"
    assert branch_of(clone_of(folder)) == "main"


def test_what_is_decided_is_written_down(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "trunk")
    assert branch_of(folder) == "trunk"

    assert folder.git("config", "--local", "skillforge.branch").strip() == "trunk"
    folder.git("branch", "main")
    (folder.root / ".git/logs/refs/heads/trunk").unlink()
    assert branch_of(folder) == "trunk"


def test_an_old_library_beside_main_has_to_say_which(tmp_path: Path) -> None:
    """Made before branches were written down: either could be the library."""
    folder = new_library(tmp_path / "library", "trunk")
    folder.git("branch", "main")
    folder.git("branch", "work")

    with pytest.raises(RequestError) as refused:
        branch_of(folder)

    assert "cannot decide which branch is the library's: main, trunk" in (
        refused.value.message
    )
    assert "git config skillforge.branch" in refused.value.hint
    folder.git("config", "skillforge.branch", "trunk")
    assert branch_of(folder) == "trunk"


def test_a_branch_from_before_the_adoption_is_not_a_candidate(tmp_path: Path) -> None:
    folder = LibraryFolder(tmp_path / "library")
    folder.root.mkdir()
    folder.git("init", "--quiet", "--initial-branch", "trunk")
    folder.write("README.md", "Before\n")
    folder.commit("Before")
    folder.git("branch", "main")
    folder.add_skill("csv-tables")
    folder.commit("Adopt")

    assert branch_of(folder) == "trunk"


def test_a_clone_follows_the_default_branch_of_its_origin(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "trunk", KEYED)
    for name in ("main", "master", "work"):
        folder.git("branch", name)
    clone = clone_of(folder, "--branch", "work")

    assert branch_of(clone) == "trunk"
    assert not branches.recorded(GitRepo(clone.root))  # git has it: origin/HEAD


def test_a_clone_of_a_checkout_on_another_branch_asks(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "main")
    folder.git("checkout", "--quiet", "-b", "work")

    with pytest.raises(RequestError, match="cannot decide"):
        branch_of(clone_of(folder))


def test_a_clone_of_one_other_branch_misses_the_library_s(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "trunk", KEYED)
    folder.git("branch", "work")
    clone = clone_of(folder, "--branch", "work", "--single-branch")

    with pytest.raises(RequestError) as refused:
        branch_of(clone)

    assert refused.value.message == "this clone has no branch trunk"
    clone.git("fetch", "--quiet", "origin", "trunk:trunk")
    assert branch_of(clone) == "trunk"


def test_a_detached_head_and_linked_worktrees_change_nothing(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "trunk", KEYED)
    folder.git("branch", "main")
    linked = LibraryFolder(tmp_path / "linked")
    folder.git("worktree", "add", "--quiet", "-b", "work", str(linked.root))
    folder.git("checkout", "--quiet", "--detach")

    assert branch_of(linked) == "trunk"
    assert branch_of(folder) == "trunk"
    assert folder.git("config", "skillforge.branch").strip() == "trunk"


def test_a_bare_repository_uses_its_head(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "trunk")
    folder.git("branch", "work")
    bare = bare_of(folder)

    assert branch_of(bare) == "trunk"


def test_a_head_that_nobody_set_is_not_filled_by_a_push(tmp_path: Path) -> None:
    """`git init --bare` leaves HEAD at a branch that anybody may push later."""
    folder = new_library(tmp_path / "library", "main")
    bare = bare_of(folder)
    bare.git("symbolic-ref", "HEAD", "refs/heads/master")
    on_branch(folder, "master", "branch: master\n")
    folder.git("push", "--quiet", str(bare.root), "master")

    with pytest.raises(RequestError, match="cannot decide"):
        branch_of(bare)


def test_a_renamed_branch_is_named_in_a_clear_message(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "master")
    assert branch_of(folder) == "master"
    folder.git("branch", "--move", "master", "main")

    with pytest.raises(RequestError) as refused:
        branch_of(folder)

    assert "branch is master, which does not exist" in refused.value.message
    assert "git config skillforge.branch" in refused.value.hint


def test_a_default_branch_renamed_at_the_origin(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "main")
    clone = clone_of(folder)
    assert branch_of(clone) == "main"
    folder.git("branch", "--move", "main", "trunk")
    folder.write("skillforge.yaml", KEYED)
    folder.commit("Rename")
    clone.git("checkout", "--quiet", "--detach")
    clone.git("branch", "-D", "main")
    clone.git("fetch", "--quiet", "--prune")

    with pytest.raises(RequestError) as refused:
        branch_of(clone)

    assert "set-head origin --auto" in refused.value.hint
    clone.git("remote", "set-head", "origin", "--auto")
    assert branch_of(clone) == "trunk"


def test_a_policy_has_to_agree_with_its_branch(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "master", "branch: master\n")
    folder.git("branch", "--move", "master", "main")
    folder.git("config", "skillforge.branch", "main")

    with pytest.raises(ConfigError) as refused:
        branch_of(folder)

    assert "on main says that the library's branch is master" in refused.value.message
    assert "write `branch: main`" in refused.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "[skillforge]\n\tbranch = trunk\n",
        "[SkillForge] branch=trunk ; the one\n",
        '[skillforge]\n\tbranch = "trunk"\n',
        "[skillforge]\n\tbranch = main\n[core]\n[skillforge]\n\tBranch=trunk\n",
        "[skillforge]\n\tbranch = main\n\tbranch=trunk\n",
    ],
)
def test_the_configuration_is_read_as_git_reads_it(tmp_path: Path, text: str) -> None:
    folder = new_library(tmp_path / "library", "main")
    folder.git("branch", "trunk")
    with (folder.root / ".git/config").open("a") as config:
        config.write(text)

    assert branch_of(folder) == "trunk"
    assert folder.git("config", "skillforge.branch").strip() == "trunk"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_repository_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    folder = new_library(tmp_path / "library", "trunk")
    (folder.root / ".git").chmod(0o555)
    try:
        assert branch_of(folder) == "trunk"
    finally:
        (folder.root / ".git").chmod(0o755)


def test_init_writes_the_branch_down(tmp_path: Path, run: Run) -> None:
    folder = LibraryFolder(tmp_path / "library")
    folder.root.mkdir()
    folder.git("init", "--quiet", "--initial-branch", "trunk")

    data = run("init", str(folder.root), "--json").data

    assert data["branch"] == "trunk"
    assert "\nbranch: trunk\n" in (folder.root / "skillforge.yaml").read_text()
    assert folder.git("config", "skillforge.branch").strip() == "trunk"


def test_init_reports_what_an_existing_policy_lacks(tmp_path: Path, run: Run) -> None:
    folder = new_library(tmp_path / "library", "trunk", "approvals: 2\n")

    ran = run("init", str(folder.root))

    assert "add `branch: trunk` to skillforge.yaml" in ran.out
    assert (folder.root / "skillforge.yaml").read_text() == "approvals: 2\n"


def test_init_makes_the_branch_that_the_user_usually_has(
    tmp_path: Path, run: Run
) -> None:
    line = ["git", "config", "--global", "init.defaultBranch", "trunk"]
    subprocess.run(line, check=True)

    data = run("init", str(tmp_path / "library"), "--json").data

    assert data["branch"] == "trunk"


def test_a_library_without_a_commit_is_reported(tmp_path: Path, run: Run) -> None:
    run("init", str(tmp_path / "library"))

    ran = run("list", "--library", str(tmp_path / "library"))

    assert ran.code == 2
    assert "no commits yet" in ran.err
