"""Odd skills are findings, odd places are errors that say what to do; never exit 70."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run, skill_md


@pytest.fixture
def inside(library: LibraryFolder, monkeypatch: pytest.MonkeyPatch) -> LibraryFolder:
    monkeypatch.chdir(library.root)
    return library


def shell(line: str, cwd: Path, **env: str) -> "subprocess.CompletedProcess[bytes]":
    line = line.replace("skillforge", f"{sys.executable} -m skillforge")
    return subprocess.run(
        ["bash", "-c", line], cwd=cwd, env=os.environ | env, capture_output=True
    )


def deny(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a path unreadable, also for root, who may read everything."""
    for name in ("scandir", "open", "listdir"):
        real = getattr(os, name)

        def refuse(
            target: object, *args: object, _real: object = real, **kwargs: object
        ) -> object:
            if str(target).startswith(str(path)):
                raise PermissionError(13, "Permission denied", str(target))
            return _real(target, *args, **kwargs)  # type: ignore[operator]

        monkeypatch.setattr(os, name, refuse)


def test_a_new_link_in_place_of_a_skill_is_seen_by_changed_since(
    inside: LibraryFolder, run: Run
) -> None:
    inside.git("checkout", "-q", "-b", "work")
    (inside.root / "skills" / "evil").symlink_to("/etc")
    inside.commit()

    ran = run("validate", "--changed-since", "main", "--json")

    assert "symlink-outside" in ran.rules


def test_a_new_submodule_in_place_of_a_skill_is_seen_by_changed_since(
    inside: LibraryFolder, run: Run
) -> None:
    inside.git("checkout", "-q", "-b", "work")
    head = inside.git("rev-parse", "HEAD").strip()
    inside.git("update-index", "--add", "--cacheinfo", f"160000,{head},skills/modu")
    inside.git("commit", "-qm", "Add")

    assert "submodule" in run("validate", "--changed-since", "main", "--json").rules


@pytest.mark.parametrize("option", ["--changed-since", "--rev"])
def test_an_empty_revision_is_refused(
    inside: LibraryFolder, run: Run, option: str
) -> None:
    assert run("validate", option, "").code == 2


def test_a_submodule_named_like_the_skill_file_is_a_finding(
    inside: LibraryFolder, run: Run
) -> None:
    entry = f"160000,{'1' * 40},skills/sub/SKILL.md"
    inside.git("update-index", "--add", "--cacheinfo", entry)
    inside.git("commit", "-qm", "Add")

    assert "submodule" in run("validate", "--rev", "HEAD", "--json").rules


def test_a_pipe_among_the_skills_is_a_finding(inside: LibraryFolder, run: Run) -> None:
    os.mkfifo(inside.root / "skills" / "pipe")

    ran = run("validate", "--json")

    assert ran.data["skills"] == 3
    assert ran.rules == {"file-kind", "skill-file"}


@pytest.mark.parametrize("arguments", [(), ("skills",), ("csv-tables", "--fix")])
def test_a_folder_that_cannot_be_read_is_a_finding(
    inside: LibraryFolder,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    deny(inside.root / "skills" / "csv-tables", monkeypatch)

    ran = run("validate", *arguments, "--json")

    assert ran.code == 1
    assert ran.rules == {"file-unreadable"}


def test_a_policy_that_cannot_be_read_stops(inside: LibraryFolder, run: Run) -> None:
    (inside.root / "skillforge.yaml").mkdir()

    ran = run("validate")

    assert ran.code == 2
    assert "skillforge.yaml cannot be read" in ran.err


@pytest.mark.parametrize(
    "policy", ["rules:\n  1: off\n", "a: " + "[" * 400], ids=["number", "deep"]
)
def test_an_odd_policy_stops(inside: LibraryFolder, run: Run, policy: str) -> None:
    inside.write("skillforge.yaml", policy)

    assert run("validate").code == 2


def test_names_that_are_not_utf8_are_checked(inside: LibraryFolder, run: Run) -> None:
    name = os.fsdecode(b"a-rather-long-name-that-counts-its-bytes-\xff.md")
    (inside.root / "skills" / "csv-tables" / name).touch()
    (inside.root / "skills" / os.fsdecode(b"b\xffd")).mkdir()

    ran = run("validate", "--json")

    assert ran.code == 1
    assert "skill-file" in ran.rules
    ran.out.encode("ascii")


def test_a_name_that_is_too_long_is_refused(inside: LibraryFolder, run: Run) -> None:
    assert run("validate", "a" * 300).code == 2


def test_a_huge_file_is_not_read(inside: LibraryFolder, run: Run) -> None:
    file = inside.root / "skills" / "csv-tables" / "SKILL.md"
    os.truncate(file, 1 << 40)

    assert "file-too-large" in run("validate", "--json").rules


def test_a_huge_blob_is_not_read(inside: LibraryFolder, run: Run) -> None:
    inside.write("skills/csv-tables/SKILL.md", "x" * (2 << 20))
    inside.commit()

    ran = run("validate", "--rev", "HEAD", "--json")

    assert ran.rules == {"file-too-large"}
    assert ran.data["skills"] == 2


def test_init_where_nothing_can_be_written_is_a_tool_error(
    tmp_path: Path, run: Run
) -> None:
    (tmp_path / "file").touch()

    assert run("init", str(tmp_path / "file" / "below")).code == 3
    assert run("init", "/proc/nowhere").code == 3


def test_a_full_disk_is_reported(inside: LibraryFolder) -> None:
    for arguments in ("", "--json"):
        done = shell(f"skillforge validate {arguments} >/dev/full", inside.root)
        assert done.returncode == 3
        assert b"standard output cannot be written" in done.stderr
        assert b"Traceback" not in done.stderr


def test_a_closed_standard_output_is_fine(inside: LibraryFolder) -> None:
    assert shell("skillforge validate >&-", inside.root).returncode == 0


def test_an_old_encoding_gets_escapes(inside: LibraryFolder) -> None:
    inside.write("skills/csv-tables/SKILL.md", "---\nname: a: b\n---\n")

    done = shell("skillforge validate --fix", inside.root, PYTHONIOENCODING="latin-1")

    assert done.returncode == 1
    assert b"put the whole value in quotes" in done.stdout


def test_a_skill_that_is_its_own_repository_is_fine(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    solo = tmp_path / "csv-tables"
    subprocess.run(["git", "init", "-q", solo], check=True)
    (solo / "SKILL.md").write_text(skill_md("csv-tables"))

    assert run("validate", str(solo)).code == 0
    monkeypatch.chdir(solo)
    assert run("validate", ".").code == 0


def test_a_repository_under_skills_is_a_submodule(
    inside: LibraryFolder, run: Run
) -> None:
    inside.git("init", "-q", "skills/csv-tables")

    assert run("validate", "csv-tables", "--json").rules == {"submodule"}


def test_a_path_with_dots_means_the_folder(
    inside: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inside.root / "skills" / "csv-tables" / "scripts").mkdir()
    monkeypatch.chdir(inside.root / "skills" / "csv-tables" / "scripts")

    assert run("validate", "..").code == 0


def test_a_skill_is_checked_with_the_policy_of_its_library(
    inside: LibraryFolder, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside.write("skillforge.yaml", "rules:\n  learned-name: off\n")
    inside.add_skill("fix-it")
    other = tmp_path / "other" / "fix-it"
    shutil.copytree(inside.root / "skills" / "fix-it", other)

    assert run("validate", "skills/fix-it").code == 0
    assert run("validate", str(other), "skills/fix-it").code == 1
    monkeypatch.chdir(tmp_path)
    assert run("validate", str(inside.root / "skills" / "fix-it")).code == 0
    assert run("validate", str(other)).code == 1


def test_an_empty_folder_counts_however_it_is_named(
    inside: LibraryFolder, run: Run
) -> None:
    (inside.root / "skills" / "empty").mkdir()

    for targets in ((), ("skills",), (".",), ("empty",)):
        assert run("validate", *targets, "--json").rules == {"skill-file"}


def test_a_skills_name_comes_before_a_folder_of_that_name(
    inside: LibraryFolder, run: Run
) -> None:
    inside.add_skill("notes")
    inside.write("notes/readme.txt", "x")

    assert run("validate", "notes").code == 0


def test_a_library_that_does_not_exist_is_refused(
    inside: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLFORGE_LIBRARY", str(inside.root / "typo"))

    assert run("validate").code == 2


def test_write_requires_fix(inside: LibraryFolder, run: Run) -> None:
    assert run("validate", "--write").code == 2


def test_a_link_among_the_skills_counts_however_it_is_named(
    inside: LibraryFolder, run: Run
) -> None:
    (inside.root / "skills" / "linked").symlink_to("../nowhere")

    for targets in ((), ("skills",), (".",), ("linked",), ("skills/linked",)):
        assert "symlink-outside" not in run("validate", "csv-tables", "--json").rules
        assert "skill-file" in run("validate", *targets, "--json").rules


def test_an_empty_target_is_refused(inside: LibraryFolder, run: Run) -> None:
    assert run("validate", "").code == 2


def test_a_skill_is_the_same_through_a_link(inside: LibraryFolder, run: Run) -> None:
    inside.write("skillforge.yaml", "rules:\n  field-unknown: warning\n")
    inside.add_skill("odd", "tags: x\n")
    (inside.root / ".claude").mkdir()
    (inside.root / ".claude" / "skills").symlink_to("../skills")

    ran = run("validate", ".claude/skills/odd", "odd", "--json")

    assert ran.code == 0
    assert ran.data["skills"] == 1
    assert [f["path"] for f in ran.data["findings"]] == ["skills/odd/SKILL.md"]


def test_doctor_survives_a_broken_repository(inside: LibraryFolder, run: Run) -> None:
    (inside.root / ".git" / "HEAD").write_text("garbage")

    assert run("doctor").code in (0, 1)


def test_a_full_disk_is_not_reported_as_a_bug(
    library: LibraryFolder, tmp_path: Path
) -> None:
    source = f"{library.root}#main --to {tmp_path}/agent/skills"
    ran = shell(f"ulimit -f 0; skillforge install {source}", library.root)

    assert ran.returncode == 3
    assert b"is the disk full?" in ran.stderr
