"""Commands as processes: forked from a Python that is warm, killed at any instant."""

import ctypes
import gc
import importlib
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillforge import cli
from skillforge.checks import registry
from skillforge.checks.scan import scan
from skillforge.library import read_folder

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_PAUSE = 0.003
_LONGEST = 120.0  # seconds that any command may take


@dataclass(frozen=True)
class Command:
    """What somebody does; `about` is what the model has to know of it.

    With `work` it is a function of ours, called in the process, instead of skillforge.
    """

    kind: str
    place: str
    arguments: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    stdin: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    work: Callable[[], dict[str, Any]] | None = None

    @property
    def line(self) -> str:
        return f"{self.kind} in {self.place}: {' '.join(self.arguments)}"


@dataclass(frozen=True)
class Ended:
    """How a command ended; one that was killed has no code."""

    command: Command
    code: int | None
    out: str
    err: str
    start: float
    end: float
    most_memory: int = 0  # KiB

    @property
    def was_killed(self) -> bool:
        return self.code is None

    @property
    def answer(self) -> dict[str, Any]:
        """The JSON object that it printed; empty if it printed none."""
        try:
            answer = json.loads(self.out)
        except ValueError:
            return {}
        return answer if isinstance(answer, dict) else {}

    @property
    def data(self) -> dict[str, Any]:
        return self.answer.get("data") or {}

    @property
    def message(self) -> str:
        return str((self.answer.get("error") or {}).get("message", ""))


@dataclass
class _Running:
    command: Command
    pid: int
    output: Path
    start: float
    kill_at: float | None


def warm_up() -> None:
    """Import and compile what every fork would, once."""
    for name in (name for stage in cli.COMMANDS.values() for name in stage):
        importlib.import_module(f"skillforge.cli.{name.replace('-', '_')}")
    for name in ("git", "jsonschema", "ruamel.yaml", "sqlite3"):
        importlib.import_module(name)
    folder = Path(__file__).parents[2] / "skills" / "csv-profile"
    skill = read_folder(str(folder), folder.name, folder.name)
    scan(skill, skill)
    registry.checks()
    gc.collect()
    gc.freeze()


def adopt_orphans() -> None:
    """What a killed command leaves running becomes ours, so that we see it end."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)


class Crew:
    """Up to so many commands at once; some of them are killed."""

    def __init__(self, top: Path, outputs: Path, luck: random.Random) -> None:
        self.top = top
        self.outputs = outputs
        self.luck = luck
        self.running: dict[int, _Running] = {}
        self.usual: dict[str, float] = {}  # seconds that each kind takes
        self.count = 0

    def start(self, command: Command, *, may_die: float = 0.0) -> None:
        self.count += 1
        output = self.outputs / f"{self.count:06}"
        output.with_suffix(".in").write_text(command.stdin)
        sys.stdout.flush()
        start = time.monotonic()
        pid = os.fork()
        if not pid:
            _be(command, output, self.top)
        kill_at = None
        if not command.work and self.luck.random() < may_die:
            usual = self.usual.get(command.kind, 0.4)
            # What writes does so towards the end.
            first = self.luck.choice((0.0, 0.5))
            kill_at = start + self.luck.uniform(first, 1.1) * usual
        self.running[pid] = _Running(command, pid, output, start, kill_at)

    def kill_at(self, moment: float) -> None:
        """Kill what runs then, unless it has ended."""
        for process in self.running.values():
            process.kill_at = moment

    def ended(self) -> list[Ended]:
        """Those that have come to an end since the last look."""
        self._kill()
        found = []
        for pid in list(self.running):
            done, status, usage = os.wait4(pid, os.WNOHANG)
            if done:
                process = self.running.pop(pid)
                found.append(self._end_of(process, status, usage.ru_maxrss))
        if not found:
            time.sleep(_PAUSE)
        return found

    def _kill(self) -> None:
        now = time.monotonic()
        for process in self.running.values():
            if now - process.start > _LONGEST:
                raise TimeoutError(f"still at it: {process.command.line}")
            if process.kill_at is not None and now >= process.kill_at:
                os.kill(process.pid, signal.SIGKILL)
                process.kill_at = None

    def _end_of(self, process: _Running, status: int, memory: int) -> Ended:
        end, code = time.monotonic(), os.waitstatus_to_exitcode(status)
        was_killed = code == -signal.SIGKILL
        if not was_killed:
            before = self.usual.get(process.command.kind, end - process.start)
            self.usual[process.command.kind] = 0.8 * before + 0.2 * (
                end - process.start
            )
        out, err = (process.output.with_suffix(suffix) for suffix in (".out", ".err"))
        # A process may die before it has made its files.
        texts = [
            p.read_text("utf-8", "replace") if p.exists() else "" for p in (out, err)
        ]
        for path in (out, err, process.output.with_suffix(".in")):
            path.unlink(missing_ok=True)
        shown = None if was_killed else code
        return Ended(
            process.command, shown, texts[0], texts[1], process.start, end, memory
        )

    def wait_for_orphans(self, seconds: float = 60.0) -> None:
        """Wait until nothing of a killed command runs on; all else has to be quiet."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid and time.monotonic() > deadline:
                raise TimeoutError("a process of a killed command goes on for ever")
            if not pid:
                time.sleep(_PAUSE)

    def stop(self) -> None:
        """End what still runs: nobody listens any more."""
        for pid in self.running:
            os.kill(pid, signal.SIGKILL)

    def do(self, command: Command) -> Ended:
        """One command by itself, till it has answered."""
        self.start(command)
        while True:
            if found := self.ended():
                return found[0]


def _be(command: Command, output: Path, top: Path) -> None:
    """What a fork does: it never comes back."""
    code = 70
    try:
        os.setsid()
        for suffix, number in ((".in", 0), (".out", 1), (".err", 2)):
            flags = os.O_RDONLY if number == 0 else os.O_CREAT | os.O_WRONLY
            handle = os.open(output.with_suffix(suffix), flags, 0o600)
            os.dup2(handle, number)
            os.close(handle)
        os.chdir(top)
        os.environ |= command.env
        if command.work:
            print(json.dumps({"data": command.work()}))  # noqa: T201
            code = 0
        else:
            library = ("--library", str(top / command.place), "--json")
            first = 2 if command.arguments[0] == "canary" else 1
            head, rest = command.arguments[:first], command.arguments[first:]
            code = cli.run([*head, *library, *rest])
    except BaseException:  # noqa: BLE001 - told by the traceback, and by the code
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
