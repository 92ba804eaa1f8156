"""Move refs, all or none, also where git dies half-way.

Git locks all refs, checks them, and then changes them one after the other. If it is
killed meanwhile, it leaves some as they were, and its locks. So the move is noted
before, and the next process finishes it: what git began to change, it had checked.
"""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from skillforge import flock, processes
from skillforge.errors import ConflictError, SkillforgeError, ToolError, unwritable
from skillforge.gitrepo import damage
from skillforge.gitrepo.ref_update import RefUpdate, cannot_write, ref_lines

if TYPE_CHECKING:
    from skillforge.gitrepo.repository import GitRepo

# With a reflog also outside refs/heads: `doctor` repairs refs by that.
_LINE = ("update-ref", "--create-reflog", "--stdin", "-z")
_FATAL = 128  # what git exits with on an error
_TRIES = 2  # of a git that dies
_MOST_SECONDS = 60  # to wait for another process
_BUSY_SECONDS = 2  # to wait for other gits, one of which may own a lock
_SHARED_LOCKS = ("packed-refs.lock", "HEAD.lock")


def move(repo: "GitRepo", updates: Sequence[RefUpdate]) -> bool:
    """Move refs, all or none; False if one has not its old value any more."""
    with _noted(repo, updates) as handle:
        for _ in range(_TRIES):
            done = repo.run(*_LINE, stdin=ref_lines(updates), handed=[handle])
            if not _has_died(done):
                break
            if _settle(repo, updates, os.fstat(handle).st_mtime):
                return True
    if done.code == 0:
        return True
    if any(repo.ref(update.ref) != update.old for update in updates):
        return False
    raise _failed(done)


def finish(repo: "GitRepo") -> None:
    """Finish the move of a process that died, where this one may write."""
    path = _path(repo)
    with suppress(OSError, SkillforgeError):
        if path.stat().st_size:
            with _locked(path, seconds=0) as handle:
                _finish(repo, handle)


@contextmanager
def _noted(repo: "GitRepo", updates: Sequence[RefUpdate]) -> Iterator[int]:
    """Keep a note of a move until it is done; its file is open, and locked."""
    path = _path(repo)
    with _locked(path, _MOST_SECONDS) as handle:
        _finish(repo, handle)
        try:
            os.pwrite(handle, json.dumps(updates).encode(), 0)
        except OSError as err:
            raise unwritable(path.parent, err) from err
        yield handle
        os.ftruncate(handle, 0)


@contextmanager
def _locked(path: Path, seconds: float) -> Iterator[int]:
    """The file of the note, for one process, and a git that it starts, at a time."""
    try:
        path.parent.mkdir(exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as err:
        raise unwritable(path.parent, err) from err
    try:
        if not flock.lock(handle, seconds):
            raise ConflictError(
                f"another process has been moving refs for {seconds:.0f} s",
                hint=f"try again; `fuser {path}` tells which process it is",
            )
        yield handle
    finally:
        os.close(handle)


def _finish(repo: "GitRepo", handle: int) -> None:
    """Do what a note says that nobody works on, and empty it."""
    noted = os.fstat(handle)
    if not noted.st_size:
        return
    try:
        rows = json.loads(os.pread(handle, noted.st_size, 0))
        updates = [RefUpdate(*map(str, row)) for row in rows]
    except (ValueError, TypeError):
        updates = []  # it died while it wrote the note, and moved nothing
    _settle(repo, updates, noted.st_mtime)
    os.ftruncate(handle, 0)


def _settle(repo: "GitRepo", updates: Sequence[RefUpdate], since: float) -> bool:
    """Finish what a git began that has died; False if it had moved nothing."""
    _remove_locks(repo, updates, since)
    changing = [update for update in updates if update.new != update.old]
    left = [update for update in changing if repo.ref(update.ref) != update.new]
    if len(left) == len(changing):
        return False
    if left and all(repo.ref(update.ref) == update.old for update in left):
        done = repo.run(*_LINE, stdin=ref_lines(left))
        if done.code:
            raise _failed(done)
    return True


def _has_died(done: processes.ProcessResult) -> bool:
    """Whether a signal ended it; a shell reports that as 128 and the signal."""
    return done.code < 0 or done.code > _FATAL


def _failed(done: processes.ProcessResult) -> ToolError:
    if not _has_died(done):
        return cannot_write(done.complaint)
    signal = -done.code if done.code < 0 else done.code - _FATAL
    return ToolError(
        f"git was killed by signal {signal} while it moved refs",
        hint="run the command again: it finishes what git began",
    )


def _remove_locks(repo: "GitRepo", updates: Sequence[RefUpdate], since: float) -> None:
    """Remove the locks of a git that has died, unless they may be another one's."""
    names = {repo.common_dir / f"{update.ref}.lock" for update in updates}
    deadline = time.monotonic() + _BUSY_SECONDS
    while left := [
        lock.path
        for lock in damage.locks(repo.common_dir)
        if (lock.path in names or lock.path.name in _SHARED_LOCKS)
        and lock.made >= since
    ]:
        if not damage.is_git_running(repo.root, repo.common_dir.parent):
            for path in left:
                path.unlink(missing_ok=True)
        elif time.monotonic() > deadline:
            raise ConflictError(
                f"a git that died left {left[0]}, and another git is running",
                hint=damage.stale_lock(left[0]),
            )
        else:
            time.sleep(0.05)


def _path(repo: "GitRepo") -> Path:
    return repo.common_dir / "skillforge" / "ref-moves.json"
