"""Confine this process, for good, with what the kernel gives to everybody.

Limits, Landlock and a filter on system calls, through the C library alone. Whatever
cannot be set raises OSError: nothing is run half confined.
"""

import ctypes
import os
import resource
import signal
import stat
import struct
from collections.abc import Iterable, Sequence

from skillforge.sandbox import USER_ID, Limits

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls of Landlock
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_VERSION, _BENEATH = 1, 1
_SET_NO_NEW_PRIVILEGES, _DROP_BOUND, _SUBREAPER, _DEATH = 38, 24, 36, 1
_SET_DUMPABLE = 4
_SET_FILTER, _NEW_LISTENER = 1, 8
_ADDRESSES = 16 << 30  # bytes that a process may map, most of which are never touched
_ELSEWHERE = 1024  # processes that the same user may start outside during a job
_NO_CORE = 1  # with 0, the kernel still starts a program that collects core files

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
READ = READ_FILE | READ_DIR | EXECUTE
DEVICE = READ_FILE | WRITE_FILE | _TRUNCATE | _IOCTL_DEV
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE | _IOCTL_DEV
_NETWORK = 0b11  # to bind and to connect, by TCP
_SCOPED = 0b11  # abstract sockets and signals

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(answer: int, what: str) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return answer


def _syscall(what: str, number: int, *arguments: int | bytes | None) -> int:
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *words), what)


def _prctl(what: str, option: int, *arguments: int) -> None:
    words = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(_libc.prctl(option, *words), what)


def landlock_version() -> int:
    """Which Landlock this kernel has; 0 if it has none, or it is turned off."""
    try:
        return _syscall("landlock", _CREATE, None, 0, _VERSION)
    except OSError:
        return 0


def writing(abi: int) -> int:
    """Everything that a Landlock of this version can allow."""
    return (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)) - 1


class LandlockRuleset:
    """What may be done beneath which path; all else is refused."""

    def __init__(self, abi: int) -> None:
        self.handled = writing(abi)
        parts = [self.handled, *([_NETWORK] if abi >= 4 else [])]
        parts += [_SCOPED] if abi >= 6 else []
        attributes = struct.pack(f"={len(parts)}Q", *parts)
        size = len(attributes)
        self.fd = _syscall("landlock_create_ruleset", _CREATE, attributes, size, 0)

    def allow(self, paths: Iterable[str], rights: int) -> None:
        """Allow something at and beneath paths; those that are not there are left."""
        for path in paths:
            try:
                fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            is_folder = stat.S_ISDIR(os.fstat(fd).st_mode)
            allowed = rights & self.handled & (-1 if is_folder else _OF_FILES)
            rule = struct.pack("=Qi", allowed, fd)
            try:
                _syscall("landlock_add_rule", _ADD, self.fd, _BENEATH, rule, 0)
            finally:
                os.close(fd)

    def enforce(self) -> None:
        _syscall("landlock_restrict_self", _RESTRICT, self.fd, 0)
        os.close(self.fd)


def forbid_privileges() -> None:
    """Whatever is executed from now on, nobody gains rights by it."""
    _prctl("no_new_privs", _SET_NO_NEW_PRIVILEGES, 1)


def filter_calls(program: bytes, *, has_listener: bool = True) -> int:
    """Put a filter on system calls; the file to hear of those it passes on."""
    count = len(program) // 8
    lines = ctypes.create_string_buffer(program, len(program))
    filter_program = struct.pack("=H6xQ", count, ctypes.addressof(lines))
    number = _SECCOMP[os.uname().machine]
    flags = _NEW_LISTENER if has_listener else 0
    return _syscall("seccomp", number, _SET_FILTER, flags, filter_program)


def adopt_orphans() -> None:
    """Become the parent of all that descends from us and loses its own."""
    _prctl("subreaper", _SUBREAPER, 1)


def end_with_parent() -> None:
    _prctl("death signal", _DEATH, signal.SIGKILL)


def be_readable() -> None:
    """Let those of our own user see this process, also if it was another's before."""
    _prctl("dumpable", _SET_DUMPABLE, 1)


def become_nobody() -> None:
    """Give up root, and every way back to it."""
    for capability in range(64):
        if _libc.prctl(_DROP_BOUND, capability, 0, 0, 0) < 0:
            break  # there are no more, or they are not ours to drop
    os.setgroups([])
    os.setresgid(USER_ID, USER_ID, USER_ID)
    os.setresuid(USER_ID, USER_ID, USER_ID)


def count_tasks(visible: int) -> int:
    """How many processes and threads the kernel counts for this user, or a few more.

    Those of the same user in other containers count, and cannot be seen from here: try
    to fork with a limit just above what is visible, and double it until that works.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    count = visible
    while hard == resource.RLIM_INFINITY or count < hard:
        resource.setrlimit(resource.RLIMIT_NPROC, (count + 1, hard))
        if _can_fork():
            break
        count *= 2
    return count


def _can_fork() -> bool:
    try:
        pid = os.fork()
    except BlockingIOError:
        return False
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


def limit(limits: Limits, others: int) -> None:
    """Set what each process may use; `others` run as the same user already.

    Processes and memory are counted from outside; these stop what is faster than that.
    """
    hard = {
        resource.RLIMIT_CORE: _NO_CORE,
        resource.RLIMIT_DATA: limits.memory * 2,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_AS: _ADDRESSES,
        resource.RLIMIT_NPROC: others + limits.processes + _ELSEWHERE,
        resource.RLIMIT_RTPRIO: 0,
    }
    for name, most in hard.items():
        bound = resource.getrlimit(name)[1]
        most = most if bound == resource.RLIM_INFINITY else min(most, bound)
        resource.setrlimit(name, (most, most))
    # One second between the warning, whose exit code says why, and the end.
    seconds = limits.cpu_seconds
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def execute(argv: Sequence[str], env: dict[str, str]) -> None:
    """Become a program; returns only by an OSError."""
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python
        signal.signal(ignored, signal.SIG_DFL)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.execvpe(argv[0], list(argv), env)  # noqa: S606 - this is what a sandbox is for
