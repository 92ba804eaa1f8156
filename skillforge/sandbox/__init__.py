"""Where untrusted code runs: the contract that every backend keeps.

A job sees its skill at /skill, read-only; its own empty work directory, which is where
it starts and the only place it may write; the system's programs; and nothing else: no
network, no home, no variables of ours, no process but its own. When it ends, or a limit
ends it, nothing of it is left.
"""

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

from skillforge.errors import RequestError, ToolError

MB = 1 << 20
# Begins the paths in a job's words, until a sandbox knows where they begin. No word
# that a process is given can hold it.
ROOT = "\0"
SKILL_DIR = "/skill"
WORK_DIR = "/work"
HOME_DIR = "/home/agent"
SHARED_DIR = "/dev/shm"  # which programs share memory by; small
USER_ID = 65534  # nobody's
# All variables that a job has, beside its PATH and those of its case.
ENVIRONMENT = {
    "HOME": HOME_DIR,
    "USER": "agent",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TMPDIR": WORK_DIR,
    "SKILL_DIR": SKILL_DIR,
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use, with all the processes that it starts."""

    seconds: float = 30
    cpu_seconds: int = 60
    memory: int = 512 * MB
    processes: int = 64
    open_files: int = 256
    file_size: int = 64 * MB
    work_size: int = 64 * MB
    work_files: int = 10_000
    output: int = MB  # for each of standard output and standard error

    def over(self, name: str) -> str:
        """That a job went over one of these, in words."""
        return {
            "seconds": f"it took longer than {self.seconds:g} s",
            "cpu_seconds": f"it used more than {self.cpu_seconds} s of processor time",
            "memory": f"it used more than {self.memory >> 20:,} MB of memory",
            "processes": f"it started more than {self.processes} processes",
            "file_size": f"it wrote a file of more than {self.file_size:,} bytes",
            "work_size": f"its work directory is full ({self.work_size >> 20:,} MB)",
            "work_files": f"it made more than {self.work_files:,} files",
            "output": f"it wrote more than {self.output:,} bytes",
        }[name]

    def of_code(self, code: int) -> str:
        """The limit that the kernel ended a program for, by its exit code."""
        names = {128 + signal.SIGXCPU: "cpu_seconds", 128 + signal.SIGXFSZ: "file_size"}
        return self.over(names[code]) if code in names else ""


@dataclass(frozen=True, slots=True)
class Job:
    """One command, and what it finds when it starts.

    `files` and `links` are put into the work directory, `mounts` are further folders
    that it may read, by where it sees them. `wanted` names files of the work directory
    to bring back. A path of the sandbox in `argv`, `links` or `env` begins with `ROOT`.
    """

    argv: tuple[str, ...]
    skill: Path
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    mounts: Mapping[str, Path] = field(default_factory=dict)
    wanted: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    has_traps: bool = False

    def at(self, root: str) -> "Job":
        """The same job, where the paths of its words begin at a folder."""
        return replace(
            self,
            argv=tuple(word.replace(ROOT, root) for word in self.argv),
            links={path: to.replace(ROOT, root) for path, to in self.links.items()},
            env={name: text.replace(ROOT, root) for name, text in self.env.items()},
        )


class WorkFile(NamedTuple):
    """A path of the work directory after the job; `data` is a file's only."""

    kind: str  # file, large file (cut), folder, link, other, unreadable
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class JobResult:
    """How a job ended, as seen from outside.

    `limit` says which limit ended it; empty if none did. `sprung` says which of the
    traps it went into.
    """

    code: int
    out: bytes
    err: bytes
    seconds: float
    limit: str = ""
    is_timeout: bool = False
    found: Mapping[str, WorkFile] = field(default_factory=dict)
    sprung: tuple[str, ...] = ()
    tried_to_connect: bool = False


class SandboxError(ToolError):
    """The job could not be run at all; it has neither passed nor failed."""


class Sandbox(Protocol):
    """A place to run a job in."""

    name: str

    def about(self) -> str:
        """Which program it is, for people and for telling environments apart."""
        ...

    def gaps(self) -> list[str]:
        """What of the contract does not hold here; with any of it, nothing is run."""
        ...

    def weaknesses(self) -> list[str]:
        """What it does less well than the contract says, and does no harm.

        Never anything of network, secrets or writes. The policy decides whether a
        sandbox with such a weakness is used.
        """
        ...

    def run(self, job: Job) -> JobResult: ...


NAMES = ("bubblewrap", "landlock", "docker", "podman")
NONE = "none"
_CHOICE = "SKILLFORGE_SANDBOX"


def backend(name: str) -> Sandbox:
    """A backend by its name, whether or not it works here."""
    from skillforge.sandbox.bubblewrap import Bubblewrap
    from skillforge.sandbox.container import Container
    from skillforge.sandbox.landlock import Landlock

    if name not in NAMES:
        known = ", ".join((*NAMES, NONE))
        raise RequestError(
            f"there is no sandbox {name!r}", hint=f"choose one of {known}"
        )
    if name == "landlock":
        return Landlock()
    return Bubblewrap() if name == "bubblewrap" else Container(name)


@cache
def choose(*, is_strict: bool = False) -> tuple[Sandbox | None, str]:
    """The sandbox to use, or why there is none: what each of them lacks.

    `is_strict` accepts only a sandbox without weaknesses.
    """
    wanted = os.environ.get(_CHOICE)
    if wanted == NONE:
        return None, f"turned off by {_CHOICE}={NONE}"
    lacking = []
    for name in [wanted] if wanted else NAMES:
        sandbox = backend(name)
        gaps = sandbox.gaps()
        if not gaps and is_strict and (weak := sandbox.weaknesses()):
            gaps = [f"the policy asks for a full sandbox (tests.sandbox); {weak[0]}"]
        if not gaps:
            return sandbox, ""
        lacking.append(f"{name}: {', '.join(gaps[:3])}")
    return None, "; ".join(lacking)
