"""Attempts to get out of the sandbox, or to harm what is around it.

Each is the script of a small hostile skill, which ends with 0 if it got what it wanted.
All have to be stopped, and the report has to say by what.
"""

import contextlib
import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillforge import sandbox
from skillforge.sandbox.traps import KEY_FILES
from tests.conftest import LibraryFolder
from tests.sandbox.conftest import Try, running

HOME = Path.home()
PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin") or "python3"
SECRET = "sekrit-4711-of-the-host"

# Without a mount namespace what is refused is there, and may not be opened.
CLOSED = ("No such file", "Permission denied")
# What it does, and what the report has to say of it.
READS = {
    "ssh-keys": f"open('{HOME}/.ssh/id_rsa')",
    "any-home": f"print(open('{HOME}/.bashrc').read())",
    "shadow": "open('/etc/shadow')",
    "machine-id": "open('/etc/machine-id')",
    "host-name": "assert open('/etc/hostname')",
    "mounted-disks": "import os; assert os.listdir('/mnt') or os.listdir('/media')",
    "docker-socket": (
        "import socket; socket.socket(socket.AF_UNIX).connect('/run/docker.sock')",
        ("No such file", "refused"),
    ),
    "kernel-settings": "import os; os.listdir('/sys/kernel')",
    "kernel-memory": "open('/dev/mem', 'rb')",
    "disks": "import glob; open((glob.glob('/dev/[svx]d*[a-z]') or ['/dev/sda'])[0])",
    "shared-memory-of-others": (
        "import os; os.listdir('/dev/shm')[0]",
        (*CLOSED, "IndexError"),
    ),
    "messages-of-the-kernel": "open('/dev/kmsg')",
    "site-packages": ("import click", ("No module named",)),
}
WRITES = {
    "skill": "import os; open(os.environ['SKILL_DIR'] + '/SKILL.md', 'a')",
    "skill-by-link": "open('scripts/attack.py', 'a')",
    "programs": "open('/usr/bin/evil', 'w')",
    "settings": "open('/etc/evil', 'w')",
    "root": "open('/evil', 'w')",
    "home": "import os; open(os.path.expanduser('~/evil'), 'w')",
    "devices": "open('/dev/evil', 'w')",
    "core-pattern": "open('/proc/sys/kernel/core_pattern', 'w').write('|/work/evil')",
    "sysrq": "open('/proc/sysrq-trigger', 'w').write('b')",
    "own-input": "open('/dev/stdin', 'w')",
}
# System calls by number (x86_64), with their arguments; they have to be refused.
CALLS = {
    "mount": (165, "b'none', b'.', b'tmpfs', 0, 0"),
    "umount": (166, "b'/skill', 2"),
    "unshare-users": (272, "0x10000000"),
    "unshare-network": (272, "0x40000000"),
    "ptrace-parent": (101, "16, 1, 0, 0"),
    "ptrace-me": (101, "0, 0, 0, 0"),
    "read-memory-of-first": (310, "1, 0, 0, 0, 0, 0"),
    "pivot-root": (155, "b'.', b'.'"),
    "chroot": (161, "b'.'"),
    "set-host-name": (170, "b'evil', 4"),
    "load-module": (175, "0, 0, b''"),
    "kexec": (246, "0, 0, 0, 0"),
    "reboot": (169, "0xfee1dead, 672274793, 0x1234567, 0"),
    "set-clock": (227, "0, 0"),
    "keyring": (250, "0, -3, 0, 0, 0"),
    "bpf": (321, "0, 0, 0"),
    "perf": (298, "0, 0, -1, -1, 0"),
    "io-uring": (425, "8, b'0' * 200"),
    "userfaultfd": (323, "0"),
    "open-by-handle": (304, "-100, b'0' * 64, 0"),
    "memory-file": (319, "b'evil', 0"),
    "shared-memory": (29, "0, 1 << 20, 0o1600"),
    "semaphores": (64, "0, 32000, 0o1600"),
    "messages": (68, "0, 0o1600"),
    "message-queue": (240, "b'/q', 0o102, 0o600, 0"),
    "async-io": (206, "1000, b'0' * 8"),
    "map-too-much": (9, "0, 1 << 40, 1, 0x22, -1, 0"),
    "raw-io": (172, "3"),
    "personality": (135, "0x0040000"),
    "setuid": (105, "0"),
    "setgid": (106, "0"),
    "set-groups": (116, "1, b'0000'"),
    "raise-limit": (160, "6, (ctypes.c_long * 2)(-1, -1)"),
    "vsock": (41, "40, 1, 0"),
    "netlink": (41, "16, 3, 0"),
    "raw-packets": (41, "17, 3, 0"),
    "raw-ip": (41, "2, 3, 1"),
    "fake-terminal-input": (16, "0, 0x5412, b'x'"),
    "make-device": (133, "b'disk', 0o60600, 2048"),
    "clone-new-user": (56, "0x10000011, 0, 0, 0, 0"),
    "clone-new-mounts": (56, "0x00020011, 0, 0, 0, 0"),
    "clone-new-network": (56, "0x40000011, 0, 0, 0, 0"),
    "clone-unseen": (435, "b'0' * 88, 88"),
    "open-unseen": (437, "-100, b'.', b'0' * 24, 24"),
    "join-namespace": (308, "0, 0"),
    "pin-pages": (278, "1, 0, 0, 0"),
    "bind-to-device": (54, "1, 1, 25, b'lo', 2"),
    "pair-of-netlink": (53, "16, 3, 0, b'0' * 8"),
    "steal-descriptor": (438, "0, 0, 0"),
    "mount-by-parts": (430, "b'tmpfs', 0"),
}
CALL = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
answer = libc.syscall({number}, *[
    ctypes.c_long(it) if isinstance(it, int) else it for it in ({arguments},)
])
if answer < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
"""


def is_landlock() -> bool:
    box, _ = sandbox.choose()
    return box is not None and box.name == "landlock"


def params(table: dict[str, object]) -> list[object]:
    return [pytest.param(value, id=name) for name, value in table.items()]


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("what", params({**READS}))
def test_it_cannot_read(attempt: Try, what: str | tuple[str, tuple[str, ...]]) -> None:
    script, says = what if isinstance(what, tuple) else (what, CLOSED)

    trial = attempt(script)

    assert trial["outcome"] == "failed"
    assert any(words in trial["detail"] for words in says), trial["detail"]


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("script", params({**WRITES}))
def test_it_cannot_write(attempt: Try, script: str) -> None:
    trial = attempt(script, stdin="input")

    assert trial["outcome"] == "failed"
    reasons = ("Read-only file system", "Permission denied", "not permitted", "No such")
    assert any(words in trial["detail"] for words in reasons)


@pytest.mark.needs_sandbox
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are x86_64's")
@pytest.mark.parametrize("call", params({**CALLS}))
def test_it_cannot_call_the_kernel_for_more(
    attempt: Try, call: tuple[int, str]
) -> None:
    trial = attempt(CALL.format(number=call[0], arguments=call[1]))

    assert trial["outcome"] == "failed"
    reasons: tuple[str, ...] = ("not permitted", "not supported", "Permission denied")
    reasons += ("Address family", "not implemented")
    if call[0] == 9:
        reasons = ("Cannot allocate memory",)
    if call[0] in (105, 106):  # a user that its namespace does not know
        reasons = ("not permitted", "Invalid argument")
    assert any(words in trial["detail"] for words in reasons), trial["detail"]


@pytest.mark.needs_sandbox
def test_it_cannot_see_the_library_or_another_skill(
    attempt: Try, library: LibraryFolder
) -> None:
    library.write("skills/other/SKILL.md", "secret")
    places = [".git/config", "skills/other/SKILL.md", "skillforge.yaml"]
    paths = [f"{library.root}/{place}" for place in places]
    script = f"""
import os, sys
skill = os.environ['SKILL_DIR']
paths = {paths} + [skill + '/../other/SKILL.md', skill + '/../../.git/config']
for path in paths:
    try:
        open(path)
        sys.exit(0)
    except OSError:
        pass
sys.exit('none is there')
"""
    trial = attempt(script)

    assert trial["outcome"] == "failed"
    assert "none is there" in trial["detail"]


@pytest.mark.needs_sandbox
def test_it_knows_no_variable_of_ours(
    attempt: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", SECRET)
    monkeypatch.setenv("PYTHONPATH", str(HOME))
    script = """
import glob, os, sys
seen = str(os.environ)
pids = glob.glob('/proc/[0-9]*') or [f'/proc/{pid}' for pid in range(1, 99999)]
for path in [f'{pid}/environ' for pid in pids]:
    try:
        seen += open(path).read()
    except OSError:
        pass
sys.exit(0 if 'DEPLOY' in seen or 'GIT_AUTHOR' in seen else 'nothing of it')
"""
    trial = attempt(script)

    assert trial["outcome"] == "failed"
    assert "nothing of it" in trial["detail"]
    assert SECRET not in trial["detail"]


@pytest.mark.needs_sandbox
def test_it_sees_and_reaches_no_process_of_ours(attempt: Try) -> None:
    script = f"""
import os, sys
try:
    pids = [int(p) for p in os.listdir('/proc') if p.isdigit()]
except PermissionError:
    pids = []
try:
    os.kill({os.getpid()}, 9)
except (ProcessLookupError, PermissionError):
    sys.exit(f'alone with {{len(pids)}}' if len(pids) < 5 else 0)
"""
    trial = attempt(script)

    assert trial["outcome"] == "failed"
    assert "alone with " in trial["detail"]


@pytest.mark.needs_sandbox
def test_killing_everybody_kills_only_itself(attempt: Try) -> None:
    trial = attempt("import os; os.kill(-1, 9); print('on we go')", expect={"exit": 5})

    assert trial["outcome"] == "failed"
    assert "expected 5, got" in trial["detail"]


@pytest.mark.needs_sandbox
def test_it_inherits_no_open_file(attempt: Try) -> None:
    script = """
import os, sys
links = {fd: os.readlink(f'/proc/self/fd/{fd}') for fd in range(256)
         if os.path.islink(f'/proc/self/fd/{fd}')}
skill = os.path.realpath(os.environ['SKILL_DIR'])
odd = {fd: to for fd, to in links.items()
       if not to.startswith(('/dev/null', 'pipe:', 'user:', skill))}
sys.exit(f'others: {odd}' if odd else 'only its own')
"""
    assert "only its own" in attempt(script)["detail"]


@contextlib.contextmanager
def listening(family: int, address: object) -> Iterator[tuple[object, list[object]]]:
    """A server of the host's: its address, and who called it."""
    callers: list[object] = []
    with socket.socket(family) as server:
        server.bind(address)  # type: ignore[arg-type]
        server.listen()
        server.settimeout(20)

        def serve() -> None:
            with contextlib.suppress(OSError):
                callers.append(server.accept())

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname(), callers


CONNECT = """
import socket, sys
with socket.socket(socket.{family}, socket.SOCK_STREAM) as s:
    s.settimeout(3)
    s.connect({address!r})
"""


@pytest.mark.needs_sandbox
def test_it_cannot_reach_the_hosts_loopback(attempt: Try) -> None:
    with listening(socket.AF_INET, ("127.0.0.1", 0)) as (address, callers):
        trial = attempt(CONNECT.format(family="AF_INET", address=address))

        assert trial["outcome"] == "failed"
        assert "tried to connect" in trial["detail"]
        assert "Connection refused" in trial["detail"]
        assert not callers


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("name", ["\0skillforge-", "path"])
def test_it_cannot_reach_a_unix_socket_of_the_host(
    attempt: Try, tmp_path: Path, name: str
) -> None:
    is_abstract = name.startswith("\0")
    address = f"{name}{os.getpid()}" if is_abstract else str(tmp_path / name)
    with listening(socket.AF_UNIX, address) as (_, callers):
        trial = attempt(CONNECT.format(family="AF_UNIX", address=address))

        assert trial["outcome"] == "failed"
        assert "refused" in trial["detail"] or "No such file" in trial["detail"]
        assert not callers


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    "script",
    [
        pytest.param("socket.getaddrinfo('example.com', 443)", id="names"),
        pytest.param(
            "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('9.9.9.9', 53))",
            id="datagram",
        ),
        pytest.param("socket.create_connection(('1.1.1.1', 443), 3)", id="address"),
        pytest.param(
            "socket.create_connection(('2606:4700:4700::1111', 443), 3)", id="six"
        ),
    ],
)
def test_it_cannot_reach_the_network_and_the_try_is_reported(
    attempt: Try, script: str
) -> None:
    trial = attempt(f"import socket; {script}")

    assert trial["outcome"] == "failed"
    assert "tried to connect" in trial["detail"]


@pytest.mark.needs_sandbox
def test_local_connections_are_not_reported_as_attempts(attempt: Try) -> None:
    """Where it cannot, which is a known weakness, it fails, and is not accused."""
    script = """
import socket, threading
server = socket.create_server(('127.0.0.1', 0))
threading.Thread(target=server.accept, daemon=True).start()
socket.create_connection(server.getsockname(), 3).close()
"""
    trial = attempt(script)

    assert "tried to connect" not in trial["detail"]
    assert trial["outcome"] == ("failed" if is_landlock() else "passed")


@pytest.mark.needs_sandbox
def test_a_try_to_connect_may_be_part_of_the_case(attempt: Try) -> None:
    script = """
import socket
try:
    socket.create_connection(('1.1.1.1', 443), 3)
except OSError:
    print('offline')
"""
    expect = {"connects": True, "stdout": "offline"}

    assert attempt(script, expect=expect)["outcome"] == "passed"


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("path", [".ssh/id_ed25519", ".aws/credentials"])
def test_a_trap_that_it_reads_is_reported(attempt: Try, path: str) -> None:
    trial = attempt(f"import os; open(os.path.expanduser('~/{path}')).read()")

    assert trial["outcome"] == "failed"
    assert f"it read /home/agent/{path}" in trial["detail"]


@pytest.mark.needs_sandbox
def test_a_trap_whose_times_it_sets_back_is_reported(attempt: Try) -> None:
    script = """
import os, time
path = os.path.expanduser('~/.ssh/id_ed25519')
time.sleep(.02)
open(path).read()
try:
    os.utime(path, ns=(0, 0))
except PermissionError:
    pass
"""
    assert "it read /home/agent/.ssh/id_ed25519" in attempt(script)["detail"]


@pytest.mark.needs_sandbox
def test_a_secret_of_its_environment_that_it_writes_out_is_reported(
    attempt: Try,
) -> None:
    trial = attempt("import os; print(os.environ['GITHUB_TOKEN'])")

    assert trial["outcome"] == "failed"
    assert "it printed a planted secret" in trial["detail"]


@pytest.mark.needs_sandbox
def test_reading_a_trap_without_a_trace_is_refused(attempt: Try) -> None:
    script = """
import fcntl, os
path = os.path.expanduser('~/.ssh/id_ed25519')
for how in (lambda: os.open(path, os.O_RDONLY | os.O_NOATIME),
            lambda: fcntl.fcntl(os.open(path, 0), fcntl.F_SETFL, os.O_NOATIME)):
    try:
        how()
    except PermissionError:
        print('refused')
"""
    expect = {"stdout": "refused\nrefused"}

    trial = attempt(script, expect=expect)

    # Where opening it is noticed already, nothing else is to be said against it.
    opened = "it read /home/agent/.ssh/id_ed25519, a key planted as a trap"
    assert trial["detail"] == (opened if is_landlock() else "")


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("how", ["base64.b64encode(t)", "t.hex()", "t.decode()[::-1]"])
@pytest.mark.parametrize("before", ["", "x", "xy"])
def test_a_secret_in_disguise_is_still_one(attempt: Try, how: str, before: str) -> None:
    script = f"import base64, os; t = b'{before}' + os.environ['GITHUB_TOKEN'].encode()"

    assert "it printed a planted secret" in attempt(f"{script}; print({how})")["detail"]


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("path", sorted(KEY_FILES))
@pytest.mark.parametrize("how", ["open(path).read()", "os.rename(path, path + 'x')"])
def test_every_trap_is_one(attempt: Try, path: str, how: str) -> None:
    script = f"""
import os
path = os.path.expanduser('~/{path}')
try:
    os.chmod(os.path.dirname(path), 0o755)
except PermissionError:
    pass
{how}
"""
    trial = attempt(script)

    assert trial["outcome"] == "failed"
    moved = "Permission denied" in trial["detail"]  # root's own, and not to be moved
    assert moved or f"it read /home/agent/{path}" in trial["detail"]


@pytest.mark.needs_sandbox
def test_a_secret_in_a_file_that_is_expected_is_reported(attempt: Try) -> None:
    script = "import os; open('out', 'w').write(os.environ['OPENAI_API_KEY'])"

    trial = attempt(script, expect={"files": {"out": {"exists": True}}})

    assert "it printed a planted secret" in trial["detail"]


@pytest.mark.needs_sandbox
def test_it_has_a_session_of_its_own(attempt: Try) -> None:
    script = "import os; print(os.getsid(0) in (1, 2, os.getpid(), os.getppid()))"

    assert attempt(script, expect={"stdout": "True"})["outcome"] == "passed"


@pytest.mark.needs_sandbox
def test_all_that_it_wrote_is_read(attempt: Try) -> None:
    script = "import os; os.write(1, b'x' * 60_000); os.write(2, b'y' * 60_000)"
    expect = {"stdout": {"matches": "^x{60000}$"}, "stderr": {"matches": "^y{60000}$"}}

    assert attempt(script, expect=expect)["outcome"] == "passed"


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(("count", "outcome"), [(60, "passed"), (66, "limit")])
def test_so_many_processes_and_no_more(attempt: Try, count: int, outcome: str) -> None:
    script = f"""
import os, time
for _ in range({count - 1}):
    if os.fork() == 0:
        time.sleep(.6); os._exit(0)
time.sleep(.6)
"""
    assert attempt(script)["outcome"] == outcome


@pytest.mark.needs_sandbox
def test_what_children_have_from_their_parent_counts_once(attempt: Try) -> None:
    script = """
import os, time
x = bytearray(os.urandom(60 << 20))
for _ in range(15):
    if os.fork() == 0:
        time.sleep(.6); os._exit(0)
time.sleep(.6)
"""
    assert attempt(script)["outcome"] == "passed"


@pytest.mark.needs_sandbox
def test_the_variables_of_a_case_are_its_programs_alone(
    attempt: Try, library: LibraryFolder
) -> None:
    """The shell and the tools that shut the door are not to obey them."""
    for name in ("setpriv", "env", "sh", "command"):
        liar = "#!/bin/sh\nid -u > ran\nexit 0\n"
        library.write(f"skills/hostile/scripts/{name}", liar).chmod(0o755)
    env = {
        "PATH": "/skill/scripts:scripts:/usr/bin:/bin",
        "LD_PRELOAD": "/skill/scripts/evil.so",
        "ENV": "/skill/scripts/sh",
        "BASH_ENV": "/skill/scripts/sh",
    }
    run = [PYTHON, "-c", "import os; print(os.getuid())"]

    trial = attempt("", run=run, env=env, expect={"files": {"ran": {"absent": True}}})

    assert trial["outcome"] == "passed", trial["detail"]


LIMITS = {
    "fork-bomb": ("sh -c 'bomb() { bomb | bomb & }; bomb; sleep 30'", "processes"),
    "forks": (
        "import os, time\nwhile True:\n try: os.fork()\n"
        " except OSError: time.sleep(30)",
        "processes",
    ),
    "threads": (
        "import threading, time\nfor _ in range(500):\n"
        " threading.Thread(target=time.sleep, args=(30,)).start()",
        "processes",
    ),
    "memory": ("x = []\nwhile True: x.append(bytearray(1 << 22))", "of memory"),
    "memory-of-children": (
        "import os, time\nfor _ in range(3): os.fork()\n"
        "x = b'x' * (100 << 20); time.sleep(30)",
        "of memory",
    ),
    "shared-map": (
        "import mmap\nx = []\nwhile True:\n m = mmap.mmap(-1, 1 << 24)\n"
        " m.write(b'x' * (1 << 24)); x.append(m)",
        "of memory",
    ),
    "shared-map-let-go": (
        "import mmap\nx = []\nwhile True:\n m = mmap.mmap(-1, 1 << 24)\n"
        " m.write(b'x' * (1 << 24)); m.madvise(mmap.MADV_DONTNEED); x.append(m)",
        "of memory",
    ),
    "memory-without-a-first-thread": (
        "import ctypes, os, threading, time\n"
        "def fill():\n time.sleep(.1); x = []\n"
        " while True: x.append(bytearray(os.urandom(1 << 20)) * 4)\n"
        "threading.Thread(target=fill).start()\n"
        "ctypes.CDLL(None).syscall(60, 0)",
        "of memory",
    ),
    "countless-maps": (
        "import mmap, time\nx = mmap.mmap(-1, 1 << 28)\n"
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "start = ctypes.addressof(ctypes.c_char.from_buffer(x))\n"
        "for n in range(0, 30000, 2):\n"
        " libc.mprotect(ctypes.c_void_p(start + n * 4096), 4096, 1)\ntime.sleep(30)",
        "of memory",
    ),
    "files-in-memory": (
        "import time\nfor n in range(20000): open(f'/dev/shm/{n}', 'w').close()\n"
        "time.sleep(30)",
        "more than 10,000 files",
    ),
    "disk": (
        "for n in range(100): open(f'{n}', 'wb').write(b'x' * (1 << 20))",
        "full",
    ),
    "disk-in-memory": (
        "while True: open('/dev/shm/x', 'ab').write(b'x' * (1 << 20))",
        "",
    ),
    "many-files": (
        "import time\nfor n in range(20000): open(f'{n}', 'w').close()\ntime.sleep(30)",
        "more than 10,000 files",
    ),
    "output": (
        "import os\nfor _ in range(10_000): os.write(1, b'x' * (1 << 20))",
        "it wrote more than",
    ),
    "errors": (
        "import os\nfor _ in range(10_000): os.write(2, b'x' * (1 << 20))",
        "it wrote more than",
    ),
    "slow-flood": (
        "import os, time\nwhile True: os.write(1, b'x' * 4000)",
        "it wrote more than",
    ),
}


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("what", params({**LIMITS}))
def test_what_uses_too_much_is_ended(attempt: Try, what: tuple[str, str]) -> None:
    script, says = what
    if "/dev/shm" in script and is_landlock():
        says = ""  # it is not there to be filled
    if script.startswith("sh "):
        script = f"import os; os.system({script!r})"
    start = time.monotonic()

    trial = attempt(script)

    assert trial["outcome"] == ("limit" if says else "failed"), trial
    assert says in trial["detail"]
    assert time.monotonic() - start < 9


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    "script",
    [
        pytest.param("import time; time.sleep(999)", id="sleeps"),
        pytest.param("while True: pass", id="spins"),
        pytest.param(
            "import signal, time\nfor n in range(1, 65):\n try: signal.signal(n, "
            "signal.SIG_IGN)\n except (OSError, ValueError): pass\ntime.sleep(999)",
            id="ignores-signals",
        ),
        pytest.param("import sys; sys.stdin.read(); input()", id="reads-nothing"),
        pytest.param("import os; os.mkfifo('f'); open('f')", id="waits"),
    ],
)
def test_what_takes_too_long_is_ended(attempt: Try, script: str) -> None:
    if "stdin" in script:
        assert attempt(script, timeout=1)["outcome"] == "failed"
        return

    trial = attempt(script, timeout=0.5)

    assert trial["outcome"] == "timeout"
    assert "longer than 0.5 s" in trial["detail"]


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("holds_output", [True, False])
def test_nothing_of_it_outlives_it(attempt: Try, holds_output: bool) -> None:
    mark = f"98765.{os.getpid()}{int(holds_output)}"
    redirect = "" if holds_output else ">/dev/null 2>&1"
    script = f"""
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.system('trap "" TERM HUP INT; sleep {mark} {redirect}')
    os._exit(0)
print('done')
"""
    trial = attempt(script, expect={"stdout": "done"})

    assert trial["outcome"] == "passed"
    assert not running(mark)


@pytest.mark.needs_sandbox
def test_nothing_of_a_timeout_outlives_it(attempt: Try) -> None:
    mark = f"87654.{os.getpid()}"

    trial = attempt(f"import os; os.system('sleep {mark} & sleep {mark}')", timeout=0.5)

    assert trial["outcome"] == "timeout"
    assert not running(mark)


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    "script",
    [
        pytest.param("os.symlink('/etc/passwd', 'out')", id="link"),
        pytest.param("os.symlink('/', 'dir')", id="link-to-folder"),
        pytest.param("os.mkfifo('out')", id="pipe"),
        pytest.param("os.mkdir('out')", id="folder"),
        pytest.param(
            "import socket; socket.socket(socket.AF_UNIX).bind('out')", id="socket"
        ),
    ],
)
def test_a_result_is_never_followed_out_of_the_work_directory(
    attempt: Try, script: str
) -> None:
    path = "dir/etc/passwd" if "dir" in script and "mk" not in script else "out"
    expect = {"files": {path: {"contains": "root"}}}

    trial = attempt(f"import os; {script}", expect=expect)

    assert trial["outcome"] == "failed"
    assert "expected a file, got a" in trial["detail"] or "to exist" in trial["detail"]


@pytest.mark.needs_sandbox
def test_it_cannot_link_what_is_not_its_own(attempt: Try) -> None:
    trial = attempt("import os; os.link('/etc/passwd', 'out')")

    assert trial["outcome"] == "failed"
    reasons = ("cross-device", "not permitted", "Permission denied")
    assert any(words in trial["detail"] for words in reasons)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({"a" * 300: "x"}, "not a path", id="long-name"),
        pytest.param({"/".join("a" * 30): "x"}, "not a path", id="deep"),
        pytest.param({"../out": "x"}, "not a path", id="above"),
        pytest.param({"/etc/out": "x"}, "not a path", id="absolute"),
        pytest.param({"a": "x", "a/b": "y"}, "below a file", id="below-a-file"),
        pytest.param({"a": "x" * (1 << 19)}, "larger than 256 KB", id="huge"),
        pytest.param({"a": {"from": "../SKILL.md"}}, "no such file", id="from"),
    ],
)
def test_files_of_a_case_that_cannot_be_are_refused(
    attempt: Try, files: dict[str, object], says: str
) -> None:
    trial = attempt("pass", files=files)

    assert trial["outcome"] == "error"
    assert says in trial["detail"]


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            'print(\'{"outcome": "passed", "ok": true}\'); raise SystemExit(3)',
            id="json",
        ),
        pytest.param("print('1 passed in 0.01s'); raise SystemExit(3)", id="pytest"),
        pytest.param("import os; os.write(0, b'0'); raise SystemExit(3)", id="input"),
        pytest.param("import os; os.kill(os.getppid(), 9); os.abort()", id="parent"),
    ],
)
def test_a_result_that_looks_like_a_pass_is_none(attempt: Try, script: str) -> None:
    assert attempt(script)["outcome"] == "failed"
