"""The git tree hash of a folder on disk, and a mark that changes with its files."""

import hashlib
import os
import re
import stat
import time
from collections.abc import Mapping
from typing import NamedTuple

from skillforge.gitrepo.object_reader import blob_name
from skillforge.gitrepo.trees import TreeEntry, tree_name

# Files that programs create when a script runs.
_LEFT_BY_RUNS = re.compile(
    r"(?:.*/)?(?:__pycache__|\.pytest_cache)/.*|.*\.pyc|(?:.*/)?\.DS_Store", re.DOTALL
)
# The clock of a file system has a resolution of hundredths of a second.
_TICK = 100_000_000  # nanoseconds
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FolderState(NamedTuple):
    """The state of a folder.

    `tree` is its git tree hash, `clean` the same without files that runs leave behind;
    both are empty if something can't be read. `mark` is a digest of the files' status;
    it is empty while they are so new that a change might not show in it.
    """

    tree: str = ""
    clean: str = ""
    mark: str = ""

    def is_of(self, tree: str) -> bool:
        """Whether the folder is an unchanged version of a skill."""
        return tree != "" and tree in (self.tree, self.clean)


def folder_state(folder: str, like: str) -> FolderState:
    """Read a folder, without following links; `like` is a hash of the wanted kind."""
    began = time.time_ns()
    try:
        files = _files(folder)
        entries = {p: _entry(f"{folder}/{p}", s, like) for p, s in files.items()}
    except OSError:
        return FolderState()
    tree = clean = tree_name(entries, like)
    own = {p: e for p, e in entries.items() if not _LEFT_BY_RUNS.fullmatch(p)}
    if len(own) < len(entries):
        clean = tree_name(own, like)
    newest = max((status.st_ctime_ns for status in files.values()), default=0)
    return FolderState(tree, clean, _mark(files) if newest < began - _TICK else "")


def folder_mark(folder: str) -> str:
    """The mark of a folder, without reading its files; empty if it isn't a folder."""
    try:
        return _mark(_files(folder))
    except OSError:
        return ""


def _files(top: str) -> dict[str, os.stat_result]:
    """The status of all files below a folder, by relative path."""
    if not stat.S_ISDIR(os.lstat(top).st_mode):
        raise NotADirectoryError(top)
    found: dict[str, os.stat_result] = {}
    pending = [("", top)]
    while pending:
        prefix, folder = pending.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append((f"{prefix}{entry.name}/", entry.path))
                else:
                    found[prefix + entry.name] = entry.stat(follow_symlinks=False)
    return found


def _mark(files: Mapping[str, os.stat_result]) -> str:
    """A digest that differs after any change, since programs can't set a ctime."""
    lines = [
        f"{path}\0{s.st_mode} {s.st_size} {s.st_ino} {s.st_mtime_ns} {s.st_ctime_ns}"
        for path, s in files.items()
    ]
    data = os.fsencode("\0\0".join(sorted(lines)))
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _entry(path: str, status: os.stat_result, like: str) -> TreeEntry:
    if stat.S_ISLNK(status.st_mode):
        return TreeEntry("120000", blob_name(os.fsencode(os.readlink(path)), like))
    if not stat.S_ISREG(status.st_mode):
        return TreeEntry("0", blob_name(b"", like))  # such as a pipe: in no tree
    with open(os.open(path, _READ), "rb", buffering=0) as file:
        mode = "100755" if status.st_mode & stat.S_IXUSR else "100644"
        return TreeEntry(mode, blob_name(file.readall(), like))
