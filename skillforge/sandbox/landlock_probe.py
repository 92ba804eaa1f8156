"""Tests on this machine whether Landlock confines a job, by trying to escape.

A job tries to reach a secret, a file, a folder, sockets and a process of ours. Only the
results count, not version numbers.
"""

import json
import os
import socket
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillforge.errors import SkillforgeError, unwritable
from skillforge.sandbox import USER_ID, Job, Limits, work_files
from skillforge.sandbox.scratch_root import is_root, open_folder

if TYPE_CHECKING:
    from skillforge.sandbox import JobResult, Sandbox

# What a job must not be able to do, by the message if it can.
_FORBIDDEN = {
    "it reads files of yours": "open(secret).read()",
    "it lists folders of yours": "os.listdir(folder)",
    "it reads the variables of other processes": "open(f'/proc/{pid}/environ').read()",
    "it reads the command lines of other processes": "open(f'/proc/{pid}/cmdline')",
    "it reads the memory of other processes": "open(f'/proc/{pid}/mem', 'rb')",
    "it lists processes": "os.listdir('/proc')",
    "it makes files outside": "open(f'{folder}/new', 'w')",
    "it makes folders outside": "os.mkdir(f'{folder}/sub')",
    "it makes links outside": "os.symlink('x', f'{folder}/link')",
    "it writes files outside": "open(secret, 'a')",
    "it cuts files outside": "os.truncate(secret, 0)",
    "it empties files that it may read": "os.open(readable, os.O_RDONLY | os.O_TRUNC)",
    "it removes files outside": "os.unlink(f'{folder}/spare')",
    "it renames files outside": "os.rename(f'{folder}/other', f'{folder}/third')",
    "it takes files into its work directory": "os.link(secret, 'stolen')",
    "it changes modes outside": "os.chmod(secret, 0o666)",
    "it changes modes of what it may read": "os.fchmod(os.open(readable, 0), 0o777)",
    "it changes owners": "os.chown(secret, -1, os.getgid())",
    "it changes times outside": "os.utime(secret, (1, 1))",
    "it sets attributes outside": "os.setxattr(secret, 'user.x', b'x')",
    "it changes its skill": "open(os.environ['SKILL_DIR'] + '/new', 'w')",
    "it connects by TCP": "socket.create_connection(('127.0.0.1', port), 2)",
    "it listens": "socket.create_server(('127.0.0.1', 0))",
    "it reaches sockets of the system": (
        "os.chdir(folder); socket.socket(socket.AF_UNIX).connect('socket')"
    ),
    "it reaches abstract sockets": "socket.socket(socket.AF_UNIX).connect(abstract)",
    "it sends to sockets of the system": (
        "os.chdir(folder)\n"
        "socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'x', 'mailbox')"
    ),
    "it signals other processes": "os.kill(pid, 0)",
    "it limits other processes": "resource.prlimit(pid, resource.RLIMIT_CORE)",
    "it makes namespaces": "assert libc.unshare(0x10000000) == 0",
    "it can gain privileges": "assert libc.prctl(39, 0, 0, 0, 0) != 1",
    "system calls are not filtered": "assert libc.prctl(21, 0, 0, 0, 0) != 2",
    "it has capabilities": "assert capabilities()",
    "it is root": "assert os.getuid() == 0",
}
# What it must be able to do.
_NEEDED = {
    "it cannot write its work directory": "open('probe', 'w').write('x')",
    "it cannot change modes in its work directory": (
        "os.chmod('probe', 0o600); assert os.stat('probe').st_mode & 0o777 == 0o600"
    ),
    "it cannot run programs": "assert os.system('true') == 0",
}
_SCRIPT = """
import ctypes, json, os, resource, socket, sys
globals().update(json.loads(sys.argv[1]))
libc = ctypes.CDLL(None)
work = os.getcwd()
def capabilities():
    head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    return libc.capget(head, data) != 0 or any(data)
def works(words):
    try:
        exec(words)
        return True
    except BaseException:
        return False
    finally:
        os.chdir(work)
bad = [name for name, words in forbidden.items() if works(words)]
bad += [name for name, words in needed.items() if not works(words)]
bad += [f'no limit: {name}' for name, most in limits.items()
        if not 0 <= resource.getrlimit(getattr(resource, name))[1] <= most]
works("open(os.path.expanduser('~/.ssh/id_ed25519')).read()")
sleeper = os.fork()
if sleeper == 0:
    os.setsid()
    os.closerange(0, 10)
    os.execvp('sleep', ['sleep', '60'])
print(json.dumps([bad, sleeper]))
"""


def gaps(sandbox: "Sandbox") -> list[str]:
    """What a job can do that it must not; with any, nothing runs."""
    base = open_folder()
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="skillforge-probe-", dir=base)
            )
        except OSError as err:
            raise unwritable(base, err) from err
        try:
            ended = sandbox.run(_job(Path(folder), stack))
        except SkillforgeError as err:
            return [err.message]
        except OSError as err:  # such as root without CAP_CHOWN
            return [f"it cannot be run: {err}"]
        return _judge(ended)


def _job(folder: Path, stack: ExitStack) -> Job:
    limits = Limits(seconds=20)
    facts = _prepare(folder, stack) | {"limits": _bounds(limits)}
    argv = ("python3", "-I", "-S", "-c", _SCRIPT, json.dumps(facts))
    skill = folder / "skill"
    return Job(argv, skill, collect=("probe",), limits=limits, has_traps=True)


def _prepare(folder: Path, stack: ExitStack) -> dict[str, Any]:
    """Create the targets of the job, which all belong to the job's user."""
    (folder / "skill").mkdir()
    for name in ("secret", "spare", "other", "skill/readable"):
        (folder / name).write_text("secret")
    owner = USER_ID if is_root() else -1
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner, owner)
    os.chmod(folder, 0o755)  # noqa: S103 - only Landlock keeps the job out
    server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    abstract = f"\0skillforge-probe-{os.getpid()}"
    _open_sockets(folder, abstract, stack)
    return {
        "pid": os.getpid(),
        "folder": str(folder),
        "secret": str(folder / "secret"),
        "readable": str(folder / "skill" / "readable"),
        "abstract": abstract,
        "port": server.getsockname()[1],
        "forbidden": _FORBIDDEN,
        "needed": _NEEDED,
    }


def _open_sockets(folder: Path, abstract: str, stack: ExitStack) -> None:
    """Open sockets that any user of this machine can use."""
    held = work_files.open_folder(str(folder))  # keeps socket paths short
    stack.callback(os.close, held)
    for name in ("socket", "mailbox"):
        kind = socket.SOCK_DGRAM if name == "mailbox" else socket.SOCK_STREAM
        local = stack.enter_context(socket.socket(socket.AF_UNIX, kind))
        local.bind(f"/proc/self/fd/{held}/{name}")
        os.chmod(name, 0o777, dir_fd=held)  # noqa: S103 - only the sandbox is in the way
        if name == "socket":
            local.listen()
    nameless = stack.enter_context(socket.socket(socket.AF_UNIX))
    nameless.bind(abstract)
    nameless.listen()


def _bounds(limits: Limits) -> dict[str, int]:
    return {
        "RLIMIT_CPU": limits.cpu_seconds + 1,
        "RLIMIT_DATA": limits.memory * 2,
        "RLIMIT_FSIZE": limits.file_size,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_NPROC": 1 << 20,
        "RLIMIT_CORE": 1,  # byte: a core file takes a page
    }


def _judge(ended: "JobResult") -> list[str]:
    try:
        gaps, sleeper = json.loads(ended.out)
    except ValueError:
        words = (ended.err or ended.limit.encode()).decode("utf-8", "replace")
        last = words.strip().splitlines()[-1:] or [f"exit code {ended.code}"]
        return [f"Python cannot be run in it: {last[0][:200]}"]
    if "probe" not in ended.files:
        gaps.append("its work directory cannot be read")
    if not ended.triggered:
        gaps.append("reading a planted key is not detected")
    if not ended.tried_to_connect:
        gaps.append("an attempt to connect is not detected")
    if os.path.exists(f"/proc/{sleeper}"):
        gaps.append("a process of the job keeps running")
    return list(gaps)
