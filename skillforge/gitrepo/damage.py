"""Damage of a git directory that git itself only fails over, read from its files.

Nothing here runs git: with an empty HEAD or a bad packed-refs, no git command works.
"""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skillforge.model.time_units import DAY

_HASH = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"
_HEAD = re.compile(rf"ref: refs/\S+|{_HASH}")
_PACKED = re.compile(rf"#.*|\^{_HASH}|{_HASH} refs/\S.*")
_REFLOG = re.compile(rf"{_HASH} ({_HASH}) ")
STALE = 3600  # seconds after which a lock is left over, if no git is running there


class GitLock(NamedTuple):
    """A lock file of git, and when it was made."""

    path: Path
    made: float

    @property
    def age(self) -> float:
        """In seconds."""
        return time.time() - self.made

    @property
    def is_stale(self) -> bool:
        return self.age > STALE


def is_head_damaged(git_dir: Path) -> bool:
    return not _HEAD.fullmatch(_text(git_dir / "HEAD").strip())


def likely_head(git_dir: Path) -> str:
    """The branch that HEAD named before it was damaged; empty if several may be it."""
    branches = {
        b: h for b, h in _branches(git_dir).items() if not b.startswith("skill/")
    }
    last = last_logged(git_dir, "HEAD")
    found = list(branches) if len(branches) == 1 else []
    found = found or [name for name, tip in branches.items() if tip == last]
    return found[0] if len(found) == 1 else ""


def _branches(git_dir: Path) -> dict[str, str]:
    heads = git_dir / "refs" / "heads"
    lines = _text(git_dir / "packed-refs").splitlines()
    pairs = [line.split(" refs/heads/") for line in lines if " refs/heads/" in line]
    packed = {name: tip for tip, name in pairs}
    loose = (path for path in heads.rglob("*") if path.is_file())
    return packed | {
        path.relative_to(heads).as_posix(): _text(path).strip()
        for path in loose
        if path.suffix != ".lock"
    }


def logged(git_dir: Path, ref: str) -> list[str]:
    """What a ref pointed at by its reflog, the newest first."""
    lines = reversed(_text(git_dir / "logs" / ref).splitlines())
    return [found[1] for line in lines if (found := _REFLOG.match(line))]


def last_logged(git_dir: Path, ref: str) -> str:
    """What a ref pointed at by the last line of its reflog; empty if there is none."""
    return next(iter(logged(git_dir, ref)), "")


def bad_packed_lines(git_dir: Path) -> list[str]:
    """The lines of packed-refs that no git can read."""
    lines = _text(git_dir / "packed-refs").splitlines()
    return [line for line in lines if not _PACKED.fullmatch(line)]


def without_bad_lines(git_dir: Path) -> Path:
    """Rewrite packed-refs with the lines that can be read; a copy of it is kept."""
    path = git_dir / "packed-refs"
    kept = path.with_name("packed-refs.damaged")
    kept.write_bytes(path.read_bytes())
    lines = _text(path).splitlines()
    good = "".join(f"{line}\n" for line in lines if _PACKED.fullmatch(line))
    fresh = path.with_name("packed-refs.new")
    fresh.write_text(good, encoding="utf-8", errors="surrogateescape")
    fresh.replace(path)
    return kept


def locks(git_dir: Path) -> list[GitLock]:
    """Every lock that a git holds, or left when it died."""
    places = [git_dir, *git_dir.glob("worktrees/*"), git_dir / "objects" / "info"]
    found = [lock for place in places for lock in place.glob("*.lock")]
    found += (git_dir / "refs").rglob("*.lock")
    return [GitLock(path, _made(path)) for path in sorted(found) if path.exists()]


def stale_lock(path: Path) -> str:
    """What to do about a lock in the way."""
    age = shown_age(time.time() - _made(path))
    return (
        f"wait for it, or if no git is running (the lock is {age} old): rm {path}; "
        "skillforge doctor lists all locks"
    )


def shown_age(seconds: float) -> str:
    units = ((DAY, "days"), (3600, "hours"), (60, "minutes"))
    size, unit = next((it for it in units if seconds >= 2 * it[0]), (1, "seconds"))
    return f"{seconds / size:.0f} {unit}"


def _made(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()  # its owner has just finished


def is_git_running(*roots: Path) -> bool:
    """Whether another's git may write in folders, as far as can be seen."""
    return any(
        root in (cwd, *cwd.parents) for cwd in _folders_of_gits() for root in roots
    )


def _folders_of_gits() -> Iterator[Path]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            is_git = Path(words[0].decode(errors="replace")).name.startswith("git")
            # Which we run all the time, and questions that this process asks.
            if is_git and b"cat-file" not in words and not _is_child(folder):
                yield (folder / "cwd").readlink()
        except OSError:
            continue  # it has ended, or it is somebody else's


def _is_child(folder: Path) -> bool:
    fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
    return int(fields[1]) == os.getpid()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
