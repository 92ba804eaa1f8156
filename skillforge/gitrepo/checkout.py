"""Checkouts: which of them show a branch, what is unsaved there, and following it."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from skillforge.errors import ConflictError
from skillforge.gitrepo.git_command import AS_IT_IS, output
from skillforge.gitrepo.git_output import paths

if TYPE_CHECKING:
    from skillforge.gitrepo import GitRepo


_UNTRACKED = "?"  # letters of `ls-files -v`
_SKIPPED = "S"
_USUAL = ("H", _UNTRACKED)
_RECENT = 50  # commits that an index is compared with
_ABANDONED = 10.0  # seconds after which nobody waits for the lock of an index
_MANY, _LONG = 500, 50_000  # paths, and their characters, on a command line
_SAMPLE = 20  # files that are compared before a whole index is


class Unsaved(NamedTuple):
    """What a checkout holds that its commit does not.

    `staged` is in the index, `edited` on disk only, `untracked` known to no index;
    a folder that is a repository of its own ends in a slash. `unwatched` are files
    that git was told not to look at.
    """

    staged: frozenset[str]
    edited: frozenset[str]
    untracked: frozenset[str]
    unwatched: frozenset[str]

    @property
    def tracked(self) -> frozenset[str]:
        return self.staged | self.edited


def showing(repo: "GitRepo", branch: str) -> list["GitRepo"]:
    """The checkouts, linked worktrees included, that are on a branch."""
    found = []
    blocks = repo.git("worktree", "list", "--porcelain", "-z").split(b"\0\0")
    for number, block in enumerate(blocks):
        about = dict(line.partition(b" ")[::2] for line in block.split(b"\0"))
        if about.get(b"branch") == f"refs/heads/{branch}".encode():
            path = Path(os.fsdecode(about[b"worktree"]))
            if number == 0 and b"bare" not in about:
                path = _main_worktree(repo, path)
            if b"bare" not in about and path.is_dir():
                found.append(type(repo)(path, repo))
    return found


def _main_worktree(repo: "GitRepo", named: Path) -> Path:
    """The main checkout, also if its git directory is elsewhere.

    Git names it after that directory then, and doesn't know where the checkout is.
    """
    dot_git, is_usual = repo.root / ".git", (named / ".git").is_dir()
    if is_usual and dot_git.is_dir() and not dot_git.is_symlink():
        return named
    about = ("--git-dir", "--git-common-dir", "--show-toplevel")
    done = repo.run("rev-parse", "--path-format=absolute", *about)
    own, common, *top = os.fsdecode(done.out).split("\n")
    if done.code == 0 and own == common:
        return Path(top[0])
    if is_usual:  # and this is a linked worktree
        return named
    raise ConflictError(
        f"git does not know where the checkout of {named} is",
        hint="run the command there, not in a linked worktree",
    )


def unsaved(
    repo: "GitRepo", commit: str, near: set[str], *, only_near: bool = False
) -> Unsaved:
    """What differs from a commit, in the index or in the files.

    Files that git doesn't track or watch are listed only where they are or would be in
    the way of the paths `near`. With `only_near`, no other file is looked at.
    """
    specs = _specs(repo.root, near)
    narrow = specs if only_near else []
    listed: list[str] = []
    if near:
        options = ("-v", "--cached", "--others", "-z", "--")
        listed = paths(repo.git("ls-files", *options, *specs))
    return Unsaved(
        staged(repo, commit, narrow),
        _edited(repo, narrow),
        frozenset(entry[2:] for entry in listed if entry[0] == _UNTRACKED),
        frozenset(
            entry[2:]
            for entry in listed
            if entry[0] not in _USUAL and not _is_left_out(repo, entry)
        ),
    )


def _is_left_out(repo: "GitRepo", entry: str) -> bool:
    """Whether a sparse checkout leaves a file out; on disk, it may have been edited."""
    return entry[0] == _SKIPPED and not os.path.lexists(repo.root / entry[2:])


def _specs(root: Path, near: set[str]) -> list[str]:
    """Pathspecs for some files, or for what has the place of a folder of theirs.

    Too many for a command line are none at all, which to git is everything.
    """
    if len(near) > _MANY or sum(map(len, near)) > _LONG:
        return []
    folders = {path: list(Path(path).parents)[-2::-1] for path in near}
    taken = {it: _is_no_folder(root / it) for its in folders.values() for it in its}
    first = (next((it for it in folders[path] if taken[it]), path) for path in near)
    return sorted({f":(literal){it}" for it in first})


def _is_no_folder(path: Path) -> bool:
    """Whether git sees one thing there: a file, a link, or another repository."""
    is_else = os.path.lexists(path) and (path.is_symlink() or not path.is_dir())
    return is_else or os.path.lexists(path / ".git")


def _edited(repo: "GitRepo", specs: list[str]) -> frozenset[str]:
    """Files that differ from the index; times alone are no difference.

    Git notes the times in the index, so that it won't take them for one later.
    """
    options = (*AS_IT_IS, "--porcelain=v1", "-z", "--untracked-files=no", "--")
    line = ("status", *options, *specs)
    done = repo.run(*line, env={"GIT_OPTIONAL_LOCKS": "1"})
    return frozenset(it[3:] for it in paths(output(line, done)) if it[1] != " ")


def staged(repo: "GitRepo", commit: str, specs: Sequence[str] = ()) -> frozenset[str]:
    """What the index has otherwise than a commit."""
    options = ("--cached", *AS_IT_IS, "--name-only", "-z", commit, "--")
    return frozenset(paths(repo.git("diff-index", *options, *specs)))


def staged_blob(repo: "GitRepo", path: str) -> str:
    """The object that the index has for a path; empty for none, or for a conflict."""
    entries = paths(repo.git("ls-files", "--stage", "-z", "--", f":(literal){path}"))
    return entries[0].split()[1] if len(entries) == 1 else ""


def lock_of(repo: "GitRepo") -> Path | None:
    """The lock of the index, if a git is at work on it, or died over it."""
    lock = _index(repo.root).with_name("index.lock")
    return lock if lock.exists() else None


def _index(root: Path) -> Path:
    dot_git = root / ".git"
    if dot_git.is_dir():
        return dot_git / "index"
    try:  # a linked worktree names its folder in a file
        named = os.fsdecode(dot_git.read_bytes()).strip().removeprefix("gitdir: ")
    except OSError:
        named = "."  # a bare repository
    return root / named / "index"


class Pulse(NamedTuple):
    """Which index a checkout has, and since when a git has worked on it, if one does.

    A git that moves a checkout holds the lock meanwhile, and replaces the index.
    """

    identity: tuple[int, int]
    locked: float

    @property
    def is_busy(self) -> bool:
        return time.time() - self.locked < _ABANDONED


def pulse(root: Path) -> Pulse:
    """What tells whether a checkout is being moved; no git is asked."""
    index = _index(root)
    try:
        found = index.stat()
        identity = (found.st_ino, found.st_mtime_ns)
    except OSError:
        identity = (0, 0)
    try:
        return Pulse(identity, index.with_name("index.lock").stat().st_mtime)
    except OSError:
        return Pulse(identity, 0.0)


def can_follow(repo: "GitRepo", before: str, after: str) -> str:
    """Why git would not bring a checkout to another commit; empty if it would."""
    repo.verify(after, before)
    done = repo.run("read-tree", "--dry-run", "-m", "-u", before, after)
    return done.complaint if done.code else ""


def follow(repo: "GitRepo", before: str, after: str, replace: list[str]) -> bool:
    """Bring a clean checkout from one commit to another.

    Files in `replace` are known to hold nothing that is lost. Any other file that was
    edited in the meantime makes git refuse, and then nothing is changed.
    """
    if replace:
        options = ("--staged", "--worktree", f"--source={before}")
        literal = [f":(literal){path}" for path in replace]
        names = repo.names_of([f"{before}:{path}" for path in replace])
        tracked = [path for path, name in zip(replace, names, strict=True) if name]
        if tracked:
            repo.run("restore", *options, "--", *literal)
        for path in set(replace) - set(tracked):
            name = f":(literal){path}"
            repo.run("rm", "--quiet", "--cached", "--ignore-unmatch", "--", name)
            (repo.root / path).unlink(missing_ok=True)
    return repo.run("read-tree", "-m", "-u", before, after).code == 0


class Lag(NamedTuple):
    """A checkout whose index is that of an earlier commit of the branch it is on."""

    root: Path
    commit: str
    tip: str

    def __str__(self) -> str:
        return (
            f"the checkout {self.root} is behind: its index is that of "
            f"{self.commit[:12]}, and a commit there would undo what came since"
        )


def lags(repo: "GitRepo", branch: str) -> Iterator[Lag]:
    """Checkouts that stage an earlier commit of their branch, and so undo others."""
    tip = repo.ref(f"refs/heads/{branch}")
    try:
        places = showing(repo, branch) if tip else []
    except ConflictError:  # what moves the branch stops there
        return
    for place in places:
        sample = sorted(staged(place, tip))[:_SAMPLE]
        blobs = [staged_blob(place, path) for path in sample]
        for commit in _recent(repo, tip) if sample else ():
            is_alike = repo.names_of([f"{commit}:{path}" for path in sample]) == blobs
            if is_alike and not staged(place, commit):
                yield Lag(place.root, commit, tip)
                break


def _recent(repo: "GitRepo", tip: str) -> list[str]:
    """The commits of a branch's own line before its tip, the newest first."""
    line = ("rev-list", "--first-parent", f"--max-count={_RECENT}", tip, "--")
    return repo.git(*line).decode().split()[1:]
