"""What a container's own Python does for us, before and after a job.

It runs as the job's user, from a read-only mount, and is told on its standard input
what to do: put things in place, or end what is left and say what came of the job.
"""

import base64
import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from skillforge.sandbox import HOME_DIR, WORK_DIR, traps, work_files

# What the first process does: nothing, but nobody it inherits stays a zombie.
WAIT = (
    "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    "signal.alarm({seconds})  # also if nobody is left to end it\n"
    "while True: signal.pause()"
)
CALL = (
    "import sys; sys.path.insert(0, {place!r}); "
    "from skillforge.sandbox import container_agent; "
)
_COUNTERS = ("/proc/net/snmp", "/proc/net/snmp6")
# Where the kernel counts what it refused, in either form of its groups.
_REFUSED = {
    "oom_kill": ("/memory.events", "/memory/memory.oom_control"),
    "max": ("/pids.events", "/pids/pids.events"),
}


def furnish() -> None:
    """Put the files of a job in place; answers when each trap was last changed."""
    request = json.load(sys.stdin)
    work = work_files.open_folder(WORK_DIR)
    for path, data in request["files"].items():
        work_files.put(work, path, base64.b64decode(data))
    for path, target in request["links"].items():
        work_files.link(work, path, target)
    changed = {}
    if request["token"]:
        changed = traps.plant(
            work_files.open_folder(HOME_DIR), traps.Traps(request["token"])
        )
    json.dump(changed, sys.stdout)


def clear() -> None:
    """End what is left of a job. Nothing that is said while it lives is believed."""
    for _ in range(3):
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    json.dump({}, sys.stdout)


def collect() -> None:
    """Answer with all that can be seen of a job that is gone."""
    request = json.load(sys.stdin)
    work = work_files.open_folder(WORK_DIR)
    space = os.fstatvfs(work)
    files = work_files.take_all(work, request["paths"], request["most"])
    answer = {
        "files": {p: [file.kind, _text(file.data)] for p, file in files.items()},
        "touched": traps.touched(work_files.open_folder(HOME_DIR), request["marks"]),
        "counters": "".join(map(_read, _COUNTERS)),
        "is_full": space.f_bavail == 0,
        "file_count": space.f_files - space.f_ffree,
        "refused": {name: _refused(name) for name in _REFUSED},
    }
    json.dump(answer, sys.stdout)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _refused(name: str) -> int:
    """How often the kernel refused memory or a process."""
    for path in _REFUSED[name]:
        for line in _read(f"/sys/fs/cgroup{path}").splitlines():
            words = line.split()
            if len(words) == 2 and words[0] == name:
                return int(words[1])
    return 0


def answer_of(data: bytes) -> Mapping[str, Any]:
    """An answer as it came out; ValueError if it is none."""
    answer = json.loads(data)
    if not isinstance(answer, dict):
        raise ValueError("not an answer")
    return answer
