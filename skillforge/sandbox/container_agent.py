"""Runs in a container before and after a job.

It runs as the job's user, from a read-only mount. Requests arrive on standard input:
write the files, kill what is left, or report the results.
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

# The first process only reaps the processes that it inherits.
WAIT = (
    "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    "signal.alarm({seconds})  # in case nobody removes the container\n"
    "while True: signal.pause()"
)
CALL = (
    "import sys; sys.path.insert(0, {place!r}); "
    "from skillforge.sandbox import container_agent; "
)
_COUNTERS = ("/proc/net/snmp", "/proc/net/snmp6")
# The kernel's counters of refusals, for cgroup version 2 and 1.
_REFUSED = {
    "oom_kill": ("/memory.events", "/memory/memory.oom_control"),
    "max": ("/pids.events", "/pids/pids.events"),
}


def furnish() -> None:
    """Write the files of a job; answers with the change time of each trap."""
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
    """Kill what is left of a job; its state is only read after that."""
    for _ in range(3):
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    json.dump({}, sys.stdout)


def collect() -> None:
    """Answer with the results of a job that has ended."""
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
    """Parse an answer; ValueError if it is none."""
    answer = json.loads(data)
    if not isinstance(answer, dict):
        raise ValueError("not an answer")
    return answer
