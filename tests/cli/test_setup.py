"""`init`, `new` and `doctor`, as a newcomer runs them."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LibraryFolder, Run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_init_makes_a_library_that_validates(here: Path, run: Run) -> None:
    ran = run("init", "--json")

    assert ran.code == 0
    assert all((here / path).is_file() for path in ran.data["written"])
    assert (here / ".git").is_dir()
    assert run("validate", "--json").data == {"skills": 1, "findings": []}


def test_init_overwrites_nothing_and_can_be_repeated(here: Path, run: Run) -> None:
    (here / ".gitignore").write_text("mine\n")

    run("init")
    again = run("init", "--json")

    assert again.data["written"] == []
    assert (here / ".gitignore").read_text() == "mine\n"
    run("init", "--force")
    assert (here / ".gitignore").read_text() != "mine\n"


def test_init_adds_no_sample_to_a_library_with_skills(
    library: LibraryFolder, run: Run
) -> None:
    ran = run("init", str(library.root), "--json")

    assert "skillforge.yaml" in ran.data["written"]
    assert sorted(p.name for p in (library.root / "skills").iterdir()) == [
        "csv-tables",
        "pdf-tables",
    ]


def test_init_in_a_subfolder_makes_the_repository_a_library(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(library.root / "skills")

    assert run("init", "--json").data["root"] == str(library.root)


def test_init_in_a_bare_repository_is_refused(here: Path, run: Run) -> None:
    subprocess.run(["git", "init", "-q", "--bare"], check=True)

    assert run("init").code == 2


def test_init_makes_the_folder_it_is_given(here: Path, run: Run) -> None:
    assert run("init", "deep/inside").code == 0
    assert (here / "deep" / "inside" / "skills").is_dir()


def test_new_makes_a_skill_that_validates_once_its_text_is_replaced(
    here: Path, run: Run
) -> None:
    run("init")

    ran = run("new", "csv-tables", "--description", "Reads: tables. Use when asked.")

    assert ran.code == 0
    assert "skillforge validate csv-tables" in ran.out
    checked = run("validate", "csv-tables", "--json")
    assert [f["rule"] for f in checked.data["findings"]] == ["template-text"]
    page = here / "skills/csv-tables/SKILL.md"
    page.write_text(re.sub("TODO: .*", "Do this.", page.read_text()))
    assert run("validate", "csv-tables", "--json").data["findings"] == []


def test_a_description_that_new_was_not_given_is_missing(here: Path, run: Run) -> None:
    run("init")
    run("new", "csv-tables")

    checked = run("validate", "csv-tables", "--json")

    rules = {f["rule"] for f in checked.data["findings"]}
    assert rules == {"template-description", "template-text"}


@pytest.mark.parametrize("name", ["../up", "a/b", "UPPER", "ab", "-x-y", "a--b", "a b"])
def test_new_refuses_names_that_cannot_be(here: Path, run: Run, name: str) -> None:
    run("init")

    assert run("new", "--", name).code == 2
    assert len(list((here / "skills").iterdir())) == 1


def test_doctor_reports_what_is_usable(here: Path, run: Run) -> None:
    ran = run("doctor", "--json")

    items = {item["name"]: item for item in ran.data["items"]}
    assert ran.code == 0
    assert items["git"]["ok"]
    assert not items["library"]["ok"]
    run("init")
    assert "1 skill" in run("doctor").out


def test_doctor_fails_without_git(
    here: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    ran = run("doctor")

    assert ran.code == 1
    assert "MISSING git" in ran.out


def examined(run: Run) -> dict[str, dict[str, Any]]:
    return {item["name"]: item for item in run("doctor", "--json").data["items"]}


def test_doctor_looks_at_all_that_a_command_may_need(
    here: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(here / "home"))
    monkeypatch.setenv("SHELL", "/bin/bash")
    run("init")
    assert "no commits yet" in examined(run)["forge"]["detail"]
    LibraryFolder(here).commit("Start")

    items = examined(run)

    for name in (
        "Python", "git", "PyGithub", "mcp", "gh", "sandbox bubblewrap", "git user",
        "library", "policy", "forge", "private store", "pre-commit", "agents",
        "completion",
    ):  # fmt: skip
        assert name in items
    for item in items.values():
        is_told = item["ok"] or item["hint"] or item["name"].startswith("sandbox")
        assert is_told, item
    assert items["forge"]["detail"] == "this repository's own refs"
    assert items["private store"]["detail"] == "0 examples, 0 uses"
    assert not (here / ".git/skillforge/state.db").exists()


def test_doctor_sees_agents_and_whether_the_shell_completes(
    here: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = here / "home"
    (home / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    before = examined(run)
    (home / ".zshrc").write_text(before["completion"]["hint"].partition(": ")[2])

    assert before["agents"]["detail"] == f"claude ({home}/.claude)"
    assert not before["completion"]["ok"]
    assert examined(run)["completion"]["ok"]


def test_doctor_names_a_slip_of_the_policy(here: Path, run: Run) -> None:
    run("init")
    (here / "skillforge.yaml").write_text("aprovals: 2\n")

    ran = run("doctor")

    assert ran.code == 1
    assert "MISSING policy" in ran.out
    assert "did you mean approvals?" in ran.out


def test_doctor_finds_a_damaged_store(here: Path, run: Run) -> None:
    run("init")
    store = here / ".git/skillforge/state.db"
    store.parent.mkdir(exist_ok=True)
    store.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)

    ran = run("doctor")

    assert ran.code == 1
    assert "MISSING private store" in ran.out
    assert "move it away" in ran.out
    assert store.read_bytes()[-1:] == b"\xff"


def test_doctor_reports_where_proposals_go(here: Path, run: Run) -> None:
    run("init")
    url = "https://github.com/acme/skills.git"
    library = LibraryFolder(here)
    library.git("remote", "add", "origin", url)
    library.commit("Start")

    assert examined(run)["forge"]["detail"] == f"pull requests of {url[:-4]}"
