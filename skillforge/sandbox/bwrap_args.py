"""What a room for a job is made of, as bubblewrap is told it.

Everything is named here: what is mounted, who the job is, which variables it knows,
what it may use. What is not named is not there.
"""

import fcntl
import os
import shutil
import site
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from skillforge import processes
from skillforge.sandbox import (
    ENVIRONMENT,
    HOME_DIR,
    MB,
    SHARED_DIR,
    SKILL_DIR,
    USER_ID,
    WORK_DIR,
    Job,
    Limits,
    SandboxError,
    seccomp,
    system_paths,
)
from skillforge.sandbox.traps import Traps

_ADDRESSES = 16 << 30  # bytes that a process may map, most of which are never touched
_LAYOUT = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/nix/store",
)
# The shell's own limits are those of each process; it dies if it cannot set one. The
# number of processes is dash's -p and bash's -u.
_USERS = 9  # the file of root's namespace of users, which the job is not to have
_WRAPPER = f"""
exec {_USERS}<&-
ulimit -c 0 && ulimit -t "$1" && ulimit -d "$2" && ulimit -f "$3" && ulimit -n "$4" &&
ulimit -v "$5" && {{ ulimit -u "$6" 2>/dev/null || ulimit -p "$6"; }} || exit 125
input=$7 program=$8 path=$9
shift 9
echo >&0 && read -r _ || exit 125
PATH=$path
command -v -- "$program" >/dev/null || {{
  echo "$program is not a program that can be run in the sandbox" >&2; exit 127;
}}
exec "$@" <"$input"
"""
# Who is who in the room; a file costs less there than a mount.
_NAMES = {
    "/etc/passwd": b"root:x:0:0::/nonexistent:/usr/sbin/nologin\n"
    b"agent:x:65534:65534::/home/agent:/bin/sh\n",
    "/etc/group": b"root:x:0:\nagent:x:65534:\n",
}
_NAMESPACES = ("ipc", "pid", "net", "uts", "cgroup")
# Root sets the limits, which hold for others only, and then becomes nobody for good.
_NOBODY = (
    *("--reuid", str(USER_ID), "--regid", str(USER_ID), "--clear-groups"),
    *("--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"),
)
_TOOLS = "/usr/bin:/bin"


def is_root() -> bool:
    return os.geteuid() == 0


class BwrapArguments(ExitStack):
    """The room for one job; closes what it has handed over."""

    def __init__(self, job: Job, planted: Traps | None) -> None:
        super().__init__()
        self.job = job
        self.variables = {"PATH": _search_path(), **ENVIRONMENT}
        self.variables |= planted.variables if planted else {}
        self.handed: list[int] = []

    def hand(self, fd: int) -> str:
        """Have an open file kept open for bubblewrap; its number as a word."""
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _USERS + 1)
        os.close(fd)
        self.callback(os.close, high)
        self.handed.append(high)
        return str(high)

    def command(self, program: str) -> list[str]:
        """How to start bubblewrap.

        It keeps the namespace of users open, for the job too. So a shell opens it
        under a number that the shell in the room can close: some know one digit only.
        """
        line = [program, *self._arguments()]
        if not is_root():
            return line
        space = f"/proc/{os.getpid()}/fd/{_namespace()}"
        opened = f'exec "$@" {_USERS}<"$0"'
        return ["/bin/sh", "-c", opened, space, *line]

    def _arguments(self) -> list[str]:
        """Bubblewrap's arguments, down to what is run in the room."""
        stdin = "/run/stdin" if self.job.stdin else "/dev/null"
        words = [f"--unshare-{name}" for name in _NAMESPACES]
        words += ["--cap-drop", "ALL", *_user(), *_system()]
        words += [*_emptied(system_paths.private_folders()), *self._mounts()]
        words += [*_writable(self.job.limits), *self._files(), "--clearenv"]
        if program := seccomp.program():
            words += ["--seccomp", self.hand(_in_memory(program))]
        for place in ("/proc", "/dev", "/"):
            words += ["--remount-ro", place]
        for name, value in self.variables.items():
            words += ["--setenv", name, value]
        words += ["--hostname", "sandbox", "--new-session", "--die-with-parent"]
        words += ["--chdir", WORK_DIR, "--", "/bin/sh", "-c", _WRAPPER, "sh"]
        return [*words, *_shell_limits(self.job.limits), stdin, *self._command()]

    def _mounts(self) -> list[str]:
        words: list[str] = []
        for where, path in {SKILL_DIR: self.job.skill, **self.job.mounts}.items():
            if (parent := os.path.dirname(where)) != "/":
                words += ["--perms", "0755", "--dir", parent]
            words += ["--ro-bind", str(path), where]
        return words

    def _files(self) -> list[str]:
        stdin = {"/run/stdin": self.job.stdin} if self.job.stdin else {}
        contents = {**_NAMES, **stdin}
        return [
            word
            for path, data in contents.items()
            for word in ("--file", self.hand(_in_memory(data)), path)
        ]

    def _command(self) -> list[str]:
        """The program and where it is looked for, and what to start for it.

        The variables of a case are its program's alone: neither the shell nor the tool
        that drops root's rights is to obey them.
        """
        env = self.job.env
        path = env.get("PATH", self.variables["PATH"])
        nobody = [_tool("setpriv"), *_NOBODY] if is_root() else []
        own = [f"{name}={value}" for name, value in env.items()]
        apart = [_tool("env"), *own] if own else []
        return [self.job.argv[0], path, *nobody, *apart, *self.job.argv]


@cache
def _namespace() -> int:
    """For root: users of its own, in which nobody is really nobody.

    In a namespace that root makes in the usual way, its only user is root again, whom
    the kernel excuses from the limit on processes.
    """
    with processes.running(
        processes.start(["unshare", "--user", "cat"], stdin=True)
    ) as holder:
        space = f"/proc/{holder.pid}/ns/user"
        deadline = time.monotonic() + 10
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
    folders = ["/etc", "/home", "/run", "/var"]
    for path in (library := system_paths.python_paths()):
        folders += [str(parent) for parent in reversed(Path(path).parents[:-1])]
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
    for path in library:
        room += ["--ro-bind", path, path]
    # What is installed beside Python is not the skill's.
    packages = filter(os.path.isdir, site.getsitepackages([sys.base_prefix]))
    return (*room, *_emptied(packages), "--proc", "/proc", "--dev", "/dev")


def _emptied(folders: Iterable[str]) -> list[str]:
    """Arguments that show folders without what is in them."""
    words: list[str] = []
    for folder in folders:
        words += ["--perms", "0555", "--tmpfs", folder, "--remount-ro", folder]
    return words


@cache
def _tool(name: str) -> str:
    """Where a program of the system lies, whatever a case says of where to look."""
    path = shutil.which(name, path=_TOOLS)
    if path is None:
        raise SandboxError(f"{name} is not installed", hint="install util-linux")
    return path


def _user() -> list[str]:
    """Arguments that make the job nobody."""
    if not is_root():
        return ["--unshare-user", "--uid", str(USER_ID), "--gid", str(USER_ID)]
    needed = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
    caps = [word for name in needed for word in ("--cap-add", name)]
    return ["--userns", str(_USERS), *caps]


@cache
def _search_path() -> str:
    own = f"{sys.base_prefix}/bin"
    usual = ["/usr/local/bin", "/usr/bin", "/bin"]
    return ":".join([own, *(path for path in usual if path != own)])


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
