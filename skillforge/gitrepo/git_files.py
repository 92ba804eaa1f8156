"""Find and read git's plain files without starting git.

Paths are strings here: pathlib is slow to import, and not every command needs it.
"""

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SHORT = 40
MAY_BE_RECORDED = "?"  # no branch has this name
_HASH = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# As `git config` writes it; git has to parse any other spelling.
_RECORDED = re.compile(rb"(?m)^\[skillforge\]\n\tbranch = ([\w./+@-]+)$")


def find_root(start: "Path") -> "Path | None":
    """The nearest folder at or above `start` that is a git repository."""
    folders = (start, *start.parents)
    return next((folder for folder in folders if _is_root(str(folder))), None)


def _is_root(folder: str) -> bool:
    is_bare = os.path.isfile(f"{folder}/HEAD") and os.path.isdir(f"{folder}/objects")
    return os.path.exists(f"{folder}/.git") or is_bare


def git_dir_of(folder: str) -> str:
    """The folder `.git` of the repository at or above a folder.

    Empty for no repository, a bare one, and a linked worktree, where `.git` is a file.
    """
    folder = os.path.abspath(folder)
    while not _is_root(folder):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return ""
    return f"{folder}/.git" if os.path.isdir(f"{folder}/.git") else ""


def read_ref(git_dir: str, name: str) -> str | None:
    """What a ref points at, empty if there is none; None if only git can tell.

    That is the case for symbolic refs, and for refs in a reftable.
    """
    if os.path.exists(f"{git_dir}/reftable"):
        return None
    try:
        content = _read(git_dir, name).rstrip(b"\n")
    except FileNotFoundError:  # a loose ref takes precedence over a packed one
        return _packed(git_dir, name)
    except OSError:
        return None
    return _hash(git_dir, content)


def _hash(git_dir: str, content: bytes) -> str | None:
    """A hash of the kind that this repository uses; None for anything else."""
    if not _HASH.fullmatch(content) or not content.strip(b"0"):
        return None
    is_long = len(content) > _SHORT
    return None if is_long and b"sha256" not in _config(git_dir) else content.decode()


def _packed(git_dir: str, name: str) -> str | None:
    try:
        data = _read(git_dir, "packed-refs")
    except FileNotFoundError:
        return ""
    except OSError:
        return None
    end = data.find(b" %s\n" % os.fsencode(name))
    if end >= 0:
        return _hash(git_dir, data[data.rfind(b"\n", 0, end) + 1 : end])
    return "" if data.endswith(b"\n") or not data else None  # otherwise it is truncated


def _read(git_dir: str, name: str) -> bytes:
    with open(f"{git_dir}/{name}", "rb") as file:
        return file.read()


def has_remote(git_dir: str) -> bool:
    """Whether a clone may have a remote, in its configuration or a file it includes."""
    config = _config(git_dir)
    return any(key in config for key in (b"[remote", b"[include", b"worktreeconfig"))


def _config(git_dir: str) -> bytes:
    """The configuration in lower case; empty if it can't be read.

    In that case, git does not work here either, and nothing is written.
    """
    try:
        return _read(git_dir, "config").lower()
    except OSError:
        return b""


def recorded_branch(git_dir: str) -> str:
    """The library's branch in the clone's configuration; empty if it is not set.

    `MAY_BE_RECORDED` if only git can tell.
    """
    try:
        text = _read(git_dir, "config")
    except OSError:
        return MAY_BE_RECORDED
    sections = re.findall(rb"(?i)\[\s*skillforge\b", text)
    if not sections:
        return ""
    keys = re.findall(rb"(?im)^\s*(?:\[[^\]]*\]\s*)?branch\b", text)
    names = _RECORDED.findall(text)
    is_plain = len(sections) == len(keys) == len(names) == 1
    return names[0].decode() if is_plain else MAY_BE_RECORDED
