"""Locks between processes: one for each clone, and one for any file or folder."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from skillforge import flock
from skillforge.errors import ConflictError, ToolError


class ExclusiveLock:
    """The lock of a clone; reentrant within the process that holds it."""

    def __init__(self, git_dir: Callable[[], Path]) -> None:
        self._git_dir = git_dir
        self._is_held = False

    @contextmanager
    def __call__(self) -> Iterator[None]:
        if self._is_held:
            yield
            return
        with exclusive(self._git_dir()):
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
    """The process that holds the lock of a clone; None if it is free."""
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
def exclusive(git_dir: Path, seconds: float = 60) -> Iterator[None]:
    """Hold the lock of a clone; other processes wait. It ends with the process."""
    with locked(_path(git_dir), "the git directory", seconds):
        yield


@contextmanager
def locked(path: Path, place: str, seconds: float = 60) -> Iterator[None]:
    """Hold the lock of a file or a folder; other processes of this machine wait.

    `place` is the folder as error messages name it.
    """
    try:
        if path.is_dir():
            handle = os.open(path, os.O_RDONLY)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A hostile project may contain a link or a pipe of that name.
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
                f"another skillforge process has held the lock for {seconds:.0f} s",
                hint=f"try again; to see which process it is: fuser {path}",
            )
        with suppress(OSError):  # for `holder`; not needed for a folder
            os.ftruncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        os.close(handle)  # the lock goes with it
