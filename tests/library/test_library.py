"""Skills are found and read alike in a checkout, at a revision and in a bare clone."""

import os
import subprocess
from pathlib import Path

import pytest

from skillforge.errors import RequestError, ToolError
from skillforge.library import Library, read_folder, replace_file
from skillforge.model import FileKind
from tests.conftest import LibraryFolder


def test_a_library_is_found_from_any_folder_in_it(library: LibraryFolder) -> None:
    found = Library.find(library.root / "skills" / "csv-tables")

    assert found is not None
    assert found.root == library.root


def test_a_folder_outside_any_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as refused:
        Library.open(tmp_path)
    assert "skillforge init" in refused.value.hint


def test_checkout_and_commit_give_equal_skills(library: LibraryFolder) -> None:
    folder = library.add_skill("with-files")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "scripts" / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("scripts/run.sh")
    commit = library.commit()

    committed = {skill.name: skill for skill in library.library.read_at(commit)}
    for name, entry in library.library.folders().items():
        assert read_folder(entry.path, name, f"skills/{name}") == committed[name]
    assert committed["with-files"].files["scripts/run.sh"].kind is FileKind.EXECUTABLE
    assert committed["with-files"].read("link") == b"scripts/run.sh"


def test_a_revision_is_read_without_touching_the_checkout(
    library: LibraryFolder,
) -> None:
    first = library.commit()
    (library.root / "skills" / "csv-tables" / "SKILL.md").unlink()
    library.commit("Remove")
    before = library.git("status", "--porcelain", "--branch")

    names = [skill.name for skill in library.library.read_at(first)]

    assert names == ["csv-tables", "pdf-tables"]
    assert library.git("status", "--porcelain", "--branch") == before


def test_a_bare_repository_is_a_library(library: LibraryFolder, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", library.root, bare], check=True)

    skills = list(Library.open(bare).read_at("HEAD"))

    assert [skill.name for skill in skills] == ["csv-tables", "pdf-tables"]


def test_only_some_skills_of_a_revision_are_read(library: LibraryFolder) -> None:
    skills = list(library.library.read_at("HEAD", ["pdf-tables"]))

    assert [skill.name for skill in skills] == ["pdf-tables"]


def test_changed_since_names_what_the_branch_changed(library: LibraryFolder) -> None:
    base = library.commit()
    library.git("checkout", "-q", "-b", "other")
    library.add_skill("elsewhere")
    library.commit()
    library.git("checkout", "-q", "-b", "work", base)
    library.write("skills/csv-tables/notes.md", "x\n")
    library.add_skill("added")
    library.git("rm", "-qr", "skills/pdf-tables")
    head = library.commit()

    assert library.library.changed_since("other", head) == ["added", "csv-tables"]


def test_an_unknown_revision_is_refused_with_a_hint(library: LibraryFolder) -> None:
    with pytest.raises(RequestError, match="no commit 'nope'"):
        library.library.changed_since("nope", "HEAD")


@pytest.mark.parametrize("revision", ["--help", "-n1", "HEAD\n"])
def test_a_revision_is_never_read_as_an_option(
    library: LibraryFolder, revision: str
) -> None:
    with pytest.raises(RequestError):
        library.library.repository().resolve(revision)


def test_links_are_looked_at_and_never_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "SKILL.md").write_text("---\nname: secret\n---\n")
    (tmp_path / "skill").symlink_to(secret)

    skill = read_folder(str(tmp_path / "skill"), "skill", "skill")

    assert skill.document is None
    assert {file.kind for file in skill.files.values()} == {FileKind.SYMLINK}
    assert skill.read(".") == os.fsencode(secret)


def test_a_skill_file_that_is_a_link_is_its_target_as_git_has_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "SKILL.md").symlink_to("../elsewhere/SKILL.md")

    skill = read_folder(str(tmp_path), "skill", "skill")

    assert skill.document is not None
    assert [f.rule for f in skill.document.problems] == ["frontmatter-link-text"]


def test_a_file_that_cannot_be_read_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "SKILL.md").touch()

    def refuse(*_args: object) -> int:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        skill = read_folder(str(tmp_path), "skill", "skill")

    assert skill.document is not None
    assert [f.rule for f in skill.document.problems] == ["file-unreadable"]


def test_odd_file_names_are_read_alike(library: LibraryFolder) -> None:
    folder = library.root / "skills" / "csv-tables"
    for name in (b"line\nbreak.md", "ünï.md".encode(), b"tab\t.md", b"raw\xff.md"):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).touch()
    commit = library.commit()

    read = read_folder(str(folder), "csv-tables", "skills/csv-tables")
    [committed] = library.library.read_at(commit, ["csv-tables"])

    assert read == committed


def test_a_lost_object_stops_with_a_hint(library: LibraryFolder) -> None:
    blob = library.git("rev-parse", "HEAD:skills/csv-tables/SKILL.md").strip()
    (library.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(ToolError) as stopped:
        list(library.library.read_at("HEAD"))
    assert "fsck" in stopped.value.hint or "ls-tree" in stopped.value.message


def test_a_folder_of_another_owner_stops_with_a_hint(
    library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    with pytest.raises((ToolError, RequestError)):
        list(library.library.read_at("HEAD"))


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "SKILL.md"
    file.write_text("old")

    def full(*_args: object, **_kwargs: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ToolError, match="No space left"):
        replace_file(file, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["SKILL.md"]
    assert file.read_text() == "old"
