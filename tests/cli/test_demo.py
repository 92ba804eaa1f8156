"""`demo`: the story is true, it touches nothing of the caller's, and it can be left."""

import json
import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillforge import sandbox
from skillforge.cli import demo_run, demo_steps
from skillforge.cli.demo_steps import Chapter, DemoStep
from skillforge.resources import demo_files
from tests.conftest import LibraryFolder, Run

DEMO = [sys.executable, "-m", "skillforge", "demo"]
ONE_OFFS = {"Find out why", "Plan the seats", "Translate the", "Bring the", "The map"}
SECRETS = ("tulip-anchor-7", "qF7vK2mZr81xTnB4", "mei.tanaka", "/home/bo", "46 70 174")


class Shown(NamedTuple):
    """A demo that was kept, inside a library of somebody else."""

    caller: LibraryFolder
    before: str
    folder: Path
    ran: "subprocess.CompletedProcess[str]"

    @property
    def library(self) -> LibraryFolder:
        return LibraryFolder(self.folder / "library")

    def asked(self, *arguments: str) -> dict[str, Any]:
        command = [*DEMO[:-1], *arguments, "--json"]
        place = self.library.root
        ran = subprocess.run(command, cwd=place, capture_output=True, check=True)
        data: dict[str, Any] = json.loads(ran.stdout)["data"]
        return data


def _state(library: LibraryFolder) -> str:
    refs = library.git("for-each-ref")
    return refs + library.git("status", "--porcelain", "--branch", "-uall")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """One run for many tests, with all in the environment that could mislead it."""
    folder = tmp_path_factory.mktemp("caller")
    caller = LibraryFolder(folder / "checkout")
    caller.root.mkdir()
    (folder / "gitconfig").write_text("[commit]\n\tgpgsign = true\n")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            patch.delenv(name)
        caller.git("init", "--quiet")
        caller.write(".git/info/exclude", "kept/\n")
        caller.add_skill("csv-tables")
        caller.git("add", "--all")
        before = _state(caller)
    env = os.environ | {
        "SKILLFORGE_LIBRARY": str(caller.root),
        "GIT_DIR": str(caller.root / ".git"),
        "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
    }
    command = [*DEMO, "--keep", "kept", "--json"]
    ran = subprocess.run(
        command, cwd=caller.root, env=env, capture_output=True, text=True, check=False
    )
    return Shown(caller, before, caller.root / "kept", ran)


def test_the_demo_runs_as_announced(shown: Shown) -> None:
    assert shown.ran.returncode == 0, shown.ran.stderr
    answer = json.loads(shown.ran.stdout)  # one object; the story is for people
    assert answer["ok"]
    assert answer["data"]["problem"] is None
    assert shown.ran.stderr.count("\n$ ") == answer["data"]["steps"]
    assert shown.ran.stderr.count("\n== ") == 9


def test_the_demo_leaves_the_callers_library_alone(shown: Shown) -> None:
    assert _state(shown.caller) == shown.before


def test_the_gate_reports_why_it_refuses(shown: Shown) -> None:
    output = shown.ran.stderr

    assert "[hidden-instruction]" in output
    assert "[secret-to-network]" in output
    if sandbox.choose()[0] is not None:
        assert "a key planted as a trap" in output
        assert "expected 'billing-2026-07-05.log.gz', got 'billing-2026-07-5" in output
    proposals = shown.asked("proposals", "--all")["proposals"]
    states = {proposal["number"]: proposal["state"] for proposal in proposals}
    assert [states[number] for number in (1, 2, 3)] == ["merged", "closed", "closed"]


def test_the_transcripts_are_three_tasks_and_the_one_offs_stay_out(
    shown: Shown,
) -> None:
    tasks = {
        example["id"]: example["task"]
        for example in shown.asked("examples", "list", "--status", "approved")[
            "examples"
        ]
    }
    found = shown.asked("patterns", "--rebuild")

    members = [
        [tasks[example] for example in pattern["examples"]]
        for pattern in found["patterns"]
    ]
    firsts = {frozenset(task.split()[0] for task in some) for some in members}
    assert firsts == {frozenset({verb}) for verb in ("Export", "Archive", "Update")}
    assert sorted(map(len, members)) == [6, 6, 8]
    waiting = [tasks[example] for example in found["unclustered"]]
    assert len(waiting) == len(ONE_OFFS)
    assert all(
        any(task.startswith(one_off) for one_off in ONE_OFFS) for task in waiting
    )


def test_failures_became_pitfalls(shown: Shown) -> None:
    page = shown.library.git("show", "main:skills/export-table/SKILL.md")

    assert "2 of 2 failed runs" in page.partition("## Pitfalls")[2]


def test_what_is_private_in_the_transcripts_reaches_no_commit(shown: Shown) -> None:
    raw = b"".join(demo_files().values()).decode()
    commits = shown.library.git("rev-list", "--all").split()

    for secret in SECRETS:
        assert secret in raw
        grep = ["git", "grep", "-F", "-e", secret, *commits]
        found = subprocess.run(grep, cwd=shown.library.root, capture_output=True)
        assert found.returncode == 1, found.stdout


def test_the_next_commands_of_a_kept_demo_work(shown: Shown, run: Run) -> None:
    first, *commands = map(shlex.split, json.loads(shown.ran.stdout)["data"]["next"])

    assert first == ["cd", str(shown.library.root)]
    assert len(commands) == 3
    for _, *arguments in commands:
        ran = run(*arguments, "--library", str(shown.library.root))
        assert ran.code == 0, ran.err
    [opened] = shown.asked("proposals")["proposals"][-1:]
    assert (opened["skill"], opened["state"]) == ("update-dependency", "open")


def test_a_folder_that_holds_something_is_not_kept_in(shown: Shown, run: Run) -> None:
    before = _state(shown.library)

    ran = run("demo", "--keep", str(shown.folder))

    assert ran.code == 2
    assert "is not empty" in ran.err
    assert _state(shown.library) == before


def test_an_unwritable_path_is_reported(tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").write_text("")

    assert run("demo", "--keep", str(tmp_path / "file")).code == 2
    ran = run("demo", "--keep", str(tmp_path / "file" / "inside"))
    assert ran.code == 3
    assert "cannot write in" in ran.err


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, which is also where temporary folders are made."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


@pytest.mark.parametrize(
    ("step", "why"),
    [
        pytest.param(
            DemoStep("", "skillforge validate"), "exited with 2, not 0", id="exit code"
        ),
        pytest.param(
            DemoStep("", "skillforge init", shows=("wrote gold",)),
            "did not print 'wrote gold'",
            id="words",
        ),
        pytest.param(
            DemoStep("", "git frob"), "exited with 1, not 0", id="another program"
        ),
    ],
)
def test_a_story_that_is_not_true_is_a_no(
    here: Path, run: Run, monkeypatch: pytest.MonkeyPatch, step: DemoStep, why: str
) -> None:
    after = DemoStep("", "skillforge doctor")
    story = [Chapter("Start", [step, after])]
    monkeypatch.setattr(demo_steps, "chapters", lambda _root: story)

    ran = run("demo")

    assert ran.code == 1
    assert f"the demo failed: `{step.line}` {why}" in ran.out
    assert after.line not in ran.out
    assert list(here.iterdir()) == []
    assert Path.cwd() == here


def test_later_steps_can_use_the_output_of_a_step(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [
        DemoStep("", "git --version", shows=(r"version (?P<major>\d)",)),
        DemoStep("Then", "git rev-parse --sq-quote {major}", shows=(r"'\d'",)),
    ]
    monkeypatch.setattr(demo_steps, "chapters", lambda _root: [Chapter("One", steps)])

    with demo_run.folder(None) as root:
        first, second = demo_run.run_steps(root)

    assert (first.typed.title, second.typed.title) == ("One", "")
    assert (
        second.typed.command == f"git rev-parse --sq-quote {second.output.strip()[1]}"
    )
    assert not first.problem
    assert not second.problem


def test_pausing_without_a_terminal_is_refused(here: Path) -> None:
    ran = subprocess.run(
        [*DEMO, "--pause"], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )

    assert ran.returncode == 2
    assert "--pause needs a terminal" in ran.stderr
    assert ran.stdout == ""


class Terminal(NamedTuple):
    """A demo on a terminal, and the end that a person would sit at."""

    process: "subprocess.Popen[bytes]"
    end: int

    def read_until(self, words: str) -> str:
        output = b""
        until = time.monotonic() + 60
        while words.encode() not in output and time.monotonic() < until:
            if select.select([self.end], [], [], 1)[0]:
                output += os.read(self.end, 4096)
        assert words.encode() in output
        return output.decode()

    def type(self, keys: bytes) -> None:
        os.write(self.end, keys)


@contextmanager
def _terminal(*options: str, **env: str) -> Iterator[Terminal]:
    """The demo as a shell starts it: on a terminal that can interrupt it."""
    mine, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _ON_TERMINAL, *options],
        stdin=its,
        stdout=its,
        stderr=its,
        env=os.environ | env,
        start_new_session=True,
    )
    os.close(its)
    try:
        yield Terminal(process, mine)
    finally:
        process.kill()
        process.wait()
        os.close(mine)


_ON_TERMINAL = """\
import fcntl, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
# What a shell starts in the background ignores this, and all that it starts does.
signal.signal(signal.SIGINT, signal.default_int_handler)
from skillforge.cli import main
main(["demo", *sys.argv[1:]])
"""


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_pausing_waits_for_enter_and_can_be_left(here: Path, key: bytes) -> None:
    with _terminal("--pause") as terminal:
        output = terminal.read_until("Enter continues")
        assert output.count("$ ") == 1
        terminal.type(b"\n")
        terminal.read_until("Enter continues")
        assert list(here.iterdir()) != []
        terminal.type(key)
        terminal.read_until("interrupted")
        assert terminal.process.wait(30) == 130
    assert list(here.iterdir()) == []


def test_a_reader_may_go_away(here: Path) -> None:
    line = f"{shlex.join(DEMO)} | head -n 3"

    ran = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)

    assert ran.stderr == ""
    assert list(here.iterdir()) == []


def test_headings_are_coloured_only_if_that_is_wanted(here: Path) -> None:
    with _terminal("--pause", NO_COLOR="") as terminal:
        assert "\x1b[" in terminal.read_until("Enter continues").partition("$")[0]
    with _terminal("--pause", NO_COLOR="1") as terminal:
        assert "\x1b[" not in terminal.read_until("Enter continues")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_demo_that_is_killed_leaves_nothing_with_the_caller(
    library: LibraryFolder, here: Path, number: signal.Signals
) -> None:
    before = _state(library)
    with subprocess.Popen(DEMO, cwd=library.root, stdout=subprocess.PIPE) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if b"$ skillforge patterns" in line:
                break
        demo.send_signal(number)
        demo.stdout.read()

    assert demo.returncode in (-number, 128 + number)
    assert _state(library) == before
    if number is not signal.SIGKILL:
        assert list(here.iterdir()) == []


@pytest.mark.slow
def test_the_demo_leaves_nothing(here: Path, run: Run) -> None:
    ran = run("demo")

    assert ran.code == 0
    assert "steps ended as expected" in ran.out
    assert list(here.iterdir()) == []
    assert Path.cwd() == here


@pytest.mark.slow
def test_the_demo_reports_a_missing_sandbox(here: Path) -> None:
    ran = subprocess.run(
        [*DEMO, "--keep", "kept"],
        env=os.environ | {"SKILLFORGE_SANDBOX": "podman", "PATH": _few_programs(here)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert "== No sandbox on this machine" in ran.stdout
    assert "[trial-not-run]" in ran.stdout
    assert not (here / "kept" / "library" / "skills" / "archive-log").exists()


def _few_programs(folder: Path) -> str:
    """A PATH with what the demo needs, and no podman."""
    programs = folder / "programs"
    programs.mkdir()
    for name in ("cat", "git", "mkdir", "mv", "sed", "sh"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    return str(programs)
