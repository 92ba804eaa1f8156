"""Where untrusted code runs: the contract of every sandbox.

A job can read its skill at /skill and the system's programs, and write its empty work
directory, where it starts. It has no network, no home, none of our variables, and sees
no other processes. When it ends, or exceeds a limit, none of its processes remain.
"""

import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NamedTuple, Protocol

from skillforge.errors import RequestError, SkillforgeError, ToolError
from skillforge.plugins import load, plugins

MB = 1 << 20
# Prefix of the sandbox's paths in a job, until the sandbox replaces it by its root. No
# argument of a process can contain it.
ROOT = "\0"
SKILL_DIR = "/skill"
WORK_DIR = "/work"
HOME_DIR = "/home/agent"
SHARED_DIR = "/dev/shm"  # small
USER_ID = 65534  # nobody
# The variables of a job, besides PATH and those of its case.
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
    """What a job may use, including all its processes."""

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
        """The message about an exceeded limit."""
        return {
            "seconds": f"it took longer than {self.seconds:g} s",
            "cpu_seconds": f"it used more than {self.cpu_seconds} s of CPU time",
            "memory": f"it used more than {self.memory >> 20:,} MB of memory",
            "processes": f"it started more than {self.processes} processes",
            "file_size": f"it wrote a file of more than {self.file_size:,} bytes",
            "work_size": f"its work directory is full ({self.work_size >> 20:,} MB)",
            "work_files": f"it made more than {self.work_files:,} files",
            "output": f"it wrote more than {self.output:,} bytes",
        }[name]

    def of_code(self, code: int) -> str:
        """The message if an exit code means that the kernel enforced a limit."""
        names = {128 + signal.SIGXCPU: "cpu_seconds", 128 + signal.SIGXFSZ: "file_size"}
        return self.over(names[code]) if code in names else ""


@dataclass(frozen=True, slots=True)
class Job:
    """A command, and its environment.

    `files` and `links` are put into the work directory. `mounts` are more folders to
    read, by their path in the sandbox. `collect` names files of the work directory to
    read afterwards. A path of the sandbox in `argv`, `links` or `env` begins with
    `ROOT`.
    """

    argv: tuple[str, ...]
    skill: Path
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    mounts: Mapping[str, Path] = field(default_factory=dict)
    collect: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    has_traps: bool = False

    def at(self, root: str) -> "Job":
        """The job with `ROOT` replaced by a folder."""
        return replace(
            self,
            argv=tuple(word.replace(ROOT, root) for word in self.argv),
            links={path: to.replace(ROOT, root) for path, to in self.links.items()},
            env={name: text.replace(ROOT, root) for name, text in self.env.items()},
        )


class WorkFile(NamedTuple):
    """A path of the work directory after the job; only files have `data`."""

    kind: str  # file, large file (cut), folder, link, other, unreadable
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class JobResult:
    """How a job ended, as observed from outside.

    `limit` is the message about the limit that ended it, or empty. `triggered` has a
    message for each trap that it triggered. `files` are the collected files.
    """

    code: int
    out: bytes
    err: bytes
    seconds: float
    limit: str = ""
    is_timeout: bool = False
    files: Mapping[str, WorkFile] = field(default_factory=dict)
    triggered: tuple[str, ...] = ()
    tried_to_connect: bool = False


class SandboxError(ToolError):
    """The job could not run at all: it neither passed nor failed."""


class Sandbox(Protocol):
    """Runs jobs."""

    name: str

    def about(self) -> str:
        """Program and version; cached results are valid for the same text only."""
        ...

    def gaps(self) -> list[str]:
        """Broken parts of the contract on this machine; with any, nothing runs."""
        ...

    def weaknesses(self) -> list[str]:
        """Harmless shortcomings, never about network, secrets or writes.

        The policy decides whether a sandbox with weaknesses is used.
        """
        ...

    def run(self, job: Job) -> JobResult: ...


GROUP = "skillforge.sandboxes"
NONE = "none"
ANY, FULL = "any", "full"  # what a policy may ask for instead of a name
_CHOICE = "SKILLFORGE_SANDBOX"


def _bubblewrap() -> Sandbox:
    from skillforge.sandbox.bubblewrap import Bubblewrap

    return Bubblewrap()


def _landlock() -> Sandbox:
    from skillforge.sandbox.landlock import Landlock

    return Landlock()


def _container(engine: str) -> Sandbox:
    from skillforge.sandbox.container import Container

    return Container(engine)


# In the order of preference.
BUILT_IN: Mapping[str, Callable[[], Sandbox]] = {
    "bubblewrap": _bubblewrap,
    "landlock": _landlock,
    "docker": partial(_container, "docker"),
    "podman": partial(_container, "podman"),
}


def names() -> tuple[str, ...]:
    """The names of all sandboxes: the built-in ones first, then those of plugins."""
    return tuple(dict.fromkeys((*BUILT_IN, *plugins(GROUP))))


def backend(name: str) -> Sandbox:
    """A sandbox by name, whether or not it works on this machine."""
    if name in BUILT_IN:
        return BUILT_IN[name]()
    if name in plugins(GROUP):
        return PluginSandbox(name)
    known = ", ".join((*names(), NONE))
    raise RequestError(f"no sandbox {name!r}", hint=f"choose one of {known}")


class PluginSandbox:
    """A sandbox of another package, under the name of its entry point.

    If it cannot be loaded or fails, it has a gap, and nothing runs in it.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def _sandbox(self) -> Sandbox:
        sandbox: Sandbox = load(GROUP, self.name)()
        return sandbox

    def about(self) -> str:
        return f"{self.name}: {self._sandbox.about()}"

    def gaps(self) -> list[str]:
        try:
            return [str(gap) for gap in self._sandbox.gaps()]
        except SkillforgeError as err:
            return [err.message]
        except Exception as err:  # noqa: BLE001 - a plugin may raise anything
            return [f"the plugin failed: {type(err).__name__}: {err}"]

    def weaknesses(self) -> list[str]:
        return self._sandbox.weaknesses()

    def run(self, job: Job) -> JobResult:
        try:
            result = self._sandbox.run(job)
        except (SkillforgeError, OSError):
            raise
        except Exception as err:
            why = f"{type(err).__name__}: {err}"
            raise SandboxError(f"the sandbox {self.name} failed: {why}") from err
        if not isinstance(result, JobResult):
            raise SandboxError(f"the sandbox {self.name} returned no JobResult")
        return result


@cache
def choose(required: str = ANY) -> tuple[Sandbox | None, str]:
    """The sandbox to use; or None and what each candidate lacks.

    `required` is the policy's `tests.sandbox`: any sandbox, a full one (without
    weaknesses), or one by name. A plugin is used only where it is named, by the
    policy or by SKILLFORGE_SANDBOX.
    """
    is_named = required not in (ANY, FULL)
    chosen = os.environ.get(_CHOICE)
    if chosen == NONE:
        return None, f"turned off by {_CHOICE}={NONE}"
    if is_named and chosen and chosen != required:
        return None, f"the policy requires {required}, but {_CHOICE} is {chosen}"
    if is_named and required not in names():
        return None, f"the policy requires {required}, which is not installed"
    candidates = [required] if is_named else [chosen] if chosen else list(BUILT_IN)
    lacking = []
    for name in candidates:
        sandbox = backend(name)
        gaps = _gaps(sandbox, required)
        if not gaps:
            return sandbox, ""
        lacking.append(f"{name}: {', '.join(gaps[:3])}")
    return None, "; ".join(lacking)


def _gaps(sandbox: Sandbox, required: str) -> list[str]:
    """Why a sandbox cannot be used here; empty if it can."""
    gaps = sandbox.gaps()
    if not gaps and required == FULL and (weak := sandbox.weaknesses()):
        return [f"the policy requires a full sandbox (tests.sandbox); {weak[0]}"]
    return gaps
