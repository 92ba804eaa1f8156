"""A shell completes commands, skills and proposals, and never shows an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run

SKILLFORGE = Path(sys.executable).with_name("skillforge")


def completed(line: str, folder: Path) -> list[str]:
    """What bash is offered for the last word of a line."""
    words = line.split(" ")
    asked = {
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_SKILLFORGE_COMPLETE": "bash_complete",
    }
    done = subprocess.run(
        [str(SKILLFORGE)],
        cwd=folder,
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [row.partition(",")[2] for row in done.stdout.split("\n") if row]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        pytest.param("skillforge va", ["validate"], id="command"),
        pytest.param("skillforge canary st", ["status"], id="inner-command"),
        pytest.param("skillforge log ", ["csv-tables", "pdf-tables"], id="skills"),
        pytest.param("skillforge validate pd", ["pdf-tables"], id="target"),
        pytest.param("skillforge draft 4f --into c", ["csv-tables"], id="option"),
        pytest.param("skillforge rules yaml-col", ["yaml-colon"], id="rule"),
        pytest.param("skillforge validate --fi", ["--fix"], id="option-name"),
        pytest.param("skillforge nonsense x", [], id="no-command"),
    ],
)
def test_what_is_there_is_offered(
    line: str, offered: list[str], library: LibraryFolder
) -> None:
    assert completed(line, library.root) == offered


def test_open_proposals_are_offered(library: LibraryFolder, run: Run) -> None:
    library.write("skillforge.yaml", "checks: [validate]\n")
    library.commit("Set the policy")
    library.add_skill("csv-tables", body="# Another\n\nDo that, then this.\n")
    where = ("--library", str(library.root))
    assert run("propose", "csv-tables", *where).code == 0

    assert completed("skillforge review ", library.root) == ["1"]
    assert run("close", "1", *where).code == 0
    assert completed("skillforge review ", library.root) == []


def test_a_bare_repository_offers_what_main_holds(
    library: LibraryFolder, tmp_path: Path, run: Run
) -> None:
    library.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))

    assert completed("skillforge log csv", tmp_path / "bare") == ["csv-tables"]
    assert "bare, 2 skills" in run("doctor", "--library", str(tmp_path / "bare")).out


def test_outside_of_a_library_nothing_is_offered(tmp_path: Path) -> None:
    assert completed("skillforge log ", tmp_path) == []
    assert completed("skillforge promote ", tmp_path) == []


def test_bash_takes_the_script(library: LibraryFolder) -> None:
    script = (
        f'PATH={SKILLFORGE.parent}:$PATH; eval "$(skillforge completion bash)"; '
        "COMP_WORDS=(skillforge log csv); COMP_CWORD=2; "
        '_skillforge_completion skillforge; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script], cwd=library.root, capture_output=True, text=True
    )

    assert (done.stdout.strip(), done.stderr) == ("csv-tables", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(shell: str, run: Run) -> None:
    assert f"_SKILLFORGE_COMPLETE={shell}_complete" in run("completion", shell).out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["valdate"], "'valdate'; did you mean `validate`?", id="command"),
        pytest.param(["canary", "stauts"], "did you mean `status`?", id="inner"),
        pytest.param(["examples", "aprove"], "did you mean `approve`?", id="examples"),
        pytest.param(["hook", "remve"], "did you mean `remove`?", id="hook"),
        pytest.param(["--libary", "."], "did you mean `--library`?", id="option"),
        pytest.param(["validate", "--fxi"], "did you mean `--fix`?", id="inner-option"),
    ],
)
def test_a_slip_gets_the_nearest_name(words: list[str], message: str, run: Run) -> None:
    ran = run(*words)

    assert ran.code == 2
    assert ran.err.startswith("error: no such ")
    assert message in ran.err


def test_missing_arguments_are_reported_on_one_line(run: Run) -> None:
    assert len(run("completion").err.strip().split("\n")) == 2


def test_a_group_without_a_command_prints_its_help(run: Run) -> None:
    for words in ([], ["canary"]):
        ran = run(*words)

        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("Usage: skillforge")
        assert "\nCommands:\n" in ran.err or "\nSet up:\n" in ran.err
