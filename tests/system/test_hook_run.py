"""`skillforge hook run` as an agent calls it: it exits 0 and prints nothing, always.

Agents read exit codes as orders: Codex takes exit 2 of a Stop hook as "continue".
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillforge import hook_run
from skillforge.installation import program
from tests.conftest import LibraryFolder
from tests.learn.conftest import export_run

BIN = Path(sys.executable).parent
SCRIPT = str(BIN / "skillforge")
LONGEST = 60  # seconds that the work in the background may take on a busy machine


@pytest.fixture
def logs(library: LibraryFolder, tmp_path: Path) -> list[Path]:
    """Where a hook may write what went wrong: in the library, else in the cache."""
    in_library = library.root / ".git/skillforge/hook.log"
    return [in_library, tmp_path / "skillforge-cache/hook.log"]


def entries(logs: list[Path]) -> list[dict[str, Any]]:
    lines = [line for log in logs if log.exists() for line in log.open()]
    return [json.loads(line) for line in lines if line.endswith("\n")]


def logged(logs: list[Path]) -> dict[str, Any]:
    """The first entry, once the background has written it."""
    deadline = time.monotonic() + LONGEST
    while not (found := entries(logs)):
        assert time.monotonic() < deadline, "nothing was logged"
        time.sleep(0.05)
    return found[0]


def hook(
    *arguments: str, cwd: Path, stdin: bytes = b"{}", **env: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [SCRIPT, "hook", "run", *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **env},
        check=False,
        timeout=LONGEST,
    )


def assert_unnoticed(ran: subprocess.CompletedProcess[bytes]) -> None:
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


BAD_CALLS = {
    "no-arguments": [],
    "unknown-agent": ["copilot"],
    "unknown-option": ["codex", "--wat"],
    "option-without-value": ["codex", "--session"],
    "too-many-words": ["codex", "codex"],
    "missing-library": ["codex", "--library", "/no/such/library"],
    "library-is-a-file": ["codex", "--library", __file__],
    "odd-bytes": ["codex", "--library", "\udcff\udcfe"],
}


@pytest.mark.parametrize("call", BAD_CALLS.values(), ids=BAD_CALLS)
@pytest.mark.parametrize("now", [(), ("--now",)], ids=["background", "now"])
def test_a_bad_call_is_logged_and_not_noticed(
    call: list[str], now: tuple[str, ...], logs: list[Path], library: LibraryFolder
) -> None:
    assert_unnoticed(hook(*call, *now, cwd=library.root))

    assert logged(logs)["error"]


@pytest.mark.parametrize(
    "before",
    [["--library", "hook"], ["--json"], ["--wat"], ["--wat", "x"], ["--wat=x"]],
    ids=" ".join,
)
def test_options_may_come_first(before: list[str], tmp_path: Path) -> None:
    line = [SCRIPT, *before, "hook", *before, "run", "copilot"]
    ran = subprocess.run(line, capture_output=True, check=False, cwd=tmp_path)

    assert ran.returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        "search hook run",
        "--json search hook run",
        "hook status run",
        "-- show hook run",
    ],
)
def test_other_commands_may_have_these_words(words: str) -> None:
    assert not hook_run.is_asked_for(words.split())


def no_git(library: LibraryFolder, tmp_path: Path) -> dict[str, str]:
    return {"PATH": str(tmp_path / "empty")}


def no_library(library: LibraryFolder, tmp_path: Path) -> dict[str, str]:
    return {"SKILLFORGE_LIBRARY": "/no/such/library"}


def corrupt_store(library: LibraryFolder, tmp_path: Path) -> dict[str, str]:
    library.write(".git/skillforge/state.db", "not a database" * 1000)
    return {}


def store_in_the_way(library: LibraryFolder, tmp_path: Path) -> dict[str, str]:
    library.write(".git/skillforge", "a file where the folder should be")
    return {}


def full_disk(library: LibraryFolder, tmp_path: Path) -> dict[str, str]:
    (library.root / ".git/skillforge").mkdir()
    (library.root / ".git/skillforge/state.db").symlink_to("/dev/full")
    return {}


def bad_policy(library: LibraryFolder, tmp_path: Path) -> dict[str, str]:
    library.write("skillforge.yaml", "checks: [\n")
    return {}


def broken_repository(library: LibraryFolder, tmp_path: Path) -> dict[str, str]:
    library.write(".git/HEAD", "garbage")
    library.write(".git/config", "[[[")
    return {}


def no_home(library: LibraryFolder, tmp_path: Path) -> dict[str, str]:
    return {"HOME": "/proc/nowhere", "SKILLFORGE_CACHE": "/proc/nowhere"}


TROUBLES = [
    no_git,
    no_library,
    corrupt_store,
    store_in_the_way,
    full_disk,
    bad_policy,
    broken_repository,
    no_home,
]
Trouble = Callable[[LibraryFolder, Path], dict[str, str]]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.__name__)
@pytest.mark.parametrize("now", [(), ("--now",)], ids=["background", "now"])
def test_trouble_with_the_machine_is_not_noticed(
    trouble: Trouble, now: tuple[str, ...], library: LibraryFolder, tmp_path: Path
) -> None:
    payload = {"session_id": "s1", "transcript_path": str(transcript(tmp_path))}
    env = trouble(library, tmp_path)

    ran = hook(
        "codex", *now, stdin=json.dumps(payload).encode(), cwd=library.root, **env
    )

    assert_unnoticed(ran)


@pytest.mark.parametrize(
    "trouble",
    [corrupt_store, store_in_the_way, full_disk],
    ids=lambda trouble: trouble.__name__,
)
def test_a_store_that_cannot_be_used_is_logged_all_the_same(
    trouble: Trouble, library: LibraryFolder, logs: list[Path], tmp_path: Path
) -> None:
    trouble(library, tmp_path)
    payload = {"session_id": "s1", "transcript_path": str(transcript(tmp_path))}

    assert_unnoticed(
        hook("codex", stdin=json.dumps(payload).encode(), cwd=library.root)
    )

    assert logged(logs)["error"]


def test_outside_of_a_repository(logs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    assert_unnoticed(hook("codex", cwd=tmp_path / "plain"))

    assert "not in a skill library" in logged(logs)["error"]


PAYLOADS = {
    "empty": b"",
    "garbage": b"\x00\xff{{{" * 100,
    "no-object": b"[1, 2]",
    "deep": b"[" * 500_000,
    "huge": b'{"session_id": "' + b"x" * (8 << 20) + b'"}',
}


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("now", [(), ("--now",)], ids=["background", "now"])
def test_odd_input_is_logged_and_not_noticed(
    payload: bytes, now: tuple[str, ...], library: LibraryFolder, logs: list[Path]
) -> None:
    assert_unnoticed(hook("codex", *now, stdin=payload, cwd=library.root))

    assert "sent no session" in logged(logs)["error"]


@pytest.fixture
def open_pipe() -> Iterator[int]:
    """A standard input that nobody writes to and nobody closes."""
    read, write = os.pipe()
    yield read
    os.close(read)
    os.close(write)


def test_an_input_that_stays_open_is_not_waited_for(
    library: LibraryFolder, open_pipe: int
) -> None:
    started = time.monotonic()
    line = [SCRIPT, "hook", "run", "codex"]
    ran = subprocess.run(
        line, stdin=open_pipe, capture_output=True, cwd=library.root, check=False
    )

    assert_unnoticed(ran)
    assert time.monotonic() - started < 5


def test_an_endless_input_takes_little_memory(
    library: LibraryFolder, logs: list[Path]
) -> None:
    with Path("/dev/zero").open("rb") as zeros:
        ran = subprocess.run(
            ["sh", "-c", 'ulimit -v 1000000; exec "$0" hook run codex --now', SCRIPT],
            stdin=zeros,
            capture_output=True,
            cwd=library.root,
            check=False,
            timeout=LONGEST,
        )

    assert_unnoticed(ran)
    assert "sent no session" in logged(logs)["error"]


@pytest.mark.parametrize(
    "streams", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"]
)
@pytest.mark.parametrize("words", ["codex", "codex --now", "--help", "codex --json"])
def test_streams_that_are_closed(
    streams: str, words: str, library: LibraryFolder
) -> None:
    line = f"'{SCRIPT}' hook run {words} {streams}"
    done = subprocess.run(
        ["sh", "-c", line], input=b"", check=False, capture_output=True,
        cwd=library.root,
    )  # fmt: skip

    assert done.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_being_stopped(
    number: signal.Signals, library: LibraryFolder, logs: list[Path], open_pipe: int
) -> None:
    line = [SCRIPT, "hook", "run", "codex", "--now"]
    process = subprocess.Popen(
        line,
        stdin=open_pipe,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=library.root,
    )
    time.sleep(1.5)  # until it waits for its input
    process.send_signal(number)
    out, err = process.communicate(timeout=LONGEST)

    assert (process.returncode, out, err) == (0, b"", b"")
    assert number.name in logged(logs)["error"]


@pytest.fixture
def broken_install(tmp_path: Path) -> Callable[[str, str], dict[str, str]]:
    """The environment of a Python in which one module is broken."""

    def break_module(name: str, text: str) -> dict[str, str]:
        source = Path(__file__).parents[2] / "skillforge"
        copy = tmp_path / "broken/skillforge"
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        target = tmp_path / "broken" / name
        target.write_text(text)
        return {"PYTHONPATH": str(tmp_path / "broken")}

    return break_module


BROKEN = {
    "no-click": ("click.py", "raise ImportError('click is gone')\n"),
    "syntax": ("skillforge/cli/hook.py", "def (\n"),
    "bug": ("skillforge/workflows/hooks.py", "raise TypeError('a bug')\n"),
    "exit": ("skillforge/library.py", "raise SystemExit(2)\n"),
    "noise": (
        "skillforge/workflows/hooks.py",
        "import os\nos.write(1, b'out')\nos.write(2, b'err')\nraise TypeError\n",
    ),
    "processes": ("skillforge/processes.py", "raise RuntimeError('a bug')\n"),
}


@pytest.mark.parametrize(("name", "text"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("now", [(), ("--now",)], ids=["background", "now"])
def test_a_bug_anywhere_is_logged_and_not_noticed(
    name: str,
    text: str,
    now: tuple[str, ...],
    broken_install: Any,
    library: LibraryFolder,
    logs: list[Path],
) -> None:
    ran = hook("codex", *now, cwd=library.root, **broken_install(name, text))

    assert_unnoticed(ran)
    assert logged(logs)["error"]


def test_a_log_that_cannot_be_written_is_not_noticed(
    broken_install: Any, library: LibraryFolder
) -> None:
    env = broken_install("skillforge/store/hook_log.py", "raise RuntimeError\n")

    assert_unnoticed(hook("copilot", "--now", cwd=library.root, **env))


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "module"])
def test_a_project_cannot_slip_in_code_of_its_own(
    has_script: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent works in folders that others wrote; nothing is imported from there."""
    evil = tmp_path / "project"
    evil.mkdir()
    for name in ("skillforge.py", "click.py", "signal.py", "subprocess.py"):
        (evil / name).write_text(f"open({str(tmp_path / 'owned')!r}, 'w')\n")
    with monkeypatch.context() as patch:
        patch.setattr("os.path.isfile", lambda _path: has_script)
        line = [*program(), "hook", "run", "copilot", "--now"]

    subprocess.run(line, cwd=evil, input=b"", check=True)

    assert not (tmp_path / "owned").exists()


def work(*line: str, cwd: Path) -> float:
    """Seconds of a processor that a process takes, without those that it leaves."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(line, cwd=cwd, input=b"{}", check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_an_agent_waits_for_less_than_a_tenth_of_a_second(
    library: LibraryFolder, logs: list[Path]
) -> None:
    """Beside the start of Python itself; it waits for nothing, so its work is all."""
    bare, ours = [], []
    for number in range(5):
        bare.append(work(sys.executable, "-c", "pass", cwd=library.root))
        ours.append(work(SCRIPT, "hook", "run", "codex", cwd=library.root))
        while len(entries(logs)) == number:
            time.sleep(0.05)

    assert min(ours) - min(bare) < 0.1


def transcript(folder: Path) -> Path:
    path = folder / "session.jsonl"
    rows = [export_run(f"table-{number}s") for number in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_work_is_done_in_the_background(
    library: LibraryFolder, logs: list[Path], tmp_path: Path
) -> None:
    path = transcript(tmp_path)
    payload = {"session_id": "abc", "transcript_path": str(path), "reason": "exit"}

    words = ("codex", "--library", str(library.root))
    ran = hook(*words, stdin=json.dumps(payload).encode(), cwd=tmp_path)

    assert_unnoticed(ran)
    entry = logged(logs[:1])
    assert (entry["session"], entry["kept"]) == ("abc", 3)


def test_a_late_writer_is_heard(
    library: LibraryFolder, logs: list[Path], tmp_path: Path
) -> None:
    """Nobody waits for the agent's words, and yet none of them is lost."""
    payload = {"session_id": "abc", "transcript_path": str(transcript(tmp_path))}
    process = subprocess.Popen(
        [SCRIPT, "hook", "run", "codex"], stdin=subprocess.PIPE, cwd=library.root
    )
    assert process.wait(timeout=LONGEST) == 0
    assert process.stdin is not None
    process.stdin.write(json.dumps(payload).encode())
    process.stdin.close()

    assert logged(logs[:1])["kept"] == 3


def test_a_hook_at_work_starts_no_other(
    library: LibraryFolder, logs: list[Path]
) -> None:
    assert_unnoticed(hook("codex", cwd=library.root, SKILLFORGE_HOOK="1"))

    time.sleep(2)
    assert not entries(logs)


def test_people_can_see_what_is_wrong(library: LibraryFolder) -> None:
    unknown = hook("copilot", "--debug", cwd=library.root)
    silent = hook("codex", "--debug", cwd=library.root)

    assert unknown.returncode == silent.returncode == 0
    assert b"copilot" in unknown.stderr
    assert b"sent no session" in silent.stderr
    assert unknown.stdout == silent.stdout == b""


def test_a_bug_is_shown_with_its_place(
    broken_install: Any, library: LibraryFolder
) -> None:
    env = broken_install("skillforge/workflows/hooks.py", "raise TypeError('a bug')\n")

    ran = hook("codex", "--debug", cwd=library.root, **env)

    assert ran.returncode == 0
    assert b"hooks.py" in ran.stderr


def test_json_reports_failures_too(library: LibraryFolder) -> None:
    unknown = hook("copilot", "--json", cwd=library.root)
    silent = hook("codex", "--json", cwd=library.root)

    assert unknown.returncode == silent.returncode == 0
    assert json.loads(unknown.stdout)["ok"] is False
    assert "sent no session" in json.loads(silent.stdout)["data"]["error"]


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_helps(option: str, tmp_path: Path) -> None:
    ran = hook(option, cwd=tmp_path)

    assert ran.returncode == 0
    assert b"--debug" in ran.stdout


@pytest.mark.parametrize(
    "words", [["install", "copilot"], ["remove"], ["status", "--wat"], ["rum"]]
)
def test_other_commands_keep_their_exit_codes(words: list[str], tmp_path: Path) -> None:
    ran = subprocess.run(
        [SCRIPT, "hook", *words], capture_output=True, check=False, cwd=tmp_path
    )

    assert ran.returncode == 2
    assert ran.stderr


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh"])
def test_a_tool_that_was_uninstalled_makes_no_agent_go_on(
    shell: str, tmp_path: Path
) -> None:
    """Shells exit 126 or 127 then, which agents report; only 2 would be an order."""
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    orphan = tmp_path / "orphan"
    orphan.write_text("#!/no/such/python\n")
    orphan.chmod(0o755)
    for path in (orphan, tmp_path / "gone"):
        ran = subprocess.run(
            [shell, "-lc", f"{path} hook run codex"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert ran.returncode in (126, 127)
