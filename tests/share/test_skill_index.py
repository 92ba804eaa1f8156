"""A list shows the current main, also while other processes work."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillforge.share import skill_index
from skillforge.share.search import search
from skillforge.store.index import Index
from tests.conftest import LibraryFolder, Run, skill_md

UNUSUAL = "# Title\n\nAbout xylophones only.\n"


def names(folder: LibraryFolder) -> list[str]:
    library = folder.library
    found = skill_index.query(library, library.tip, Index.skills)
    return [skill.name for skill in found]


def found(folder: LibraryFolder, query: str) -> list[str]:
    library = folder.library
    return [hit.skill.name for hit in search(library, library.tip, query)]


def indexes(folder: LibraryFolder) -> list[Path]:
    return sorted((folder.root / ".git/skillforge").glob("search-*.db"))


def test_the_next_call_shows_changes(library: LibraryFolder) -> None:
    assert found(library, "xylophones") == []

    library.add_skill("csv-tables", body=UNUSUAL)
    library.commit()
    assert found(library, "xylophones") == ["csv-tables"]

    library.add_skill("csv-tables")
    library.git("rm", "-rq", "skills/pdf-tables")
    library.add_skill("new-one", body=UNUSUAL)
    library.commit()
    assert found(library, "xylophones") == ["new-one"]
    assert names(library) == ["csv-tables", "new-one"]


def test_an_index_that_grew_is_the_same_as_one_made_anew(
    library: LibraryFolder,
) -> None:
    for turn in range(4):
        names(library)
        library.add_skill(f"skill-{turn}", body=f"# T\n\nWord{turn} and tables.\n")
        library.add_skill("csv-tables", body=f"# T\n\nTurn {turn} of tables.\n")
        library.commit()
    tip = library.library.tip
    grown = search(library.library, tip, "tables turn word2 word3")

    for path in indexes(library):
        path.unlink()

    assert search(library.library, tip, "tables turn word2 word3") == grown


def test_only_changed_skills_are_read_again(
    library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        library.add_skill(f"skill-{number}")
    library.commit()
    names(library)
    library.add_skill("skill-3", body=UNUSUAL)
    library.commit()
    read: list[str] = []
    real = skill_index._text

    def counting(skill: object, tree: str) -> object:
        read.append(skill.name)  # type: ignore[attr-defined]
        return real(skill, tree)  # type: ignore[arg-type]

    monkeypatch.setattr(skill_index, "_text", counting)

    assert found(library, "xylophones") == ["skill-3"]
    assert read == ["skill-3"]


def test_uncommitted_skills_are_not_shown(library: LibraryFolder) -> None:
    library.add_skill("unsaved")
    library.git("checkout", "-q", "-b", "work")
    library.add_skill("on-a-branch")
    library.git("add", "skills/on-a-branch")
    library.git("commit", "-qm", "Work")

    assert names(library) == ["csv-tables", "pdf-tables"]


def test_another_revision_does_not_disturb_main(
    library: LibraryFolder, run: Run
) -> None:
    library.git("tag", "v1")
    library.add_skill("new-one")
    library.commit()
    root = str(library.root)

    old = run("list", "--library", root, "--rev", "v1", "--json").data["skills"]
    now = run("list", "--library", root, "--json").data["skills"]

    assert [skill["name"] for skill in old] == ["csv-tables", "pdf-tables"]
    assert [skill["name"] for skill in now] == ["csv-tables", "new-one", "pdf-tables"]


def test_a_bare_repository_is_read_as_well(
    library: LibraryFolder, tmp_path: Path, run: Run
) -> None:
    library.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    place = ("--library", str(tmp_path / "bare.git"))

    assert [
        skill["name"] for skill in run("list", *place, "--json").data["skills"]
    ] == [
        "csv-tables",
        "pdf-tables",
    ]
    assert run("show", "csv-tables", "SKILL.md", *place).out == skill_md("csv-tables")


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.write_bytes(b"nonsense" * 999), id="nonsense"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: os.truncate(path, 5000), id="cut"),
        pytest.param(lambda path: path.unlink(), id="missing"),
        pytest.param(
            lambda path: path.write_bytes(
                path.read_bytes()[:4096] + os.urandom(path.stat().st_size - 4096)
            ),
            id="scrambled",
        ),
    ],
)
def test_a_damaged_index_is_made_anew(library: LibraryFolder, damage: object) -> None:
    before = found(library, "reads tables")
    [path] = indexes(library)
    damage(path)  # type: ignore[operator]

    assert found(library, "reads tables") == before
    assert names(library) == ["csv-tables", "pdf-tables"]
    assert indexes(library) == [path]


def test_a_git_directory_that_cannot_be_written_will_do(
    library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library.root / ".git/skillforge").write_text("in the way")

    assert found(library, "reads tables") == ["csv-tables", "pdf-tables"]


def test_few_indexes_are_kept(library: LibraryFolder) -> None:
    for turn in range(6):
        library.add_skill(f"skill-{turn}")
        library.commit()
        names(library)

    assert len(indexes(library)) == 3


@pytest.mark.slow
def test_many_processes_make_one_index(library: LibraryFolder) -> None:
    line = [sys.executable, "-m", "skillforge", "search", "reads tables", "--json"]
    started = [
        subprocess.Popen(line, cwd=library.root, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    outputs = {process.communicate()[0] for process in started}

    assert len(outputs) == 1
    assert {process.returncode for process in started} == {0}
    assert len(indexes(library)) == 1
    assert not list((library.root / ".git/skillforge").glob("*.half"))


def test_skills_that_no_client_can_read_are_listed_with_the_reason(
    library: LibraryFolder, run: Run
) -> None:
    library.write("skills/broken/SKILL.md", "no header\n")
    library.write("skills/empty/README.md", "nothing\n")
    library.write("skills/silent/SKILL.md", "---\nname: silent\n---\nBody\n")
    library.write("skills/notes.txt", "not a skill\n")
    library.commit()

    rows = run("list", "--library", str(library.root), "--json").data["skills"]
    problems = {row["name"]: row["problem"] for row in rows if row["problem"]}

    assert problems == {
        "broken": "SKILL.md cannot be read",
        "empty": "no SKILL.md",
        "silent": "no description",
    }


@pytest.mark.parametrize("command", ["list", "catalog", "search", "show"])
def test_a_missing_library_is_reported_in_a_sentence(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("x",) if command in ("search", "show") else ()

    ran = run(command, *words)
    assert (ran.code, "skillforge init" in ran.err) == (2, True)

    (tmp_path / "skills").mkdir()
    assert run(command, *words).code == 2
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert run(command, *words).code == 2


def test_a_library_without_skills_lists_none(library: LibraryFolder, run: Run) -> None:
    library.git("rm", "-rq", "skills")
    library.commit()
    place = ("--library", str(library.root))

    assert run("list", *place, "--json").data["skills"] == []
    assert run("search", "x", *place, "--json").data["results"] == []
    assert run("catalog", *place).code == 0
