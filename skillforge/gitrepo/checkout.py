"""Checkouts of a branch: their unsaved changes, and how they follow the branch."""

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
_ABANDONED = 10.0  # seconds after which the lock of an index is ignored
_MANY, _LONG = 500, 50_000  # paths, and their characters, on a command line
_SAMPLE = 20  # files to compare before the whole index


class Unsaved(NamedTuple):
    """Files of a checkout that differ from its commit.

    `staged` ones differ in the index, `edited` ones only on disk, `untracked` ones are
    not in the index; a nested repository ends in a slash. `unwatched` are files that
    git is configured to ignore (assume-unchanged, skip-worktree).
    """

    staged: frozenset[str]
    edited: frozenset[str]
    untracked: frozenset[str]
    unwatched: frozenset[str]

    @property
    def tracked(self) -> frozenset[str]:
        return self.staged | self.edited


def showing(repo: "GitRepo", branch: str) -> list["GitRepo"]:
    """The checkouts that are on a branch, linked worktrees included."""
    checkouts = []
    blocks = repo.git("worktree", "list", "--porcelain", "-z").split(b"\0\0")
    for number, block in enumerate(blocks):
        fields = dict(line.partition(b" ")[::2] for line in block.split(b"\0"))
        is_bare = b"bare" in fields
        if is_bare or fields.get(b"branch") != f"refs/heads/{branch}".encode():
            continue
        path = Path(os.fsdecode(fields[b"worktree"]))
        path = _main_worktree(repo, path) if number == 0 else path
        if path.is_dir():
            checkouts.append(type(repo)(path, repo))
    return checkouts


def _main_worktree(repo: "GitRepo", named: Path) -> Path:
    """The main checkout, even if its git directory is elsewhere.

    In that case, git lists the git directory instead of the checkout.
    """
    dot_git, is_usual = repo.root / ".git", (named / ".git").is_dir()
    if is_usual and dot_git.is_dir() and not dot_git.is_symlink():
        return named
    options = ("--git-dir", "--git-common-dir", "--show-toplevel")
    done = repo.run("rev-parse", "--path-format=absolute", *options)
    own, common, *top = os.fsdecode(done.out).split("\n")
    if done.code == 0 and own == common:
        return Path(top[0])
    if is_usual:  # this is a linked worktree
        return named
    raise ConflictError(
        f"git cannot find the main checkout of {named}",
        hint="run the command in the main checkout, not in a linked worktree",
    )


def unsaved(
    repo: "GitRepo", commit: str, near: set[str], *, only_near: bool = False
) -> Unsaved:
    """What differs from a commit, in the index or on disk.

    Untracked and unwatched files are listed only if they are or may be in the way of
    the paths `near`. With `only_near`, no other file is compared.
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
            if entry[0] not in _USUAL and not _is_sparse(repo, entry)
        ),
    )


def _is_sparse(repo: "GitRepo", entry: str) -> bool:
    """Whether a sparse checkout omits a file. If it is on disk, it may be edited."""
    return entry[0] == _SKIPPED and not os.path.lexists(repo.root / entry[2:])


def _specs(root: Path, near: set[str]) -> list[str]:
    """Pathspecs of some files, or of whatever is where a folder of theirs should be.

    No pathspecs, which to git means all files, if they don't fit on a command line.
    """
    if len(near) > _MANY or sum(map(len, near)) > _LONG:
        return []
    folders = {path: list(Path(path).parents)[-2::-1] for path in near}
    taken = {
        folder: _is_single_entry(root / folder)
        for parents in folders.values()
        for folder in parents
    }
    specs = (next((f for f in folders[path] if taken[f]), path) for path in near)
    return sorted({f":(literal){spec}" for spec in specs})


def _is_single_entry(path: Path) -> bool:
    """Whether git treats a path as one entry: a file, a link, a nested repository."""
    is_entry = os.path.lexists(path) and (path.is_symlink() or not path.is_dir())
    return is_entry or os.path.lexists(path / ".git")


def _edited(repo: "GitRepo", specs: list[str]) -> frozenset[str]:
    """Files whose content differs from the index.

    Git writes new times to the index, so it need not compare such files again.
    """
    options = (*AS_IT_IS, "--porcelain=v1", "-z", "--untracked-files=no", "--")
    line = ("status", *options, *specs)
    done = repo.run(*line, env={"GIT_OPTIONAL_LOCKS": "1"})
    entries = paths(output(line, done))
    return frozenset(entry[3:] for entry in entries if entry[1] != " ")


def staged(repo: "GitRepo", commit: str, specs: Sequence[str] = ()) -> frozenset[str]:
    """Files whose index entry differs from a commit."""
    options = ("--cached", *AS_IT_IS, "--name-only", "-z", commit, "--")
    return frozenset(paths(repo.git("diff-index", *options, *specs)))


def staged_blob(repo: "GitRepo", path: str) -> str:
    """The object of a path in the index; empty if there is none, or a conflict."""
    entries = paths(repo.git("ls-files", "--stage", "-z", "--", f":(literal){path}"))
    return entries[0].split()[1] if len(entries) == 1 else ""


def index_lock(repo: "GitRepo") -> Path | None:
    """The lock of the index, if a git holds it, or was killed with it."""
    lock = _index(repo.root).with_name("index.lock")
    return lock if lock.exists() else None


def _index(root: Path) -> Path:
    dot_git = root / ".git"
    if dot_git.is_dir():
        return dot_git / "index"
    try:  # a linked worktree names its folder in a file
        git_dir = os.fsdecode(dot_git.read_bytes()).strip().removeprefix("gitdir: ")
    except OSError:
        git_dir = "."  # a bare repository
    return root / git_dir / "index"


class IndexState(NamedTuple):
    """Identifies the index of a checkout, and the time of its lock, if there is one.

    A git that moves a checkout holds the lock meanwhile, and replaces the index.
    """

    identity: tuple[int, int]
    locked: float

    @property
    def is_busy(self) -> bool:
        return time.time() - self.locked < _ABANDONED


def index_state(root: Path) -> IndexState:
    """The state of a checkout's index, read without starting git."""
    index = _index(root)
    try:
        status = index.stat()
        identity = (status.st_ino, status.st_mtime_ns)
    except OSError:
        identity = (0, 0)
    try:
        return IndexState(identity, index.with_name("index.lock").stat().st_mtime)
    except OSError:
        return IndexState(identity, 0.0)


def follow_error(repo: "GitRepo", before: str, after: str) -> str:
    """Why git can't move a checkout to another commit; empty if it can."""
    repo.verify(after, before)
    # With an index that is that of `before`, one commit gives the same answer, faster.
    commits = (before, after) if staged(repo, before) else (after,)
    done = repo.run("read-tree", "--dry-run", "-m", "-u", *commits)
    return done.complaint if done.code else ""


def follow(repo: "GitRepo", before: str, after: str, replace: list[str]) -> bool:
    """Move a checkout from one commit to another; False if git refuses.

    The content of files in `replace` is discarded. If any other file was edited in the
    meantime, git refuses, and nothing is changed.
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
    """A checkout whose index is that of an earlier commit of its branch."""

    root: Path
    commit: str
    tip: str

    def __str__(self) -> str:
        return (
            f"the checkout {self.root} is behind: its index is that of "
            f"{self.commit[:12]}, and a commit there would revert later changes"
        )


def lags(repo: "GitRepo", branch: str) -> Iterator[Lag]:
    """Checkouts of a branch whose index is that of an earlier commit."""
    tip = repo.ref(f"refs/heads/{branch}")
    try:
        checkouts = showing(repo, branch) if tip else []
    except ConflictError:  # commands that move the branch report this
        return
    for checkout in checkouts:
        sample = sorted(staged(checkout, tip))[:_SAMPLE]
        blobs = [staged_blob(checkout, path) for path in sample]
        for commit in _recent(repo, tip) if sample else ():
            is_alike = repo.names_of([f"{commit}:{path}" for path in sample]) == blobs
            if is_alike and not staged(checkout, commit):
                yield Lag(checkout.root, commit, tip)
                break


def _recent(repo: "GitRepo", tip: str) -> list[str]:
    """The first-parent commits before a tip, newest first."""
    line = ("rev-list", "--first-parent", f"--max-count={_RECENT}", tip, "--")
    return repo.git(*line).decode().split()[1:]
