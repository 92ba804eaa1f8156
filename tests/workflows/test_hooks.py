"""Agents call when a session ends, wait for nothing, and are called back by nobody."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from skillforge.cli.hook import _AGENTS
from skillforge.learn.hooks import AGENTS
from skillforge.workflows import hooks
from tests.conftest import LibraryFolder, Ran, Run, skill_md
from tests.learn.conftest import export_run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home, with nothing of agents in it."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def hook(library: LibraryFolder, run: Run, home: Path) -> Any:
    def call(*words: str) -> Ran:
        return run("hook", *words, "--library", str(library.root))

    return call


def test_the_command_line_knows_every_agent() -> None:
    assert set(_AGENTS) == set(AGENTS)


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_a_hook_is_installed_backed_up_and_removed(
    hook: Any, home: Path, agent: str
) -> None:
    file = home / f".{AGENTS[agent].home}" / AGENTS[agent].file
    file.parent.mkdir()
    text = "# mine\nmodel: x\n" if agent == "hermes" else '{\n  "model": "x"\n}\n'
    file.write_text(text)
    file.chmod(0o600)

    rehearsed = hook("install", agent, "--dry-run")
    assert (rehearsed.code, file.read_text()) == (0, text)
    assert "+" in rehearsed.out
    assert hook("install", agent).code == 0
    done = file.read_text()
    assert f"hook run {agent}" in done
    assert file.stat().st_mode & 0o777 == 0o600
    [backup] = file.parent.glob("*.bak")
    assert backup.read_text() == text
    assert "nothing to change" in hook("install", agent).out
    assert hook("status", "--json").data["agents"][agent] is True
    assert hook("remove", agent).code == 0
    assert file.read_text() == text
    assert "nothing to change" in hook("remove", agent).out


def test_a_configuration_that_cannot_be_read_is_left_alone(
    hook: Any, home: Path
) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text("{ // mine\n}")

    ran = hook("install", "claude-code")

    assert ran.code == 2
    assert "nothing was changed" in ran.err
    assert file.read_text() == "{ // mine\n}"
    assert not list(file.parent.glob("*.bak"))
    assert "is not JSON" in hook("status").out


def test_a_link_stays_a_link(hook: Any, home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").symlink_to(real)

    hook("install", "claude-code")

    assert (home / ".claude/settings.json").is_symlink()
    assert "hook run" in real.read_text()


def test_hermes_gets_a_layout_that_it_only_reads(
    hook: Any, home: Path, library: LibraryFolder
) -> None:
    assert hook("install", "hermes", "--layout").code == 0
    text = (home / ".hermes/config.yaml").read_text()
    folder = hooks.layout(library.library)

    assert str(folder) in text
    assert sorted(path.name for path in folder.iterdir() if path.name[0] != ".") == [
        "csv-tables",
        "pdf-tables",
    ]
    for path in (folder / "csv-tables", folder / "csv-tables/SKILL.md"):
        assert not path.stat().st_mode & 0o222
    library.write("skills/csv-tables/SKILL.md", skill_md("csv-tables", body="# New\n"))
    library.commit()
    hooks.lay_out(library.library, "hermes")
    assert "# New" in (folder / "csv-tables/SKILL.md").read_text()
    assert not (folder / "csv-tables/SKILL.md").stat().st_mode & 0o222
    assert "nothing to change" in hook("install", "hermes").out
    hook("remove", "hermes")
    assert str(folder) not in (home / ".hermes/config.yaml").read_text()


def test_hermes_gets_a_tap_of_a_library_on_github(
    hook: Any, home: Path, library: LibraryFolder
) -> None:
    assert "not on github.com" in hook("install", "hermes", "--tap").err
    library.git("remote", "add", "origin", "git@github.com:acme/skills.git")

    assert hook("install", "hermes", "--tap").code == 0

    taps = json.loads((home / ".hermes/skills/.hub/taps.json").read_text())
    assert taps == {"taps": [{"repo": "acme/skills", "path": "skills/"}]}


def test_layout_and_tap_are_for_hermes(hook: Any) -> None:
    assert hook("install", "codex", "--tap").code == 2


def transcript(folder: Path, runs: int) -> Path:
    path = folder / "session.jsonl"
    rows = [export_run(f"table-{number}s") for number in range(runs)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def ended(library: LibraryFolder, path: Path, session: str = "s1") -> dict[str, Any]:
    call = hooks.HookCall(session, str(path))
    return hooks.see_to(AGENTS["claude-code"], library.library, call)


def test_a_session_is_captured_once_ten_calls_have_come(
    library: LibraryFolder, tmp_path: Path
) -> None:
    first = ended(library, transcript(tmp_path, 1))
    second = ended(library, transcript(tmp_path, 2))
    third = ended(library, transcript(tmp_path, 3))
    other = ended(library, transcript(tmp_path, 1), "s2")

    assert (first["calls"], first["kept"]) == (5, None)
    assert (second["calls"], second["kept"]) == (10, 2)
    assert (third["since"], third["kept"]) == (5, None)
    assert other["kept"] is None


def test_status_reports_errors(
    library: LibraryFolder, hook: Any, tmp_path: Path
) -> None:
    assert "no runs yet" in hook("status").out
    ended(library, tmp_path / "nowhere.jsonl")

    assert "nowhere.jsonl does not exist" in hook("status").out
    assert "error" in hook("status", "--json").data["last"]


def doctor_item(run: Run, library: LibraryFolder) -> dict[str, Any] | None:
    items = run("doctor", "--json", "--library", str(library.root)).data["items"]
    return next((item for item in items if item["name"] == "agent hooks"), None)


def test_doctor_reports_a_failed_run_until_one_succeeds(
    library: LibraryFolder, run: Run, home: Path, tmp_path: Path
) -> None:
    assert doctor_item(run, library) is None

    ended(library, tmp_path / "nowhere.jsonl")
    item = doctor_item(run, library)
    assert item is not None
    assert not item["ok"]
    assert not item["required"]
    assert "nowhere.jsonl does not exist" in item["detail"]
    assert "hook run claude-code --debug" in item["hint"]

    ended(library, transcript(tmp_path, 1))
    item = doctor_item(run, library)
    assert item is not None
    assert item["ok"]


def test_hermes_is_asked_for_a_session_that_is_in_its_database(
    library: LibraryFolder, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = transcript(tmp_path, 2)
    program = tmp_path / "bin" / "hermes"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n[ "$5" = sess_1 ] && cat {source} > "$3"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    entry = hooks.see_to(AGENTS["hermes"], library.library, hooks.HookCall("sess_1"))
    gone = hooks.see_to(AGENTS["hermes"], library.library, hooks.HookCall("sess_2"))

    assert entry["kept"] == 2
    assert "could not export" in gone["error"]
    assert not list((library.root / ".git/skillforge").glob("hermes-*"))


@pytest.mark.parametrize(
    ("text", "call"),
    [
        pytest.param("", hooks.HookCall(), id="nothing"),
        pytest.param("{", hooks.HookCall(), id="broken"),
        pytest.param("[1]", hooks.HookCall(), id="list"),
        pytest.param(
            '{"session_id": "--x", "transcript_path": 3}', hooks.HookCall(), id="odd"
        ),
        pytest.param('{"session_id": "../x"}', hooks.HookCall(), id="path"),
        pytest.param(
            '{"session_id": "a-1", "transcript_path": null}',
            hooks.HookCall("a-1"),
            id="codex",
        ),
    ],
)
def test_any_input_of_an_agent_is_parsed_or_skipped(
    text: str, call: hooks.HookCall
) -> None:
    assert hooks.HookCall.of(text) == call
