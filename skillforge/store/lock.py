"""A lock that keeps the processes of one clone apart."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from skillforge import flock
from skillforge.errors import ConflictError, ToolError


class ExclusiveLock:
    """A lock that one process holds at a time; within it, as deep as it likes."""

    def __init__(self, git_dir: Callable[[], Path]) -> None:
        self._git_dir = git_dir
        self._is_held = False

    @contextmanager
    def __call__(self) -> Iterator[None]:
        if self._is_held:
            yield
            return
        with alone(self._git_dir()):
            self._is_held = True
            try:
                yield
            finally:
                self._is_held = False


class LockHolder(NamedTuple):
    """The process that holds the lock, 0 if unknown, and for how many seconds."""

    process: int
    seconds: float


def holder(git_dir: Path) -> LockHolder | None:
    """Who holds the lock of a clone now; the lock of a process ends with it."""
    import fcntl

    path = _path(git_dir)
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        noted = os.read(handle, 20).decode("ascii", "replace")
        seconds = time.time() - os.fstat(handle).st_mtime
        return LockHolder(int(noted) if noted.isdigit() else 0, seconds)
    finally:
        os.close(handle)
    return None


def _path(git_dir: Path) -> Path:
    return git_dir / "skillforge" / "lock"


@contextmanager
def alone(git_dir: Path, seconds: float = 60) -> Iterator[None]:
    """Keep other processes of this clone out until this one is done or dead."""
    with held(_path(git_dir), "the git directory", seconds):
        yield


@contextmanager
def held(path: Path, place: str, seconds: float = 60) -> Iterator[None]:
    """Hold the lock of a file or a folder; other processes of this machine wait."""
    try:
        if path.is_dir():
            handle = os.open(path, os.O_RDONLY)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A project may bring a link or a pipe of that name.
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
            handle = os.open(path, flags, 0o666)
    except OSError as err:
        raise ToolError(
            f"cannot write in {path.parent}: {err.strerror}",
            hint=f"nothing was changed; {place} has to be writable",
        ) from err
    try:
        if not flock.lock(handle, seconds):
            raise ConflictError(
                f"another skillforge has been at work for {seconds:.0f} s",
                hint=f"try again; `fuser {path}` tells which process it is",
            )
        with suppress(OSError):  # for `holder`; a folder can't be written, nor need be
            os.ftruncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        os.close(handle)  # the lock goes with it
