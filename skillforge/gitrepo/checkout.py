"""Checkouts: which of them show a branch, what is unsaved there, and following it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from skillforge.gitrepo import GitRepo


class Unsaved(NamedTuple):
    """What a checkout holds that its commit does not: tracked files, and others."""

    tracked: frozenset[str]
    untracked: frozenset[str]


def showing(repo: "GitRepo", branch: str) -> list["GitRepo"]:
    """The checkouts, linked worktrees included, that are on a branch."""
    found = []
    for block in repo.git("worktree", "list", "--porcelain", "-z").split(b"\0\0"):
        about = dict(line.partition(b" ")[::2] for line in block.split(b"\0"))
        if about.get(b"branch") == f"refs/heads/{branch}".encode():
            path = Path(os.fsdecode(about[b"worktree"]))
            if b"bare" not in about and path.is_dir():
                found.append(type(repo)(path))
    return found


def unsaved(repo: "GitRepo", commit: str) -> Unsaved:
    """What differs from a commit, in the index or in the files."""
    options = ("--name-only", "--no-renames", "-z")
    repo.run("update-index", "-q", "--refresh")  # times alone are no difference
    staged = repo.git("diff-index", "--cached", *options, commit)
    edited = repo.git("diff-files", *options)
    others = repo.git("ls-files", "--others", "-z")
    tracked = {os.fsdecode(p) for p in (staged + edited).split(b"\0") if p}
    untracked = {os.fsdecode(p) for p in others.split(b"\0") if p}
    return Unsaved(frozenset(tracked), frozenset(untracked))


def follow(repo: "GitRepo", before: str, after: str, replace: list[str]) -> bool:
    """Bring a clean checkout from one commit to another.

    Files in `replace` are known to hold nothing that is lost. Any other file that was
    edited in the meantime makes git refuse, and then nothing is changed.
    """
    if replace:
        options = ("--staged", "--worktree", f"--source={before}")
        known = repo.run("ls-tree", "-r", "-z", "--name-only", before, "--", *replace)
        tracked = [path for path in os.fsdecode(known.out).split("\0") if path]
        if tracked:
            repo.run("restore", *options, "--", *tracked)
        for path in set(replace) - set(tracked):
            (repo.root / path).unlink(missing_ok=True)
    return repo.run("read-tree", "-m", "-u", before, after).code == 0
