"""`validate` on names, folders, files, revisions and branches."""

import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run, skill_md


@pytest.fixture
def inside(library: LibraryFolder, monkeypatch: pytest.MonkeyPatch) -> LibraryFolder:
    monkeypatch.chdir(library.root)
    return library


def test_a_skill_by_name_and_a_folder_by_path(
    inside: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "SKILL.md").write_text("broken")

    ran = run("validate", "csv-tables", str(other), "--json")

    assert ran.data["skills"] == 2
    assert [f["path"] for f in ran.data["findings"]] == [f"{other}/SKILL.md"]


@pytest.mark.parametrize(
    "target",
    ["skills", ".", "skills/csv-tables", "skills/csv-tables/SKILL.md"],
)
def test_folders_and_files_of_skills_are_understood(
    inside: LibraryFolder, run: Run, target: str
) -> None:
    inside.write("skills/csv-tables/SKILL.md", "broken")

    ran = run("validate", target, "--json")

    assert [f["path"] for f in ran.data["findings"]] == ["skills/csv-tables/SKILL.md"]


def test_a_skill_named_twice_is_checked_once(inside: LibraryFolder, run: Run) -> None:
    assert run("validate", "csv-tables", "csv-tables", "--json").data["skills"] == 1


def test_a_folder_outside_any_library_uses_the_default_policy(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "csv-tables"
    folder.mkdir()
    (folder / "SKILL.md").write_text(skill_md("csv-tables"))

    assert run("validate", "csv-tables").code == 0


def test_the_profile_decides(inside: LibraryFolder, run: Run) -> None:
    inside.add_skill("技能")

    assert run("validate", "--profile", "spec").code == 0
    assert run("validate", "--json").rules == {"name-portable"}


def test_the_policy_decides(inside: LibraryFolder, run: Run) -> None:
    inside.add_skill("技能")
    inside.write("skillforge.yaml", "rules:\n  name-portable: warning\n")

    assert run("validate").code == 0


@pytest.mark.parametrize(
    "policy", ["rules:\n  no-such-rule: off\n", "profile: x\n"], ids=["rule", "value"]
)
def test_a_policy_that_cannot_be_understood_stops(
    inside: LibraryFolder, run: Run, policy: str
) -> None:
    inside.write("skillforge.yaml", policy)

    ran = run("validate")

    assert ran.code == 2
    assert "skillforge.yaml" in ran.err


def test_a_revision_is_checked_instead_of_the_checkout(
    inside: LibraryFolder, run: Run
) -> None:
    inside.write("skills/csv-tables/SKILL.md", "broken")

    assert run("validate").code == 1
    assert run("validate", "--rev", "HEAD").code == 0
    assert run("validate", "--rev", "HEAD", "csv-tables", "--json").data["skills"] == 1
    assert run("validate", "--rev", "HEAD", "nope").code == 2


def test_a_bare_repository_is_checked(
    library: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", library.root, bare], check=True)

    assert run("validate", "--library", str(bare), "--json").data["skills"] == 2


def test_changed_since_checks_what_the_branch_committed(
    inside: LibraryFolder, run: Run
) -> None:
    inside.git("checkout", "-q", "-b", "work")
    inside.write("skills/csv-tables/SKILL.md", "broken")
    inside.write("README.md", "x")
    inside.commit()
    inside.write("skills/pdf-tables/SKILL.md", "not committed")

    ran = run("validate", "--changed-since", "main", "--json")

    assert ran.data["skills"] == 1
    assert [f["path"] for f in ran.data["findings"]] == ["skills/csv-tables/SKILL.md"]


def test_a_branch_is_checked_with_the_policy_of_its_base(
    inside: LibraryFolder, run: Run
) -> None:
    inside.git("checkout", "-q", "-b", "work")
    inside.add_skill("技能")
    inside.write("skillforge.yaml", "profile: spec\n")
    inside.commit()

    assert run("validate").code == 0
    assert run("validate", "--changed-since", "main").code == 1


def test_nothing_changed_is_a_yes(inside: LibraryFolder, run: Run) -> None:
    ran = run("validate", "--changed-since", "HEAD")

    assert ran.out == "0 skills checked: all good\n"


def test_changed_since_in_a_shallow_clone_has_a_hint(
    library: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    first = library.git("rev-parse", "HEAD").strip()
    library.commit("Second")
    clone = tmp_path / "clone"
    source = f"file://{library.root}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", source, clone], check=True)

    ran = run("validate", "--library", str(clone), "--changed-since", first)

    assert ran.code == 2
    assert "--unshallow" in ran.err


def test_a_dirty_checkout_and_a_detached_head_are_fine(
    inside: LibraryFolder, run: Run
) -> None:
    inside.git("checkout", "-q", "--detach")
    inside.write("unsaved.txt", "x")

    assert run("validate").code == 0
    assert run("validate", "--changed-since", "main").code == 0


def test_a_library_without_commits_is_checked(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    LibraryFolder(tmp_path).add_skill("csv-tables")

    assert run("validate").code == 0
    assert run("validate", "--rev", "HEAD").code == 2


def test_hook_variables_point_nowhere_else(
    inside: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "elsewhere"], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))

    assert run("validate", "--rev", "HEAD", "--json").data["skills"] == 2
    assert run("doctor").code == 0


def test_a_checkout_that_git_moves_meanwhile_is_read_again(
    inside: LibraryFolder, run: Run
) -> None:
    """`promote` brings the checkout along: for a moment, files are missing."""
    skill = inside.root / "skills/csv-tables/SKILL.md"
    text, lock = skill.read_bytes(), inside.root / ".git/index.lock"
    lock.touch()
    skill.unlink()

    def finish() -> None:
        skill.write_bytes(text)
        lock.unlink()

    git = threading.Timer(0.4, finish)
    git.start()
    ran = run("validate")
    git.join()

    assert ran.code == 0, ran.out


def test_an_abandoned_lock_is_not_waited_for(inside: LibraryFolder, run: Run) -> None:
    inside.write("skills/csv-tables/SKILL.md", "broken")
    lock = inside.root / ".git/index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 60,) * 2)
    start = time.monotonic()

    assert run("validate").code == 1
    assert time.monotonic() - start < 10
