"""`publish --to branch:NAME`: a hub in git, made without a checkout."""

import subprocess
from pathlib import Path

from tests.propose.conftest import Loop
from tests.share.test_hub_build import files

PAGES = "branch:gh-pages"


def tip(loop: Loop, branch: str = "gh-pages") -> str:
    return loop.folder.git("rev-parse", branch).strip()


def remote(loop: Loop, tmp_path: Path) -> Path:
    bare = tmp_path / "origin.git"
    source = str(loop.folder.root)
    subprocess.run(["git", "clone", "-q", "--bare", source, bare], check=True)
    loop.folder.git("remote", "add", "origin", str(bare))
    return bare


def test_the_branch_holds_the_hub(released: Loop, tmp_path: Path) -> None:
    before = released.folder.git("status", "--porcelain", "--branch")

    first = released.ok("publish", "--to", PAGES)
    again = released.ok("publish", "--to", PAGES)

    assert (first["created"], again["created"]) == (True, False)
    assert first["branch_commit"] == again["branch_commit"] == tip(released)
    released.ok("build", "v1.0.0", "--out", tmp_path / "out")
    checkout = tmp_path / "checkout"
    released.folder.git("worktree", "add", "-q", str(checkout), "gh-pages")
    (checkout / ".git").unlink()
    assert files(checkout) == files(tmp_path / "out")
    assert released.folder.git("status", "--porcelain", "--branch") == before
    released.fsck()


def test_the_next_release_is_the_next_commit(released: Loop) -> None:
    first = released.ok("publish", "--to", PAGES)["branch_commit"]
    released.land("odt-tables", "four")
    released.folder.git("tag", "v1.1.0")

    second = released.ok("publish", "--to", PAGES)["branch_commit"]

    assert released.folder.git("rev-parse", f"{second}^").strip() == first
    assert "Release: v1.1.0" in released.folder.git("log", "-1", "--format=%B", second)
    assert released("publish", "--to", PAGES, "v1.0.0").code == 4


def test_other_files_on_the_branch_stay(released: Loop) -> None:
    released.ok("publish", "--to", PAGES)
    released.folder.git("switch", "--quiet", "gh-pages")
    released.folder.write("CNAME", "skills.example.org")
    released.folder.commit("Our own domain")
    assert released("publish", "--to", PAGES).code == 4  # it is checked out
    released.folder.git("switch", "--quiet", "main")
    released.land("odt-tables", "four")
    released.folder.git("tag", "v1.1.0")

    released.ok("publish", "--to", PAGES)

    assert released.folder.git("show", "gh-pages:CNAME") == "skills.example.org"


def test_other_content_is_not_overwritten(released: Loop) -> None:
    released.folder.git("branch", "docs")
    assert released("publish", "--to", "branch:docs").code == 4
    assert released("publish", "--to", "branch:main").code == 2
    assert released("publish", "--to", "branch:-x").code == 2
    released.ok("publish", "--to", PAGES)
    before = tip(released)
    released.land("xlsx-tables", "other")
    released.folder.git("tag", "--force", "v1.0.0")

    assert released("publish", "--to", PAGES).code == 4
    assert tip(released) == before


def test_it_is_pushed_on_request(released: Loop, tmp_path: Path) -> None:
    bare = remote(released, tmp_path)
    released.ok("publish", "--to", PAGES)  # as if a push had failed

    released.ok("publish", "--to", PAGES, "--push")
    again = released.ok("publish", "--to", PAGES, "--push")

    line = ["git", "-C", str(bare), "rev-parse", "gh-pages"]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == tip(released) == again["branch_commit"]
    assert not again["created"]


def test_a_clone_continues_where_another_stopped(
    released: Loop, tmp_path: Path
) -> None:
    bare = remote(released, tmp_path)
    released.ok("publish", "--to", PAGES, "--push")
    first = tip(released)
    released.folder.git("branch", "--delete", "--force", "gh-pages")
    released.land("odt-tables", "four")
    released.folder.git("tag", "v1.1.0")

    released.ok("publish", "--to", PAGES, "--push")

    assert released.folder.git("rev-parse", "gh-pages^").strip() == first
    assert (
        "gh-pages"
        in subprocess.run(
            ["git", "-C", str(bare), "branch"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )


def test_there_has_to_be_a_remote(released: Loop) -> None:
    ran = released("publish", "--to", PAGES, "--push")

    assert ran.code == 2
    assert "no remote" in ran.err


def test_from_a_bare_repository(released: Loop, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    source = str(released.folder.root)
    subprocess.run(["git", "clone", "-q", "--bare", source, bare], check=True)

    ran = released.run("publish", "--library", str(bare), "--to", PAGES, "--json")

    assert ran.code == 0, ran.err
    listed = subprocess.run(
        ["git", "-C", str(bare), "ls-tree", "--name-only", "gh-pages"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "manifest.json" in listed.stdout
