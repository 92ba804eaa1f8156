"""Clocks and commits of any year: no crash, and nothing that git would refuse."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run, skill_md

# What git makes of a clock two days before 1970.
OVERFLOWN = "18446744073709378816 +0000"


@pytest.fixture
def before_1970(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock before 1970, for this process and as git reports it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    idents = "".join(
        f"echo 'GIT_{who}_IDENT=Test <test@example.invalid> {OVERFLOWN}';"
        for who in ("AUTHOR", "COMMITTER")
    )
    script = (
        f"#!/bin/sh\nPATH={os.environ['PATH']}\n"
        f'case " $* " in *" var "*) {idents} exit;; esac\nexec git "$@"\n'
    )
    (folder / "git").write_text(script)
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(time, "time", lambda: -172_800.0)


@pytest.mark.usefixtures("before_1970")
def test_nothing_is_written_with_a_date_that_git_refuses(
    library: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    draft = tmp_path / "docx-files"
    draft.mkdir()
    (draft / "SKILL.md").write_text(skill_md("docx-files", "", "# Letters\n\nWrite.\n"))
    where = ("--library", str(library.root))

    refused: list[tuple[str, ...]] = [("propose", str(draft)), ("release", "v1.0.0")]
    for words in refused:
        ran = run(*words, *where)
        assert ran.code == 3, ran.out + ran.err
        assert "the clock is before 1970" in ran.err
    for words in (
        ("record", "csv-tables", "--key", "k", "--outcome", "success"),
        ("stats",),
        ("stats", "--html", str(tmp_path / "page.html")),
        ("list",),
        ("audit",),
        ("curate",),
        ("proposals",),
    ):
        ran = run(*words, *where)
        assert ran.code == 0, ran.out + ran.err
    assert library.git("for-each-ref", "--format=%(refname)") == "refs/heads/main\n"
    assert not library.git("fsck", "--strict", "--no-dangling").strip()


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("-1 +0000", "1970"),
        ("0 +0000", "1970"),
        ("99999999999999 +0000", "9999"),
        ("18446744073709551615 +0000", "1970"),
    ],
)
def test_commits_of_any_year_can_be_read_and_built(
    library: LibraryFolder, run: Run, tmp_path: Path, date: str, year: str
) -> None:
    library.write("skills/csv-tables/notes.md", "New.\n")
    library.git("add", "--all")
    tree, parent = library.git("write-tree"), library.git("rev-parse", "HEAD")
    who = f"T <t@example.invalid> {date}"
    text = f"tree {tree}parent {parent}author {who}\ncommitter {who}\n\nOdd\n"
    line = ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"]
    ran = subprocess.run(
        line, cwd=library.root, input=text, capture_output=True, text=True, check=True
    )
    for ref in ("refs/heads/main", "refs/tags/v1.0.0"):
        library.git("update-ref", ref, ran.stdout.strip())
    where = ("--library", str(library.root))

    shown = run("log", "csv-tables", *where)
    built = run("build", "v1.0.0", "--out", str(tmp_path / "hub"), *where)
    page = run("stats", "--html", str(tmp_path / "page.html"), *where)

    assert [ran.code for ran in (shown, built, page)] == [0, 0, 0], built.err
    assert f" {year}-" in shown.out
