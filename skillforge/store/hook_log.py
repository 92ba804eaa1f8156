"""The outcome of each `hook run`, one JSON object a line, in a file of limited size.

A plain file, because it has to work where the private store does not. It is in the
library's git directory; failures that concern no library are in the user's cache.
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from skillforge.errors import SkillforgeError
from skillforge.store.cache_paths import cache_folder

Entry = dict[str, Any]
_MAX_BYTES = 64 << 10  # beyond, the older half is dropped
_MAX_ERROR = 1000


def entry(agent: str, session: str, **outcome: Any) -> Entry:
    """An outcome to append; one with an `error` is a failure."""
    if error := outcome.get("error"):
        outcome["error"] = " ".join(str(error).split())[:_MAX_ERROR]
    return {"at": int(time.time()), "agent": agent, "session": session, **outcome}


def append(record: Entry, git_dir: Path | None = None) -> None:
    """Append to the library's log; to the user's, if that can't be written."""
    line = f"{json.dumps(record)}\n".encode()
    for path in _paths(git_dir):
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, line)
            return


def last(git_dir: Path | None = None) -> tuple[Entry, Path] | None:
    """The newest entry of a library's log and the user's, and the file it is in."""
    newest = [(found, path) for path in _paths(git_dir) if (found := _last_of(path))]
    return max(newest, key=lambda pair: int(pair[0]["at"]), default=None)


def _paths(git_dir: Path | None) -> list[Path]:
    paths = [git_dir / "skillforge" / "hook.log"] if git_dir else []
    with suppress(SkillforgeError):  # a user without a home
        paths.append(cache_folder() / "hook.log")
    return paths


def _write(path: Path, line: bytes) -> None:
    """Append in one write, so that lines of several processes don't mix."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    handle = os.open(path, flags, 0o600)  # it may contain private paths
    try:
        if os.fstat(handle).st_size + len(line) > _MAX_BYTES:
            line = _tail(path, _MAX_BYTES // 2) + line
            os.ftruncate(handle, 0)
        os.write(handle, line)
    finally:
        os.close(handle)


def _last_of(path: Path) -> Entry | None:
    with suppress(OSError):
        for line in reversed(_tail(path, _MAX_BYTES).splitlines()):
            with suppress(ValueError):
                found = json.loads(line)
                if isinstance(found, dict) and isinstance(found.get("at"), int):
                    return found
    return None


def _tail(path: Path, size: int) -> bytes:
    """The last complete lines of a file, up to a size."""
    with path.open("rb") as file:
        start = max(0, file.seek(0, os.SEEK_END) - size)
        file.seek(start)
        data = file.read(size)
    return data.partition(b"\n")[2] if start else data
