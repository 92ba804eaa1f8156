"""What every command promises: envelope, exit codes, errors that say what next."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skillforge import __version__
from skillforge.cli import COMMANDS, cli
from tests.conftest import LibraryFolder, Run

ALL = [name for stage in COMMANDS.values() for name in stage]


def shell(
    *arguments: str, cwd: Path | None = None, **env: str
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "skillforge", *arguments]
    return subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", ALL)
def test_every_command_has_help_and_the_common_options(command: str, run: Run) -> None:
    shown = run(command, "--help")

    assert shown.code == 0
    assert "--library" in shown.out
    assert "--json" in shown.out


def test_help_lists_commands_by_stage(run: Run) -> None:
    shown = run("--help").out

    assert all(f"{stage}:" in shown for stage in COMMANDS)
    assert all(f"  {command} " in shown for command in ALL)


@pytest.mark.parametrize("command", ALL)
def test_the_group_shows_the_help_of_each_command(command: str) -> None:
    import click

    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    assert found.name == command


def test_version() -> None:
    assert shell("--version").stdout == f"skillforge {__version__}\n"


def test_version_imports_nothing_heavy() -> None:
    code = (
        "import sys; from skillforge.cli import run; run(['--version']);"
        "heavy = {'git', 'yaml', 'ruamel', 'jsonschema', 'frontmatter', 'sqlite3',"
        " 'subprocess', 'rich'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["validate", "--json"], id="after"),
        pytest.param(["--json", "validate"], id="before"),
        pytest.param(["validate", "--format", "json"], id="format"),
    ],
)
def test_json_is_one_envelope(
    library: LibraryFolder, run: Run, arguments: list[str]
) -> None:
    ran = run("--library", str(library.root), *arguments)

    assert ran.json == {
        "format": "skillforge/1",
        "command": "validate",
        "ok": True,
        "data": {"skills": 2, "findings": []},
        "error": None,
    }


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(["validate", "nope"], 2, "no skill 'nope'", id="request"),
        pytest.param(["valdate"], 2, "did you mean `validate`", id="command"),
        pytest.param(["validate", "--profil", "x"], 2, "--profil", id="option"),
        pytest.param(["rules", "name-lenght"], 2, "no such rule", id="rule"),
        pytest.param(["new", "csv-tables"], 4, "already exists", id="conflict"),
        pytest.param(["new", "Bad Name"], 2, "is not a valid skill name", id="name"),
        pytest.param(["validate", "--rev", "nope"], 2, "no commit", id="revision"),
    ],
)
def test_an_error_is_readable_by_people_and_scripts(
    library: LibraryFolder,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    monkeypatch.chdir(library.root)

    plain = run(*arguments)
    assert plain.code == code
    assert words in plain.err
    assert plain.out == ""
    assert len(plain.err.splitlines()) <= 3

    scripted = run(*arguments, "--json")
    assert scripted.code == code
    assert scripted.json["ok"] is False
    assert words in scripted.json["error"]["message"]
    assert scripted.json["error"]["exit"] == code
    assert scripted.json["command"] == arguments[0]


def test_outside_a_library_the_next_step_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    ran = run("validate")

    assert ran.code == 2
    assert "skillforge init" in ran.err


@pytest.mark.parametrize("command", ["validate", "list", "doctor", "init"])
def test_a_deleted_current_folder_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    ran = run(command)

    assert (ran.code, ran.out) == (2, "")
    assert "the current folder no longer exists" in ran.err


def test_the_library_comes_from_the_environment(
    library: LibraryFolder, tmp_path: Path
) -> None:
    done = shell("validate", cwd=tmp_path, SKILLFORGE_LIBRARY=str(library.root))

    assert done.stdout == "2 skills checked: all good\n"


def test_a_bug_is_reported_without_a_traceback(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object) -> None:
        raise RuntimeError("oh")

    monkeypatch.setattr("skillforge.checks.all_rules", broken)
    ran = run("rules", "--json")

    assert ran.code == 70
    assert "Traceback" not in ran.err
    assert "RuntimeError: oh" in ran.json["error"]["message"]


def test_missing_git_is_exit_3(library: LibraryFolder) -> None:
    done = shell("validate", "--rev", "HEAD", cwd=library.root, PATH="/nonexistent")

    assert done.returncode == 3
    assert "git is not installed" in done.stderr


def test_a_closed_pipe_is_not_an_error(library: LibraryFolder) -> None:
    command = f"{sys.executable} -m skillforge rules | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True
    )

    assert done.stderr == ""


@pytest.mark.parametrize("format_", ["sarif", "github", "markdown", "junit"])
def test_formats_go_to_stdout_with_the_same_exit_code(
    library: LibraryFolder, run: Run, format_: str
) -> None:
    library.write("skills/csv-tables/SKILL.md", "broken")

    ran = run("validate", "--library", str(library.root), "--format", format_)

    assert ran.code == 1
    assert "frontmatter-missing" in ran.out


def test_rules_prints_a_manual_page(run: Run) -> None:
    assert "put the whole" not in run("rules").out
    assert "Quotes avoid that" in run("rules", "yaml-colon").out


def test_no_colour_in_a_pipe(library: LibraryFolder) -> None:
    library.write("skills/csv-tables/SKILL.md", "broken")

    assert "\x1b" not in shell("validate", cwd=library.root).stdout


def test_an_answer_survives_a_narrow_encoding(library: LibraryFolder) -> None:
    library.add_skill("технология")

    done = shell("validate", cwd=library.root, PYTHONIOENCODING="ascii", LC_ALL="C")

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert json.loads(
        shell("validate", "--json", cwd=library.root, PYTHONIOENCODING="ascii").stdout
    )


def test_ctrl_c_during_the_start_leaves_no_traceback_of_ours(
    library: LibraryFolder,
) -> None:
    """Python's own start, before ours, may still print one."""
    for delay in range(0, 150, 10):
        child = subprocess.Popen(
            [sys.executable, "-m", "skillforge", "validate"],
            cwd=library.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(delay / 1000)
        child.send_signal(signal.SIGINT)
        _out, err = child.communicate()
        assert b"skillforge/" not in err, err.decode()
        assert child.returncode in (0, 1, 130, -signal.SIGINT)
