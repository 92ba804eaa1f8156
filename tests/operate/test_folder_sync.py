"""An agent's folder has what its key gets; edits are kept, and kills do no harm."""

import json
import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from skillforge.agents import BUILT_IN, skills_folder
from skillforge.errors import ConfigError, ConflictError, RequestError
from skillforge.gitrepo.ref_update import Signature
from skillforge.library import Library
from skillforge.model import Rollout
from skillforge.operate import rollouts
from skillforge.operate.folder_sync import SyncAction, SyncResult, sync
from tests.conftest import LibraryFolder, skill_md
from tests.forks import at_once, killed_at
from tests.operate.elsewhere import synced, synced_beside_an_edit
from tests.operate.test_materialize import commit_tree, touched

WHO = Signature("Test", "test@example.invalid", "1700000000 +0000")
OURS = [".skillforge-sync.json", ".skillforge-sync.lock"]


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "skills"


def to(agent: Path, library: LibraryFolder, key: str = "k", **how: bool) -> SyncResult:
    return sync(library.library, key, agent, **how)


def actions(done: SyncResult) -> dict[str, list[str]]:
    """The skills by action, without actions that no skill has."""
    names = {fate.value: done.names(fate) for fate in SyncAction}
    return {fate: found for fate, found in names.items() if found}


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def names(agent: Path) -> list[str]:
    return sorted(path.name for path in agent.iterdir() if path.name not in OURS)


def edit(agent: Path, name: str = "csv-tables", more: str = "Mine.\n") -> Path:
    path = agent / name / "SKILL.md"
    path.write_text(path.read_text() + more)
    return path


def test_all_skills_of_main_are_laid_out(library: LibraryFolder, agent: Path) -> None:
    run = library.write("skills/csv-tables/scripts/run.sh", "#!/bin/sh\n")
    run.chmod(0o755)
    library.commit()

    done = to(agent, library)

    assert actions(done) == {"added": ["csv-tables", "pdf-tables"]}
    assert done.ok
    assert files(agent / "csv-tables") == files(library.root / "skills/csv-tables")
    assert os.access(agent / "csv-tables/scripts/run.sh", os.X_OK)
    assert os.access(agent / "csv-tables/SKILL.md", os.W_OK)
    assert names(agent) == ["csv-tables", "pdf-tables"]


def test_only_what_changed_is_written(library: LibraryFolder, agent: Path) -> None:
    to(agent, library)
    before = touched(agent / "pdf-tables")
    library.add_skill("csv-tables", body="# Title\n\nDo it otherwise.\n")
    library.commit()

    assert actions(to(agent, library)) == {
        "updated": ["csv-tables"],
        "unchanged": ["pdf-tables"],
    }
    assert "otherwise" in (agent / "csv-tables/SKILL.md").read_text()
    assert touched(agent / "pdf-tables") == before


def test_what_is_gone_from_main_is_taken_away(
    library: LibraryFolder, agent: Path
) -> None:
    to(agent, library)
    shutil.rmtree(library.root / "skills/csv-tables")
    library.commit()

    assert actions(to(agent, library)) == {
        "removed": ["csv-tables"],
        "unchanged": ["pdf-tables"],
    }
    assert names(agent) == ["pdf-tables"]
    assert actions(to(agent, library)) == {"unchanged": ["pdf-tables"]}


@pytest.mark.parametrize("then", ["nothing", "changed", "gone"])
def test_an_edit_is_kept_and_reported(
    library: LibraryFolder, agent: Path, then: str
) -> None:
    to(agent, library)
    mine = edit(agent).read_text()
    if then == "changed":
        library.add_skill("csv-tables", body="# Title\n\nDo it otherwise.\n")
    if then == "gone":
        shutil.rmtree(library.root / "skills/csv-tables")
    library.commit()

    for _ in range(2):
        done = to(agent, library)
        assert actions(done) == {"kept": ["csv-tables"], "unchanged": ["pdf-tables"]}
        assert not done.ok
        assert (agent / "csv-tables/SKILL.md").read_text() == mine


def _same_size(agent: Path) -> None:
    """An edit that keeps the size and sets the time back, as an editor might."""
    path = agent / "csv-tables" / "SKILL.md"
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"Do this", b"Do that"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _new_file(agent: Path) -> None:
    (agent / "csv-tables" / "notes.md").write_text("Mine.\n")


def _executable(agent: Path) -> None:
    (agent / "csv-tables" / "SKILL.md").chmod(0o755)


def _gone_file(agent: Path) -> None:
    (agent / "csv-tables" / "SKILL.md").unlink()


def _linked(agent: Path) -> None:
    (agent / "csv-tables").rename(agent.parent / "mine")
    (agent / "csv-tables").symlink_to(agent.parent / "mine")


def _a_file(agent: Path) -> None:
    shutil.rmtree(agent / "csv-tables")
    (agent / "csv-tables").write_text("Mine.\n")


@pytest.mark.parametrize("is_settled", [False, True], ids=["at once", "later"])
@pytest.mark.parametrize(
    "change", [_same_size, _new_file, _executable, _gone_file, _linked, _a_file]
)
def test_every_kind_of_edit_is_noticed(
    library: LibraryFolder,
    agent: Path,
    change: Callable[[Path], None],
    is_settled: bool,
) -> None:
    to(agent, library)
    if is_settled:  # so that the next look need not read the files again
        time.sleep(0.15)
        to(agent, library)
    change(agent)

    assert actions(to(agent, library))["kept"] == ["csv-tables"]


def test_a_reverted_edit_is_not_an_edit(library: LibraryFolder, agent: Path) -> None:
    to(agent, library)
    before = (agent / "csv-tables/SKILL.md").read_text()
    edit(agent)
    to(agent, library)
    (agent / "csv-tables/SKILL.md").write_text(before)

    assert actions(to(agent, library)) == {"unchanged": ["csv-tables", "pdf-tables"]}


def test_an_edit_that_is_on_main_is_not_an_edit(
    library: LibraryFolder, agent: Path
) -> None:
    to(agent, library)
    mine = edit(agent).read_text()
    library.write("skills/csv-tables/SKILL.md", mine)
    library.commit()

    assert actions(to(agent, library)) == {"unchanged": ["csv-tables", "pdf-tables"]}


def test_files_left_by_a_run_are_not_an_edit(
    library: LibraryFolder, agent: Path
) -> None:
    to(agent, library)
    left = agent / "csv-tables" / "scripts" / "__pycache__"
    left.mkdir(parents=True)
    (left / "run.cpython-311.pyc").write_bytes(b"x")

    assert actions(to(agent, library)) == {"unchanged": ["csv-tables", "pdf-tables"]}
    library.add_skill("csv-tables", body="# Title\n\nDo it otherwise.\n")
    library.commit()
    assert actions(to(agent, library))["updated"] == ["csv-tables"]
    assert not left.exists()


def test_a_folder_of_another_author_is_never_touched(
    library: LibraryFolder, agent: Path
) -> None:
    shutil.copytree(library.root / "skills/csv-tables", agent / "csv-tables")
    (agent / "own").mkdir()
    before = touched(agent / "csv-tables")

    done = to(agent, library)
    assert actions(done) == {"added": ["pdf-tables"], "foreign": ["csv-tables"]}
    assert not done.ok
    shutil.rmtree(library.root / "skills/csv-tables")
    library.commit()
    assert actions(to(agent, library)) == {"unchanged": ["pdf-tables"]}
    assert touched(agent / "csv-tables") == before
    assert (agent / "own").is_dir()


def test_deleted_files_are_restored(library: LibraryFolder, agent: Path) -> None:
    to(agent, library)
    shutil.rmtree(agent / "csv-tables")

    assert actions(to(agent, library))["added"] == ["csv-tables"]


def test_two_libraries_share_a_folder_and_leave_each_other_alone(
    library: LibraryFolder, agent: Path, tmp_path: Path
) -> None:
    library.git("clone", "--quiet", str(library.root), str(tmp_path / "other"))
    other = LibraryFolder(tmp_path / "other")
    shutil.rmtree(other.root / "skills/csv-tables")
    other.add_skill("xls-tables")
    other.commit()
    to(agent, library)

    done = to(agent, other)
    assert actions(done) == {"added": ["xls-tables"], "foreign": ["pdf-tables"]}
    assert str(library.root) in done.why["pdf-tables"]
    assert actions(to(agent, library)) == {"unchanged": ["csv-tables", "pdf-tables"]}
    assert names(agent) == ["csv-tables", "pdf-tables", "xls-tables"]


def test_a_moved_library_keeps_its_skills(
    library: LibraryFolder, agent: Path, tmp_path: Path
) -> None:
    to(agent, library)
    library.root.rename(tmp_path / "moved")
    moved = LibraryFolder(tmp_path / "moved")
    moved.add_skill("csv-tables", body="# Title\n\nDo it otherwise.\n")
    moved.commit()

    assert actions(to(agent, moved)) == {
        "updated": ["csv-tables"],
        "unchanged": ["pdf-tables"],
    }


def test_a_key_gets_its_arm_and_loses_a_canary_that_is_over(
    library: LibraryFolder, agent: Path
) -> None:
    old = library.git("rev-parse", "main:skills/csv-tables").strip()
    library.add_skill("csv-tables", body="# Title\n\nDo it otherwise.\n")
    library.add_skill("xls-tables")
    library.commit()
    new = library.git("rev-parse", "main:skills/csv-tables").strip()
    fresh = library.git("rev-parse", "main:skills/xls-tables").strip()
    here = library.library
    start = (
        Rollout("csv-tables", "", old, new, 50, 1),
        Rollout("xls-tables", "", "", fresh, 50, 1),
    )
    for rollout in start:
        rollouts.start(here, rollout, WHO)

    results = {(f"k{n}"): to(agent / f"k{n}", library, f"k{n}") for n in range(12)}

    for key, done in results.items():
        text = (agent / key / "csv-tables/SKILL.md").read_text()
        assert ("otherwise" in text) == (done.assignments["csv-tables"].version == new)
        is_there = (agent / key / "xls-tables").exists()
        assert is_there == (done.assignments["xls-tables"].version != "")
        assert ("xls-tables" in done.names(SyncAction.WITHHELD)) != is_there
    assert (
        len({done.assignments["xls-tables"].version for done in results.values()}) == 2
    )
    key = next(
        k for k, done in results.items() if done.assignments["xls-tables"].version
    )
    library.git("update-ref", "-d", "refs/skillforge/rollouts/csv-tables")
    rollouts.start(here, Rollout("xls-tables", "", "", fresh, 0.000001, 1), WHO)
    assert actions(to(agent / key, library, key))["removed"] == ["xls-tables"]


def test_a_dry_run_reports_the_same_and_writes_nothing(
    library: LibraryFolder, agent: Path
) -> None:
    planned = to(agent, library, dry=True)
    assert not agent.exists()
    assert actions(planned) == actions(to(agent, library))
    edit(agent)
    library.add_skill("pdf-tables", body="# Title\n\nDo it otherwise.\n")
    library.add_skill("xls-tables")
    library.commit()
    before = {path: touched(path) for path in agent.rglob("*")}

    planned = to(agent, library, dry=True)

    assert {path: touched(path) for path in agent.rglob("*")} == before
    assert actions(planned) == actions(to(agent, library))


def test_a_skill_that_cannot_be_laid_out_stops_no_other(
    library: LibraryFolder, agent: Path
) -> None:
    to(agent, library)
    commit_tree(library, "120000 blob BLOB\tlink\n")

    done = to(agent, library)

    assert actions(done) == {"refused": ["csv-tables"], "removed": ["pdf-tables"]}
    assert "a symbolic link" in done.why["csv-tables"]
    assert (agent / "csv-tables" / "SKILL.md").is_file()
    assert actions(to(agent, library)) == {"refused": ["csv-tables"]}


@pytest.mark.parametrize("inside", ["skills", "skills/csv-tables", ".git", ".git/x"])
def test_the_library_itself_is_refused_as_an_agents_folder(
    library: LibraryFolder, inside: str
) -> None:
    with pytest.raises(RequestError, match="belongs to the library itself"):
        to(library.root / inside, library)


def test_a_bare_repository_will_do(
    library: LibraryFolder, agent: Path, tmp_path: Path
) -> None:
    library.git("clone", "--quiet", "--bare", str(library.root), str(tmp_path / "bare"))

    done = sync(Library.open(tmp_path / "bare"), "k", agent)

    assert actions(done) == {"added": ["csv-tables", "pdf-tables"]}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "other"}', '{"format": "skillforge/sync/1"}']
)
def test_a_ledger_that_cannot_be_read_stops_before_anything_is_touched(
    library: LibraryFolder, agent: Path, text: str
) -> None:
    to(agent, library)
    (agent / OURS[0]).write_text(text)
    before = files(agent)

    with pytest.raises(ConfigError, match="cannot be read"):
        to(agent, library)
    assert files(agent) == before


def test_the_ledger_names_versions_and_the_library_but_no_key(
    library: LibraryFolder, agent: Path
) -> None:
    to(agent, library, "someone@example.invalid")

    text = (agent / OURS[0]).read_text()
    [(source, skills)] = json.loads(text)["libraries"].items()
    assert source == str(library.root / ".git")
    tree = library.git("rev-parse", "main:skills/csv-tables").strip()
    assert skills["csv-tables"]["tree"] == tree
    assert "someone" not in text


@pytest.mark.slow
def test_the_next_sync_finishes_a_killed_one(
    library: LibraryFolder, agent: Path, tmp_path: Path
) -> None:
    for name in ("edited", "gone"):
        library.add_skill(name)
    library.write("skills/csv-tables/scripts/run.sh", "#!/bin/sh\n")
    library.commit()
    shutil.copytree(library.root / "skills/csv-tables", agent / "foreign")
    to(agent, library)
    edit(agent, "edited")
    old = files(agent)
    shutil.rmtree(library.root / "skills/gone")
    library.write("skills/csv-tables/scripts/run.sh", "#!/bin/sh\nexit 1\n")
    for name in ("edited", "foreign", "new"):
        library.add_skill(name, body=f"# New\n\nDo {name}.\n")
    library.commit()
    main = files(library.root / "skills")
    start = tmp_path / "start"
    shutil.copytree(agent, start)

    number = 1
    while killed_at(number, agent, partial(sync, library.library, "k", agent)):
        there = {path.name for path in agent.iterdir()}
        for name in there & {"csv-tables", "pdf-tables", "gone", "new"}:
            assert part(files(agent), name) in (part(old, name), part(main, name))
        to_the_end(agent, library, old, main)
        shutil.rmtree(agent)
        shutil.copytree(start, agent)
        number += 1

    assert number > 20


def part(of: dict[str, bytes], name: str) -> dict[str, bytes]:
    return {path: data for path, data in of.items() if path.startswith(f"{name}/")}


def to_the_end(
    agent: Path, library: LibraryFolder, old: dict[str, bytes], main: dict[str, bytes]
) -> None:
    """One more sync, after which the folder is as if no process had been killed."""
    done = actions(to(agent, library))
    assert (done["kept"], done["foreign"]) == (["edited"], ["foreign"])
    for name in ("csv-tables", "pdf-tables", "new"):
        assert part(files(agent), name) == part(main, name)
    for name in ("edited", "foreign"):
        assert part(files(agent), name) == part(old, name)
    assert names(agent) == ["csv-tables", "edited", "foreign", "new", "pdf-tables"]


def test_an_edit_of_the_last_moment_is_brought_back_after_a_kill(
    library: LibraryFolder, agent: Path
) -> None:
    to(agent, library)
    aside = agent / ".skillforge-sync" / "old"
    aside.mkdir(parents=True)
    mine = edit(agent).read_text()
    (agent / "csv-tables").rename(aside / "csv-tables")

    assert actions(to(agent, library))["kept"] == ["csv-tables"]
    assert (agent / "csv-tables/SKILL.md").read_text() == mine
    aside.mkdir(parents=True)
    (agent / "csv-tables").rename(aside / "csv-tables")
    (agent / "csv-tables").mkdir()
    with pytest.raises(ConflictError, match="set aside by a sync that was killed"):
        to(agent, library)
    assert (aside / "csv-tables/SKILL.md").read_text() == mine


def test_an_edit_during_the_sync_is_detected(
    library: LibraryFolder, agent: Path
) -> None:
    to(agent, library)
    library.add_skill("csv-tables", body="# Title\n\nDo it otherwise.\n")
    library.commit()
    work = partial(synced_beside_an_edit, library.library, agent, "csv-tables")

    assert at_once([work]) == [["csv-tables"]]
    assert (agent / "csv-tables/SKILL.md").read_text().endswith("Mine.\n")
    assert actions(to(agent, library))["kept"] == ["csv-tables"]


def test_two_at_once_are_kept_apart(library: LibraryFolder, agent: Path) -> None:
    for number in range(20):
        library.add_skill(f"skill-{number}")
    library.commit()

    assert all(at_once([partial(synced, library.library, agent)] * 6))
    assert len(names(agent)) == 22
    assert actions(to(agent, library, dry=True)).keys() == {"unchanged"}


def test_the_usual_places_of_agents(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for profile in BUILT_IN.values():
        monkeypatch.delenv(profile.variable or "UNUSED", raising=False)

    def shown(agent: str, project: Path | None = None) -> str:
        return skills_folder(agent, project).relative_to(tmp_path).as_posix()

    assert [shown(agent) for agent in BUILT_IN] == [
        ".claude/skills",
        ".codex/skills",
        ".hermes/skills",
        ".agents/skills",
    ]
    assert [shown(agent, tmp_path / "p") for agent in BUILT_IN] == [
        "p/.claude/skills",
        "p/.agents/skills",
        "p/.hermes/skills",
        "p/.agents/skills",
    ]
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert shown("claude") == "moved/skills"


def test_names_that_could_be_anything_else_are_not_laid_out(
    library: LibraryFolder, agent: Path
) -> None:
    library.write("skills/.hidden/SKILL.md", skill_md("hidden"))
    library.write("skills/README.md", "No skill.\n")
    library.commit()

    done = to(agent, library)

    assert done.names(SyncAction.REFUSED) == [".hidden"]
    assert names(agent) == ["csv-tables", "pdf-tables"]


@pytest.mark.parametrize("inner", ["", "old"])
def test_a_link_in_the_place_of_its_own_folder_brings_nothing_in(
    library: LibraryFolder, agent: Path, tmp_path: Path, inner: str
) -> None:
    precious = tmp_path / "precious" / ("" if inner else "old")
    (precious / "mine").mkdir(parents=True)
    link = agent / ".skillforge-sync" / inner
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "precious")

    to(agent, library)

    assert names(agent) == ["csv-tables", "pdf-tables"]
    assert (precious / "mine").is_dir()


@pytest.mark.parametrize("name", ["../mine", "..", "a/b", ""])
def test_a_ledger_with_paths_outside_the_folder_is_refused(
    library: LibraryFolder, agent: Path, name: str
) -> None:
    to(agent, library)
    shutil.copytree(agent / "csv-tables", agent.parent / "mine")
    ledger = json.loads((agent / OURS[0]).read_text())
    [puts] = ledger["libraries"].values()
    puts[name] = {"tree": puts["csv-tables"]["tree"]}
    (agent / OURS[0]).write_text(json.dumps(ledger))

    with pytest.raises(ConfigError, match="cannot be a skill's name"):
        to(agent, library)
    assert (agent.parent / "mine").is_dir()
