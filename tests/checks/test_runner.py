"""The cache never changes an answer; it only saves the reading."""

import os
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillforge.checks import Ruleset, runner
from skillforge.checks.runner import check_checkout, check_commit
from skillforge.library import Library
from skillforge.model import Profile, Report
from tests.conftest import LibraryFolder, skill_md

RULES = Ruleset(Profile.PORTABLE, {})


def with_cache(library: LibraryFolder) -> Report:
    return check_checkout(library.library, RULES, worth=0)


def without_cache(library: LibraryFolder) -> Report:
    return check_checkout(library.library, RULES, worth=10**9)


def cached(library: LibraryFolder) -> list[str]:
    path = library.root / ".git" / "skillforge" / "cache.db"
    with sqlite3.connect(path) as db:
        return [row[0] for row in db.execute("SELECT name FROM results ORDER BY name")]


@pytest.fixture
def settled(library: LibraryFolder) -> LibraryFolder:
    """A library whose folders are old enough to be remembered."""
    library.add_skill("with-note", "version: 1.0.0\n")
    library.add_skill("broken", "license: &x MIT\n")
    library.write("skills/csv-tables/references/guide.md", "x\n")
    library.commit()
    settle(library)
    return library


def settle(library: LibraryFolder) -> None:
    old = time.time() - 3600
    for folder, _folders, _files in os.walk(library.root / "skills"):
        os.utime(folder, (old, old))


def test_a_second_run_reads_nothing_and_reports_the_same(
    settled: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = with_cache(settled)
    assert cached(settled) == ["broken", "csv-tables", "pdf-tables", "with-note"]

    monkeypatch.setattr(runner, "read_folder", None)
    assert with_cache(settled) == first
    assert first.findings


def _edit(library: LibraryFolder) -> None:
    library.write("skills/csv-tables/SKILL.md", "broken")


def _edit_same_size(library: LibraryFolder) -> None:
    file = library.root / "skills/csv-tables/SKILL.md"
    file.write_text(file.read_text().replace("csv-tables", "cSv-tables"))


def _add_untracked(library: LibraryFolder) -> None:
    library.write("skills/csv-tables/references/SKILL.md", skill_md("nested"))


def _add_ignored(library: LibraryFolder) -> None:
    library.write(".git/info/exclude", "aux.txt\n")
    library.write("skills/csv-tables/aux.txt", "x\n")


def _add_deep_folder(library: LibraryFolder) -> None:
    library.write("skills/csv-tables/references/deep/aux.txt", "x\n")


def _add_skill(library: LibraryFolder) -> None:
    library.write("skills/new-one/SKILL.md", "broken")


def _remove_file(library: LibraryFolder) -> None:
    (library.root / "skills/csv-tables/SKILL.md").unlink()


def _remove_skill(library: LibraryFolder) -> None:
    (library.root / "skills/pdf-tables/SKILL.md").unlink()
    (library.root / "skills/pdf-tables").rmdir()


def _rename_skill(library: LibraryFolder) -> None:
    (library.root / "skills/pdf-tables").rename(library.root / "skills/renamed")


def _make_executable(library: LibraryFolder) -> None:
    (library.root / "skills/csv-tables/references/guide.md").chmod(0o755)


def _stage(library: LibraryFolder) -> None:
    _edit(library)
    library.git("add", "--all")


def _commit(library: LibraryFolder) -> None:
    _edit(library)
    library.commit()


def _replace_by_link(library: LibraryFolder) -> None:
    folder = library.root / "skills" / "csv-tables"
    folder.rename(library.root / "moved")
    folder.symlink_to("../moved")


CHANGES: list[Callable[[LibraryFolder], None]] = [
    _edit,
    _edit_same_size,
    _add_untracked,
    _add_ignored,
    _add_deep_folder,
    _add_skill,
    _remove_file,
    _remove_skill,
    _rename_skill,
    _make_executable,
    _stage,
    _commit,
    _replace_by_link,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__[1:])
def test_a_change_is_seen_by_the_next_run(
    settled: LibraryFolder, change: Callable[[LibraryFolder], None]
) -> None:
    before = with_cache(settled)

    change(settled)

    assert with_cache(settled) == without_cache(settled) != before
    assert with_cache(settled) == without_cache(settled)


def test_an_empty_folder_is_watched_too(settled: LibraryFolder) -> None:
    (settled.root / "skills/csv-tables/later").mkdir()
    settle(settled)
    with_cache(settled)

    settled.write("skills/csv-tables/later/SKILL.md", skill_md("nested"))

    assert with_cache(settled) == without_cache(settled)


def test_a_folder_that_just_changed_is_not_remembered(library: LibraryFolder) -> None:
    with_cache(library)

    assert cached(library) == []


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"not a database" * 100, id="garbage"),
        pytest.param(b"SQLite format 3\0" + b"\xff" * 4096, id="torn"),
    ],
)
def test_a_damaged_cache_is_rebuilt_silently(
    settled: LibraryFolder, damage: bytes
) -> None:
    expected = with_cache(settled)
    path = settled.root / ".git" / "skillforge" / "cache.db"
    path.write_bytes(damage)

    assert with_cache(settled) == expected
    assert with_cache(settled) == expected
    assert len(cached(settled)) == 4


def test_a_cache_of_another_shape_is_rebuilt(settled: LibraryFolder) -> None:
    expected = with_cache(settled)
    with sqlite3.connect(settled.root / ".git" / "skillforge" / "cache.db") as db:
        db.execute("DROP TABLE results")
        db.execute("CREATE TABLE results (something TEXT)")

    assert with_cache(settled) == expected
    assert with_cache(settled) == expected


def test_other_rules_do_not_see_these_results(settled: LibraryFolder) -> None:
    with_cache(settled)
    strict = Ruleset(Profile.PORTABLE, {"field-client": "error"})

    assert not check_checkout(settled.library, strict, worth=0).ok


@pytest.mark.slow
def test_many_runs_at_once_agree(settled: LibraryFolder) -> None:
    script = (
        "import sys; from pathlib import Path; from skillforge.library import Library;"
        "from skillforge.checks import Ruleset; from skillforge.model import Profile;"
        "from skillforge.checks.runner import check_checkout;"
        "rules = Ruleset(Profile.PORTABLE, {});"
        "print(check_checkout(Library(Path(sys.argv[1])), rules, worth=0))"
    )
    command = [os.sys.executable, "-c", script, str(settled.root)]  # type: ignore[attr-defined]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(8)]

    answers = {process.communicate()[0] for process in started}

    assert len(answers) == 1
    assert b"yaml-anchor" in answers.pop()


def test_a_linked_worktree_shares_the_cache(
    settled: LibraryFolder, tmp_path: Path
) -> None:
    settled.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = LibraryFolder(tmp_path / "linked")
    settle(linked)

    assert with_cache(linked) == without_cache(linked)
    assert len(cached(settled)) == 4


def test_the_index_is_not_rewritten(settled: LibraryFolder) -> None:
    index = settled.root / ".git" / "index"
    os.utime(settled.root / "skills/csv-tables/SKILL.md")
    before = (index.stat().st_mtime_ns, index.read_bytes())

    with_cache(settled)

    assert (index.stat().st_mtime_ns, index.read_bytes()) == before


def test_many_processes_give_the_answer_of_one(
    settled: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        settled.add_skill(f"skill-{number}", "version: 1.0.0\n")
    expected = without_cache(settled)

    monkeypatch.setattr(runner, "WORTH_SPREADING", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)

    assert without_cache(settled) == expected


def test_objects_and_checkout_get_the_same_report(settled: LibraryFolder) -> None:
    from_objects = check_commit(settled.library, RULES, "HEAD")

    assert from_objects == without_cache(settled)


def test_a_library_without_git_is_checked(tmp_path: Path) -> None:
    folder = LibraryFolder(tmp_path)
    folder.add_skill("csv-tables")

    assert check_checkout(Library.open(tmp_path), RULES, worth=0).ok


def _edit_line_endings(library: LibraryFolder) -> None:
    library.write(".gitattributes", "* text=auto\n")
    file = library.root / "skills/csv-tables/SKILL.md"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))


def _make_executable_unseen(library: LibraryFolder) -> None:
    library.git("config", "core.fileMode", "false")
    (library.root / "skills/csv-tables/references/guide.md").chmod(0o755)


def _edit_unwatched(library: LibraryFolder) -> None:
    library.git("update-index", "--assume-unchanged", "skills/csv-tables/SKILL.md")
    _edit(library)


def _edit_and_turn_the_clock_back(library: LibraryFolder) -> None:
    library.git("config", "core.trustctime", "false")
    file = library.root / "skills/csv-tables/SKILL.md"
    before = file.stat()
    _edit_same_size(library)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        _edit_line_endings,
        _make_executable_unseen,
        _edit_unwatched,
        _edit_and_turn_the_clock_back,
    ],
    ids=lambda change: change.__name__[1:],
)
def test_changes_hidden_from_git_are_checked(
    settled: LibraryFolder, change: Callable[[LibraryFolder], None]
) -> None:
    before = with_cache(settled)

    change(settled)

    assert with_cache(settled) == without_cache(settled) != before


@pytest.mark.parametrize(
    "damage", ["[[", '[["a", "zz", "m"]]', '[["a", "error", 1, 2, 3, 4]]', "{}", "1"]
)
def test_a_cache_with_damaged_rows_is_rebuilt(
    settled: LibraryFolder, damage: str
) -> None:
    expected = with_cache(settled)
    with sqlite3.connect(settled.root / ".git" / "skillforge" / "cache.db") as db:
        db.execute("UPDATE results SET findings = ?", (damage,))

    assert with_cache(settled) == expected
    assert with_cache(settled) == expected


def test_a_skill_whose_name_is_not_utf8_is_not_remembered(
    settled: LibraryFolder,
) -> None:
    settled.write(f"skills/{os.fsdecode(bytes([98, 255, 100]))}/SKILL.md", "x")
    settled.commit()
    settle(settled)

    assert with_cache(settled) == without_cache(settled)
    assert with_cache(settled) == without_cache(settled)


def test_many_names_are_not_too_many_for_git(settled: LibraryFolder) -> None:
    names = [f"skill-{number}" for number in range(2000)]
    settled.add_skill("skill-7")
    commit = settled.commit()

    report = check_commit(settled.library, RULES, commit, names)

    assert report.skills == ("skills/skill-7",)
