"""Move refs, all or none, even if git is killed half-way.

Git locks all refs, checks them, and then changes one after the other. If it is killed
meanwhile, some refs are not moved, and its locks remain. So a journal records the move
first, and the next process finishes it: once git changes refs, it has checked them all.
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

# A reflog also outside refs/heads: `doctor` repairs refs with it.
_LINE = ("update-ref", "--create-reflog", "--stdin", "-z")
_FATAL = 128  # what git exits with on an error
_TRIES = 2  # if git is killed
_MOST_SECONDS = 60  # to wait for another process
_BUSY_SECONDS = 2  # to wait for other gits, which may own a lock
_SHARED_LOCKS = ("packed-refs.lock", "HEAD.lock")


def move(repo: "GitRepo", updates: Sequence[RefUpdate]) -> bool:
    """Move refs, all or none; False if one no longer has its old value."""
    with _journaled(repo, updates) as handle:
        for _ in range(_TRIES):
            done = repo.run(*_LINE, stdin=ref_lines(updates), handed=[handle])
            if not _was_killed(done):
                break
            if _settle(repo, updates, os.fstat(handle).st_mtime):
                return True
    if done.code == 0:
        return True
    if any(repo.ref(update.ref) != update.old for update in updates):
        return False
    raise _failed(done)


def finish(repo: "GitRepo") -> None:
    """Finish the move of a process that was killed, if this one may write."""
    path = _path(repo)
    with suppress(OSError, SkillforgeError):
        if path.stat().st_size:
            with _locked(path, seconds=0) as handle:
                _finish(repo, handle)


@contextmanager
def _journaled(repo: "GitRepo", updates: Sequence[RefUpdate]) -> Iterator[int]:
    """Record a move until it is done; the journal is open and locked meanwhile."""
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
    """The journal, locked for this process and the git that it starts."""
    try:
        path.parent.mkdir(exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as err:
        raise unwritable(path.parent, err) from err
    try:
        if not flock.lock(handle, seconds):
            raise ConflictError(
                f"another process has been updating refs for {seconds:.0f} s",
                hint=f"try again; `fuser {path}` shows which process it is",
            )
        yield handle
    finally:
        os.close(handle)


def _finish(repo: "GitRepo", handle: int) -> None:
    """Finish the move in an unlocked journal, and empty it."""
    status = os.fstat(handle)
    if not status.st_size:
        return
    try:
        rows = json.loads(os.pread(handle, status.st_size, 0))
        updates = [RefUpdate(*map(str, row)) for row in rows]
    except (ValueError, TypeError):
        updates = []  # an incomplete journal: no ref was moved
    _settle(repo, updates, status.st_mtime)
    os.ftruncate(handle, 0)


def _settle(repo: "GitRepo", updates: Sequence[RefUpdate], since: float) -> bool:
    """Finish the work of a git that was killed; False if it had moved nothing."""
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


def _was_killed(done: processes.ProcessResult) -> bool:
    """Whether a signal ended git; a shell reports that as 128 plus the signal."""
    return done.code < 0 or done.code > _FATAL


def _failed(done: processes.ProcessResult) -> ToolError:
    if not _was_killed(done):
        return cannot_write(done.complaint)
    signal = -done.code if done.code < 0 else done.code - _FATAL
    return ToolError(
        f"git was killed by signal {signal} while it updated refs",
        hint="run the command again: it finishes the move",
    )


def _remove_locks(repo: "GitRepo", updates: Sequence[RefUpdate], since: float) -> None:
    """Remove the locks of a git that was killed, unless another git may own them."""
    names = {repo.common_dir / f"{update.ref}.lock" for update in updates}
    deadline = time.monotonic() + _BUSY_SECONDS
    while left := [
        lock.path
        for lock in damage.locks(repo.common_dir)
        if (lock.path in names or lock.path.name in _SHARED_LOCKS)
        and lock.created >= since
    ]:
        if not damage.is_git_running(repo.root, repo.common_dir.parent):
            for path in left:
                path.unlink(missing_ok=True)
        elif time.monotonic() > deadline:
            raise ConflictError(
                f"a killed git left {left[0]}, and another git is running",
                hint=damage.lock_hint(left[0]),
            )
        else:
            time.sleep(0.05)


def _path(repo: "GitRepo") -> Path:
    return repo.common_dir / "skillforge" / "ref-moves.json"
