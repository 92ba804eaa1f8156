"""What git keeps in plain files: found and read without starting git.

Paths are text here: to import pathlib takes a while, and not every command needs it.
"""

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SHORT = 40
MAY_BE_RECORDED = "?"  # no branch has this name
_HASH = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# As `git config` writes it; any other spelling is left to git.
_RECORDED = re.compile(rb"(?m)^\[skillforge\]\n\tbranch = ([\w./+@-]+)$")


def find_root(start: "Path") -> "Path | None":
    """The nearest folder at or above `start` that is a git repository."""
    return next((it for it in (start, *start.parents) if _is_root(str(it))), None)


def _is_root(folder: str) -> bool:
    is_bare = os.path.isfile(f"{folder}/HEAD") and os.path.isdir(f"{folder}/objects")
    return os.path.exists(f"{folder}/.git") or is_bare


def git_dir_of(folder: str) -> str:
    """The git directory of the repository at or above a folder, where it is a folder.

    Empty for no repository, for a bare one, and for the files of a linked worktree.
    """
    folder = os.path.abspath(folder)
    while not _is_root(folder):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return ""
    return f"{folder}/.git" if os.path.isdir(f"{folder}/.git") else ""


def read_ref(git_dir: str, name: str) -> str | None:
    """What a ref points at, empty if there is none; None if only git itself can tell.

    That is so of refs that name other refs, and of those in a table of their own.
    """
    if os.path.exists(f"{git_dir}/reftable"):
        return None
    try:
        said = _read(git_dir, name).rstrip(b"\n")
    except FileNotFoundError:  # one that lies by itself goes before those together
        return _packed(git_dir, name)
    except OSError:
        return None
    return _hash(git_dir, said)


def _hash(git_dir: str, said: bytes) -> str | None:
    """A hash as this repository has them; None for what git may call broken."""
    if not _HASH.fullmatch(said) or not said.strip(b"0"):
        return None
    is_long = len(said) > _SHORT
    return None if is_long and b"sha256" not in _config(git_dir) else said.decode()


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
    return "" if data.endswith(b"\n") or not data else None  # else it was cut off


def _read(git_dir: str, name: str) -> bytes:
    with open(f"{git_dir}/{name}", "rb") as file:
        return file.read()


def has_remote(git_dir: str) -> bool:
    """Whether a clone may know another repository: its own configuration says so.

    Or only git can tell, as where that includes other files.
    """
    said = _config(git_dir)
    return any(it in said for it in (b"[remote", b"[include", b"worktreeconfig"))


def _config(git_dir: str) -> bytes:
    """The configuration in lower case; empty if there is none that can be read.

    Then git does not work here, and nothing is written.
    """
    try:
        return _read(git_dir, "config").lower()
    except OSError:
        return b""


def recorded_branch(git_dir: str) -> str:
    """The library's branch by the clone's own configuration; empty for none.

    `MAY_BE_RECORDED` if only git itself can tell.
    """
    try:
        text = _read(git_dir, "config")
    except OSError:
        return MAY_BE_RECORDED
    sections = re.findall(rb"(?i)\[\s*skillforge\b", text)
    if not sections:
        return ""
    keys = re.findall(rb"(?im)^\s*(?:\[[^\]]*\]\s*)?branch\b", text)
    found = _RECORDED.findall(text)
    is_plain = len(sections) == len(keys) == len(found) == 1
    return found[0].decode() if is_plain else MAY_BE_RECORDED
