"""What namespaces would keep from a job, and Landlock alone does not.

Each attack is a Python script that ends with 0 if it got what it wanted. All are tried
on the kernel's own Landlock and on older ones, which know less: the first (Linux 5.13),
one that knows of truncation (6.2), of devices (6.10), of signals (6.12).
"""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from skillforge.sandbox import (
    USER_ID,
    Job,
    JobResult,
    Limits,
    SandboxError,
    landlock,
    landlock_probe,
    process_tree,
    scratch_root,
    system_paths,
)
from skillforge.sandbox.file_watch import FileWatch
from skillforge.sandbox.landlock import WEAKNESSES, Landlock
from tests.sandbox.conftest import running

ABIS = (1, 3, 5, 1000)
SECRET = "sekrit-0815-of-the-user"


@cache
def usable(abi: int) -> tuple[Landlock, list[str]]:
    box = Landlock(abi)
    return box, box.gaps()


@pytest.fixture(params=ABIS)
def box(request: pytest.FixtureRequest) -> Landlock:
    found, gaps = usable(request.param)
    if gaps:
        pytest.skip(f"landlock is not here: {gaps[0]}")
    return found


@pytest.fixture
def within_reach() -> Iterator[Path]:
    """A folder that every user gets to, unlike those that pytest makes."""
    with tempfile.TemporaryDirectory(prefix="skillforge-reach-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture
def victim(within_reach: Path) -> Iterator[Path]:
    """A folder of the job's own user: only the sandbox keeps it from harm."""
    folder = make_victim(within_reach)
    yield folder
    assert_unharmed(folder)


def make_victim(within_reach: Path) -> Path:
    folder = within_reach / "victim"
    (folder / "sub").mkdir(parents=True)
    (folder / "secret").write_text(SECRET)
    (folder / "sub" / "x").write_text(SECRET)
    owner = USER_ID if os.getuid() == 0 else -1
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner, owner)
        path.chmod(0o700 if path.is_dir() else 0o600)
    return folder


def assert_unharmed(victim: Path) -> None:
    assert listing(victim) == {"secret": SECRET, "sub": "", "sub/x": SECRET}


def listing(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else ""
        for path in folder.rglob("*")
    }


Attack = Callable[..., JobResult]


@pytest.fixture
def attack(box: Landlock, victim: Path, tmp_path: Path) -> Attack:
    skill = tmp_path / "skill"
    skill.mkdir()
    (skill / "SKILL.md").write_text("skill")

    def call(script: str, **more: object) -> JobResult:
        code = names_for_attacks(victim) + script
        limits = more.pop("limits", Limits(seconds=20))
        assert isinstance(limits, Limits)
        job = Job(("python3", "-c", code), skill, limits=limits)
        return box.run(job)

    return call


def names_for_attacks(victim: Path) -> str:
    """The beginning of each script: modules, and what there is to attack."""
    return (
        "import ctypes, fcntl, os, resource, signal, socket, sys, time\n"
        f"victim, pid, parent = {str(victim)!r}, {os.getpid()}, os.getppid()\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "skill = os.environ['SKILL_DIR'] + '/SKILL.md'\n"
    )


def params(table: dict[str, str]) -> list[object]:
    return [pytest.param(value, id=name) for name, value in table.items()]


OUTSIDE = {
    "read": "open(victim + '/secret').read()",
    "read-by-descriptor": "f = os.open(victim + '/secret', os.O_PATH)\n"
    "open(f'/proc/self/fd/{f}').read()",
    "read-by-folder": "f = os.open(victim, os.O_PATH)\n"
    "os.open('secret', os.O_RDONLY, dir_fd=f)",
    "execute": "os.execv(victim + '/secret', ['x'])",
    "list": "os.listdir(victim)",
    "list-by-moving": "os.chdir(victim); os.listdir('.')",
    "append": "open(victim + '/secret', 'a')",
    "create": "open(victim + '/new', 'w')",
    "truncate": "os.truncate(victim + '/secret', 0)",
    "truncate-by-reading": "os.open(victim + '/secret', os.O_RDONLY | os.O_TRUNC)",
    "truncate-the-skill": "os.open(skill, os.O_RDONLY | os.O_TRUNC)",
    "remove": "os.unlink(victim + '/secret')",
    "remove-folder": "os.unlink(victim + '/sub/x'); os.rmdir(victim + '/sub')",
    "rename": "os.rename(victim + '/secret', victim + '/other')",
    "rename-in": "os.rename(victim + '/secret', 'mine')",
    "rename-out": "open('mine', 'w'); os.rename('mine', victim + '/new')",
    "exchange": "open('mine', 'w')\nassert libc.syscall(316, -100, b'mine', -100, "
    "os.fsencode(victim + '/secret'), 2) == 0",
    "link-in": "os.link(victim + '/secret', 'mine')",
    "link-out": "open('mine', 'w'); os.link('mine', victim + '/new')",
    "link-of-skill": "os.link(skill, 'mine'); open('mine', 'a')",
    "symbolic-link": "os.symlink('x', victim + '/new')",
    "folder": "os.mkdir(victim + '/new')",
    "pipe": "os.mkfifo(victim + '/new')",
    "device": "os.mknod(victim + '/new', 0o600)",
    "socket": "socket.socket(socket.AF_UNIX).bind(victim + '/new')",
    "mode": "os.chmod(victim + '/secret', 0o666)",
    "mode-by-folder": "f = os.open(victim, os.O_PATH)\n"
    "os.chmod('secret', 0o666, dir_fd=f)",
    "mode-by-link": "os.symlink(victim + '/secret', 'l'); os.chmod('l', 0o666)",
    "mode-by-linked-folder": "os.symlink(victim, 'l'); os.chmod('l/secret', 0o666)",
    "mode-by-moving": "os.chdir(victim); os.chmod('secret', 0o666)",
    "mode-by-dots": "os.chmod('../' * 9 + victim + '/secret', 0o666)",
    "mode-by-descriptor": "f = os.open(skill, os.O_RDONLY); os.fchmod(f, 0o666)",
    "mode-by-proc": "f = os.open(victim + '/secret', os.O_PATH)\n"
    "os.chmod(f'/proc/self/fd/{f}', 0o666)",
    "mode-of-skill": "os.chmod(skill, 0o666)",
    "mode-of-scratch": "os.chmod('..', 0o777)",
    "owner": "os.chown(victim + '/secret', os.getuid(), os.getgid())",
    "owner-by-descriptor": "os.fchown(os.open(skill, 0), os.getuid(), os.getgid())",
    "times": "os.utime(victim + '/secret', (1, 1))",
    "times-by-link": "os.symlink(victim + '/secret', 'l'); os.utime('l', (1, 1))",
    "times-by-descriptor": "os.utime(os.open(skill, os.O_RDONLY), (1, 1))",
    "old-times": "assert libc.utimes(os.fsencode(victim + '/secret'), None) == 0\n"
    "assert libc.syscall(235, os.fsencode(victim + '/secret'), None) == 0",
    "attribute": "os.setxattr(victim + '/secret', 'user.x', b'x')",
    "attribute-of-skill": "os.setxattr(os.open(skill, 0), 'user.x', b'x')",
    "read-attribute": "print(os.listxattr(victim + '/secret'))",
    "file-flags": "fcntl.ioctl(os.open(skill, 0), 0x40086602, b'\\x40' + bytes(7))",
    "lease": "fcntl.fcntl(os.open(skill, 0), 1024, fcntl.F_WRLCK)",
    "watch": "f = libc.inotify_init1(0)\n"
    "assert libc.inotify_add_watch(f, os.fsencode(victim), 0xfff) >= 0",
    "old-watch": "fcntl.fcntl(os.open(os.path.dirname(skill), 0), 1026, 1)",
    "write-by-descriptor": "f = open(skill); open(f'/proc/self/fd/{f.fileno()}', 'w')",
    "setuid-file": "os.open('mine', os.O_CREAT | os.O_WRONLY, 0o4755)",
    "setuid-file-without-a-name": "os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o4755)",
    "setgid-folder": "assert libc.mkdir(b'mine', 0o2755) == 0",
    "setuid-pipe": "assert libc.mknod(b'mine', 0o14755, 0) == 0",
    "mounts": "assert libc.syscall(458, (ctypes.c_uint64 * 3)(24, 2**64 - 1, 0), "
    "(ctypes.c_uint64 * 99)(), 99, 0) >= 0",
    "newer-calls": "assert libc.syscall(463, -100, os.fsencode(victim + '/secret'), 0, "
    "b'user.x', b'0' * 16, 16) == 0",
}
PROCESSES = {
    "environment": "open(f'/proc/{pid}/environ').read()",
    "environment-of-launcher": "open(f'/proc/{parent}/environ').read()",
    "memory": "open(f'/proc/{parent}/mem', 'rb')",
    "memory-to-write": "open(f'/proc/{parent}/mem', 'r+b')",
    "map": "open(f'/proc/{parent}/maps').read()",
    "arguments": "open(f'/proc/{pid}/cmdline').read()",
    "arguments-of-first": "open('/proc/1/cmdline').read()",
    "open-files": "os.listdir(f'/proc/{parent}/fd')",
    "root-of-another": "os.listdir(f'/proc/{parent}/root/')",
    "folder-of-another": "os.listdir(f'/proc/{parent}/cwd/')",
    "list-of-processes": "os.listdir('/proc')",
    "signal": "os.kill(pid, signal.SIGCONT)",
    "signal-launcher": "os.kill(parent, signal.SIGCONT)",
    "signal-group": "group = os.getpgid(parent); assert group > 1\n"
    "os.kill(-group, signal.SIGCONT)",
    "signal-thread": "assert libc.syscall(200, pid, 18) == 0",
    "signal-thread-of": "assert libc.syscall(234, pid, pid, 18) == 0",
    "queued-signal": "assert libc.sigqueue(pid, 18, 0) == 0",
    "signal-by-handle": "signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGCONT)",
    "signal-by-file": "r, w = os.pipe()\n"
    "fcntl.fcntl(r, fcntl.F_SETOWN, pid); fcntl.fcntl(r, 10, signal.SIGCONT)",
    "signal-by-ioctl": "r, w = os.pipe(); import struct\n"
    "fcntl.ioctl(r, 0x8901, struct.pack('i', pid))",
    "limits": "resource.prlimit(pid, resource.RLIMIT_CORE)",
    "priority": "os.setpriority(os.PRIO_PROCESS, pid, 19)",
    "priority-of-user": "os.setpriority(os.PRIO_USER, 0, 19)",
    "affinity": "os.sched_setaffinity(pid, {0})",
    "scheduling": "os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))",
    "trace": "assert libc.ptrace(16, parent, 0, 0) == 0",
    "hide": "assert libc.prctl(4, 0, 0, 0, 0) == 0",
    "thread-with-files-of-its-own": "import _thread\n"
    "assert libc.syscall(56, 0x10900, 0, 0, 0, 0) >= 0",
    "files-of-its-own": "assert libc.syscall(436, 99, 99, 2) == 0",
    "shared-memory": "assert libc.shmctl(0, 14, bytes(200)) >= 0",
    "semaphores": "assert libc.semctl(0, 0, 19, bytes(200)) >= 0",
    "shared-memory-files": "os.listdir('/dev/shm')",
    "queue": "assert libc.mq_unlink(b'/x') == 0",
    "terminal": "open('/dev/tty')",
    "terminals-of-others": "os.listdir('/dev/pts')",
    "new-terminal": "os.openpty()",
}
NETWORK = {
    "listen": "socket.create_server(('127.0.0.1', 0))",
    "listen-unbound": "s = socket.socket(); s.listen()",
    "abstract-name": "socket.socket(socket.AF_UNIX).bind(chr(0) + 'x')",
    "datagrams-of-the-system": "a, b = socket.socketpair(type=socket.SOCK_DGRAM)\n"
    "a.sendto(b'x', '/dev/log')",
    "datagram-socket": "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "raw-as-datagram": "socket.socket(socket.AF_UNIX, socket.SOCK_RAW)",
    "fast-open": "socket.socket().sendto(b'x', 0x20000000, ('1.1.1.1', 80))",
    "message": "s = socket.socket(type=socket.SOCK_DGRAM)\n"
    "s.sendmsg([b'x'], [], 0, ('1.1.1.1', 53))",
    "pass-a-file": "a, b = socket.socketpair(); socket.send_fds(a, [b'x'], [0])",
    "pass-a-file-as-the-launcher": "a, b = socket.socketpair()\n"
    "socket.send_fds(a, [b'x'], [0], 0x40c0)",
    "pass-files": "a, b = socket.socketpair()\n"
    "assert libc.sendmmsg(a.fileno(), bytes(64), 1, 0) >= 0",
    "connected-pair": "a, b = socket.socketpair(); a.connect('/run/systemd/notify')",
}


REFUSED = {**OUTSIDE, **PROCESSES, **NETWORK}
# Tries each script in a process of its own, one after the other, and prints for each
# its exit code, its output, and the last line of its errors. What a script left in the
# work directory is removed before the next one.
TRY_EACH = """
import json, shutil, traceback
def child(script, *streams):
    for number, stream in enumerate(streams, 1):
        os.dup2(stream, number)
    os.closerange(3, max(streams) + 1)
    try:
        exec(script, globals())
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)
def outcome(script):
    (out, to_out), (err, to_err) = os.pipe(), os.pipe()
    if not (number := os.fork()):
        child(script, to_out, to_err)
    os.close(to_out); os.close(to_err)
    texts = [open(stream, errors='replace').read() for stream in (out, err)]
    code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    return code, texts[0], (texts[1].splitlines() or [''])[-1]
there = set(os.listdir('.'))
outcomes = {}
for name, script in scripts.items():
    outcomes[name] = outcome(script)
    for left in set(os.listdir('.')) - there:
        os.unlink(left) if os.path.islink(left) or not os.path.isdir(left) else (
            shutil.rmtree(left))
print(json.dumps(outcomes))
"""
KEPT = ("st_mode", "st_uid", "st_gid", "st_size", "st_mtime_ns", "st_ctime_ns")
Facts = dict[Path, list[int]]


class Tried(NamedTuple):
    """All attacks that have to be refused, and what the victim was before and after."""

    outcomes: dict[str, tuple[int, str, str]]
    before: Facts
    after: Facts


@cache
def tried_in_one_job(box: Landlock) -> Tried:
    """Try all that has to be refused: a job for each attack takes a minute."""
    with tempfile.TemporaryDirectory(prefix="skillforge-reach-") as name:
        Path(name).chmod(0o755)
        victim = make_victim(Path(name))
        skill = Path(name) / "skill"
        skill.mkdir()
        (skill / "SKILL.md").write_text("skill")
        before = facts_of(victim)
        code = f"{names_for_attacks(victim)}scripts = {REFUSED!r}\n{TRY_EACH}"
        ended = box.run(Job(("python3", "-c", code), skill, limits=Limits(seconds=60)))
        assert ended.code == 0, ended
        assert_unharmed(victim)
        assert (skill / "SKILL.md").read_text() == "skill"
        return Tried(json.loads(ended.out), before, facts_of(victim))


def facts_of(folder: Path) -> Facts:
    return {
        path: [getattr(path.lstat(), name) for name in KEPT]
        for path in (folder, *folder.rglob("*"))
    }


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(box: Landlock, name: str) -> None:
    tried = tried_in_one_job(box)

    code, out, error = tried.outcomes[name]

    assert code == 1, (out, error)
    assert "Error" in error or "error" in error
    assert not error.startswith(("SyntaxError", "NameError", "AttributeError"))
    assert SECRET not in out
    assert tried.after == tried.before


def test_no_two_attacks_have_the_same_name() -> None:
    assert len(REFUSED) == len(OUTSIDE) + len(PROCESSES) + len(NETWORK)


def test_a_folder_swapped_for_a_link_gains_nothing(attack: Attack) -> None:
    """The broker acts on the file that it has seen, not on a name."""
    script = """
import threading
os.mkdir('d'); open('d/secret', 'w'); os.symlink(victim, 'l')
def swap():
    while True:
        libc.syscall(316, -100, b'd', -100, b'l', 2)
threading.Thread(target=swap, daemon=True).start()
end = time.monotonic() + 1.5
tries = refused = 0
while time.monotonic() < end:
    try:
        os.chmod('d/secret', 0o777)
        os.utime('d/secret', (1, 1))
    except OSError:
        refused += 1
    tries += 1
print(tries, refused)
"""
    ended = attack(script)

    assert ended.code == 0, ended
    tries, refused = map(int, ended.out.split())
    assert tries > refused > 0


def test_what_is_its_own_it_can_change(attack: Attack) -> None:
    script = """
os.mkdir('d'); open('d/f', 'w').write('abc'); os.symlink('f', 'd/l')
os.chmod('d/f', 0o640); os.utime('d/f', ns=(5, 7)); os.utime('d/l')
os.utime('d/l', ns=(1, 2), follow_symlinks=False)
facts = os.stat('d/f'); print(oct(facts.st_mode), os.lstat('d/l').st_mtime_ns)
f = os.open('d/f', os.O_RDWR); os.fchmod(f, 0o600); os.ftruncate(f, 1)
os.utime(f, ns=(3, 4)); print(os.fstat(f).st_mtime_ns, oct(os.fstat(f).st_mode))
os.chmod('d', 0o555)
try:
    open('d/new', 'w')
except PermissionError:
    print('closed')
os.rename('d/../d', 'e'); os.chmod('e', 0o755); os.link('e/f', 'e/g')
d = os.open('e', 0); os.chmod('g', 0o700, dir_fd=d); print(oct(os.stat('e/f').st_mode))
child = os.fork()
if child == 0:
    time.sleep(30)
os.kill(child, signal.SIGTERM); print(os.waitpid(child, 0)[1])
signal.raise_signal(signal.SIGCONT); os.killpg(0, signal.SIGCONT)
a, b = socket.socketpair(); a.send(b'talk'); print(b.recv(9).decode())
os.chmod('e/f', 0o640, follow_symlinks=False); print(oct(os.stat('e/f').st_mode))
"""
    ended = attack(script)

    assert ended.out.decode().split() == [
        *("0o100640", "2", "4", "0o100600", "closed", "0o100700", "15", "talk"),
        "0o100640",
    ], ended


def test_the_other_system_calls_of_the_machine_end_it(attack: Attack) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("only x86_64 has two kinds")
    script = """
import mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex('b814000000cd80c3'))  # getpid, as a 32-bit program calls it
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
print(call())
"""
    ended = attack(script)

    assert ended.code == 128 + signal.SIGSYS
    assert ended.out == b""


def test_the_x32_system_calls_are_not_there(attack: Attack) -> None:
    script = "sys.exit(0 if libc.syscall(0x40000000 + 39) > 0 else 3)"

    assert attack(script).code == 3


DISK = {
    "one-file": "open('f', 'wb').write(bytes(9 << 20))",
    "files-without-a-name": "x = []\nfor n in range(9):\n"
    " f = open('f', 'wb'); f.write(bytes(1 << 20)); f.flush(); os.unlink('f')\n"
    " x.append(f)\ntime.sleep(20)",
    "held-by-a-second-thread": "import threading\n"
    "def hold():\n time.sleep(0.2); x = []\n for n in range(9):\n"
    "  f = open('f', 'wb'); f.write(bytes(1 << 20)); f.flush(); os.unlink('f')\n"
    "  x.append(f)\n time.sleep(20)\n"
    "threading.Thread(target=hold).start()\n"
    "libc.syscall(60 if os.uname().machine == 'x86_64' else 93, 0)",
    "mapped-without-a-name": "import mmap\nx = []\nfor n in range(9):\n"
    " f = open('f', 'w+b'); f.write(bytes(1 << 20)); f.flush()\n"
    " libc.mmap.restype = ctypes.c_void_p\n"
    " libc.mmap(None, 4096, 1, 1, f.fileno(), 0)\n"
    " os.unlink('f'); f.close()\ntime.sleep(20)",
}


@pytest.mark.parametrize("script", params(DISK))
def test_a_full_work_directory_ends_it(attack: Attack, script: str) -> None:
    ended = attack(script, limits=Limits(seconds=15, work_size=4 << 20))

    assert "full (4 MB)" in ended.limit, ended


HIDING = {
    "closed-folder": "os.mkdir('d', 0o300); open('d/f', 'w'); time.sleep(20)",
    "deep-folder": "for n in range(300): os.mkdir('x' * 200); os.chdir('x' * 200)\n"
    "time.sleep(20)",
    "moved-folder": "os.mkdir('0'); d = os.open('0', 0)\nn = 0\n"
    "for x in range(9): open(f'{x}.txt', 'w', opener=lambda p, f: "
    "os.open(p, f, dir_fd=d)).write('x' * 999999)\n"
    "while True: os.rename(f'{n}', f'{n + 1}'); n += 1",
    "long-lists-of-maps": "for n in range(14): os.mkdir('x' * 250)"
    "; os.chdir('x' * 250)\n"
    "f = os.open('f', os.O_RDWR | os.O_CREAT); os.ftruncate(f, 60 << 20)\n"
    "any(os.fork() == 0 for n in range(20))\n"
    "for n in range(60000): libc.mmap(None, 4096, 1, 1, f, n * 8192 % (60 << 20))\n"
    "time.sleep(20)",
    "program-that-cannot-be-read": "import shutil\n"
    "shutil.copy(shutil.which('sleep'), 'p'); os.chmod('p', 0o111)\n"
    "os.execv('p', ['p', '20'])",
}


@pytest.mark.parametrize("script", params(HIDING))
def test_what_cannot_be_counted_is_ended(attack: Attack, script: str) -> None:
    ended = attack(script, limits=Limits(seconds=15, work_size=4 << 20))

    assert ended.limit, ended
    assert not ended.is_timeout


def test_an_unreadable_tree_is_removed(
    attack: Attack, within_reach: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(within_reach))
    attack(
        "for n in range(50): os.mkdir('y' * 200); os.chdir('y' * 200)\n"
        "os.mkdir('closed', 0); os.mkdir('other'); os.chdir('other')\n"
        "open('f', 'w').write('x'); os.chmod('.', 0)"
    )

    assert not list(within_reach.glob("skillforge-landlock-*"))


LONG = """
import sys
from pathlib import Path
from skillforge.sandbox import Job, Limits
from skillforge.sandbox.landlock import Landlock
script = 'setsid sleep {mark} & (trap "" TERM HUP; sleep {mark}) & sleep {mark}'
Landlock().run(Job(("sh", "-c", script), Path(sys.argv[1]), limits=Limits(seconds=60)))
"""


@pytest.mark.parametrize("is_group", [False, True], ids=["process", "group"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_job_does_not_outlive_a_killed_skillforge(
    tmp_path: Path, within_reach: Path, number: int, is_group: bool
) -> None:
    _, gaps = usable(1000)
    if gaps:
        pytest.skip(gaps[0])
    mark = f"65432.{os.getpid()}"
    line = [sys.executable, "-c", LONG.format(mark=mark), str(tmp_path)]
    env = {**os.environ, "TMPDIR": str(within_reach)}
    with subprocess.Popen(line, env=env, start_new_session=True) as ours:
        wait_until(lambda: len(running(f"sleep\0{mark}")) == 3)
        assert list(within_reach.iterdir())
        os.kill(-ours.pid if is_group else ours.pid, number)

    wait_until(lambda: not running(mark))
    wait_until(lambda: not list(within_reach.iterdir()))


def test_a_job_does_not_outlive_a_killed_supervisor(tmp_path: Path) -> None:
    box, gaps = usable(1000)
    if gaps:
        pytest.skip(gaps[0])
    mark = f"43210.{os.getpid()}"

    def kill() -> None:
        wait_until(lambda: len(running(f"sleep\0{mark}")) == 2)
        os.kill(supervisor(mark), signal.SIGKILL)

    killing = threading.Thread(target=kill)
    killing.start()
    script = f"setsid sleep {mark} & sleep {mark}"
    job = Job(("sh", "-c", script), tmp_path, limits=Limits(seconds=20))
    with pytest.raises(SandboxError, match="crashed"):
        box.run(job)
    killing.join()

    assert not running(f"sleep\0{mark}")


def supervisor(mark: str) -> int:
    """The process that attends the job of a mark."""
    [sleeper, *_] = running(f"sleep\0{mark}")
    pid = int(Path(sleeper).parent.name)
    while b"launcher" not in Path(f"/proc/{pid}/cmdline").read_bytes():
        pid = process_tree.parent(pid)
    return pid


def test_a_job_does_not_outlive_a_launcher_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, gaps = usable(1000)
    if gaps:
        pytest.skip(gaps[0])
    monkeypatch.setattr(landlock, "_PATIENCE", 1000)
    mark = f"54321.{os.getpid()}"

    def hang() -> None:
        wait_until(lambda: len(running(f"sleep\0{mark}")) == 2)
        os.kill(supervisor(mark), signal.SIGSTOP)

    hanging = threading.Thread(target=hang)
    hanging.start()
    script = f"setsid sleep {mark} & sleep {mark}"
    job = Job(("sh", "-c", script), tmp_path, limits=Limits(seconds=8))
    with pytest.raises(SandboxError, match="respond"):
        box.run(job)
    hanging.join()

    wait_until(lambda: not running(mark))


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class Bare:
    """No sandbox at all: the job runs on the host, as the user that it would have."""

    name = "bare"

    def about(self) -> str:
        return "nothing"

    def gaps(self) -> list[str]:
        return landlock_probe.gaps(self)

    def weaknesses(self) -> list[str]:
        return []

    def run(self, job: Job) -> JobResult:
        env = {**os.environ, "SKILL_DIR": str(job.skill), "PATH": "/usr/bin:/bin"}
        user = USER_ID if os.getuid() == 0 else None
        done = subprocess.run(
            job.argv,
            capture_output=True,
            cwd=job.skill.parent,
            env=env,
            user=user,
            timeout=60,
        )
        return JobResult(done.returncode, done.stdout, done.stderr, 0.0)


def test_running_on_the_host_fails_in_every_respect() -> None:
    """The probe sees what a job can do: none of its questions is idle."""
    if not Path("/usr/bin/python3").exists():
        pytest.skip("no Python that every user can run")
    expected = set(landlock_probe._FORBIDDEN) - {"it is root"}
    if os.getuid() == 0:  # whose processes others cannot touch, sandbox or not
        expected = {gap for gap in expected if "other processes" not in gap}
        expected |= {"it reads the command lines of other processes"}

    gaps = Bare().gaps()

    unnamed = expected - set(gaps)
    can_be_lacking = {"it makes namespaces", "it has capabilities"}
    can_be_lacking |= {"it sets attributes outside"}  # not on every file system
    assert unnamed <= can_be_lacking
    assert "a process of the job keeps running" in gaps


def test_its_weaknesses_are_named_and_none_is_of_network_secrets_or_writes() -> None:
    assert WEAKNESSES
    assert not [
        weakness
        for weakness in WEAKNESSES
        if "connect" in weakness or "secret" in weakness
    ]


def test_a_service_of_the_user_is_not_called(
    attack: Attack, within_reach: Path
) -> None:
    service = within_reach / "service"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(service))
        service.chmod(0o777)
        server.listen()
        server.settimeout(0.1)

        ended = attack(f"socket.socket(socket.AF_UNIX).connect('{service}')")

        assert b"ConnectionRefusedError" in ended.err
        with pytest.raises(TimeoutError):
            server.accept()
    assert not ended.tried_to_connect


def test_it_inherits_no_file_whose_number_is_high(attack: Attack) -> None:
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(300)]
    try:
        ended = attack(
            "for n in range(3, 1000):\n try: os.fstat(n); print(n)\n"
            " except OSError: pass"
        )
    finally:
        for fd in held:
            os.close(fd)

    assert (ended.code, ended.out) == (0, b""), ended


def test_what_sockets_hold_is_memory(attack: Attack) -> None:
    script = """
any(os.fork() == 0 for n in range(8))
held = []
for n in range(120):
    held += (pair := socket.socketpair())
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
    assert pair[0].getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) < 1 << 19
    pair[0].setblocking(False)
    try:
        while True: pair[0].send(bytes(30000))
    except BlockingIOError:
        pass
time.sleep(20)
"""
    ended = attack(script, limits=Limits(seconds=15, memory=128 << 20))

    assert "128 MB of memory" in ended.limit, ended


def test_a_message_to_an_address_is_a_try_to_connect(attack: Attack) -> None:
    ended = attack(
        "socket.socket(type=socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('1.1.1.1', 53))"
    )

    assert ended.tried_to_connect
    assert b"unreachable" in ended.err


def test_a_program_that_is_removed_while_it_runs_takes_its_own_size(
    attack: Attack,
) -> None:
    ended = attack(
        "import shutil, subprocess\nshutil.copy(shutil.which('sleep'), 'p')\n"
        "p = subprocess.Popen(['./p', '1']); os.unlink('p'); print(p.wait())",
        limits=Limits(seconds=15, work_size=4 << 20),
    )

    assert (ended.limit, ended.out) == ("", b"0\n"), ended


def test_jobs_at_once_do_not_take_each_others_processes(tmp_path: Path) -> None:
    """The kernel counts the processes of a user, whichever job they are of."""
    box, gaps = usable(1000)
    if gaps:
        pytest.skip(gaps[0])
    script = "sleep {}; for n in $(seq 45); do sleep 3 & done; wait; echo $n"

    def run(pause: int) -> bytes:
        job = Job(("sh", "-c", script.format(pause)), tmp_path)
        return box.run(job).out

    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(run, 2)
        time.sleep(0.5)
        others = list(pool.map(run, [0] * 4))

    assert [first.result(), *others] == [b"45\n"] * 5


def test_keys_that_cannot_be_watched_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, gaps = usable(1000)
    if gaps:
        pytest.skip(gaps[0])

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FileWatch, "add", fail)
    with pytest.raises(SandboxError, match="cannot be watched"):
        box.run(Job(("true",), tmp_path, has_traps=True))


def test_the_repository_is_private_below_the_system_too(
    within_reach: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, gaps = usable(1000)
    if gaps:
        pytest.skip(gaps[0])
    for name in ("app/library/.git/config", "app/library/skill/x", "app/tool/x"):
        (within_reach / name).parent.mkdir(parents=True)
        (within_reach / name).write_text(name)
    system = (*system_paths.SYSTEM, str(within_reach))
    monkeypatch.setattr(system_paths, "SYSTEM", system)
    monkeypatch.chdir(within_reach / "app/library/skill")
    (within_reach / "app/link").symlink_to("library")
    script = (
        "cd $0; cat app/library/.git/config app/link/skill/x "
        "app/library/skill/x app/tool/x"
    )
    job = Job(("sh", "-c", script, str(within_reach)), within_reach / "app/tool")

    assert box.run(job).out == b"app/tool/x"


def test_a_python_in_a_home_brings_nothing_else_of_it(tmp_path: Path) -> None:
    home = str(tmp_path)

    for prefix in (home, f"{home}/.local", str(tmp_path.parent)):
        shown = system_paths.library_of(prefix, home)
        assert all(path.startswith(f"{prefix}/lib") for path in shown), shown

    assert system_paths.library_of(f"{home}/python", home) == [f"{home}/python"]
    assert system_paths.library_of("/usr/local", home) == ["/usr/local"]


def test_a_folder_of_another_user_is_not_swept(
    within_reach: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who owns it could swap what is in it for links to anything."""
    if os.getuid() != 0:
        pytest.skip("only root can make files of another user")
    monkeypatch.setattr("tempfile.tempdir", str(within_reach))
    folders = [within_reach / f"skillforge-landlock-999999999-{n}" for n in "ab"]
    for folder in folders:
        folder.mkdir()
        os.utime(folder, (1, 1))
    os.chown(folders[0], USER_ID, USER_ID)

    scratch_root.sweep()

    assert [folder.exists() for folder in folders] == [True, False]
