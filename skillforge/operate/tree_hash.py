"""A folder on disk as git would see it: its tree, and whether it changed since."""

import hashlib
import os
import re
import stat
import time
from collections.abc import Mapping
from typing import NamedTuple

from skillforge.gitrepo.object_reader import blob_name
from skillforge.gitrepo.trees import TreeEntry, tree_name

# Programs put these beside a script that they run; nobody wrote or misses them.
_LEFT_BY_RUNS = re.compile(
    r"(?:.*/)?(?:__pycache__|\.pytest_cache)/.*|.*\.pyc|(?:.*/)?\.DS_Store", re.DOTALL
)
# The clock of a file system ticks more slowly than ours: by hundredths of a second.
_TICK = 100_000_000  # nanoseconds
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FolderState(NamedTuple):
    """What lies in a folder.

    `tree` is the hash that git gives it, `bare` the same without what runs leave
    behind; both are empty where something cannot be read. `mark` is what the file
    system tells of its files; while they are so new that a change might not show in it,
    it is empty.
    """

    tree: str = ""
    bare: str = ""
    mark: str = ""

    def is_of(self, tree: str) -> bool:
        """Whether this is a version as it was put there."""
        return tree != "" and tree in (self.tree, self.bare)


def look(folder: str, like: str) -> FolderState:
    """Read all of a folder; hashes are of the same kind as another, `like`.

    Links are seen as links, never followed.
    """
    began = time.time_ns()
    try:
        files = _files(folder)
        entries = {p: _entry(f"{folder}/{p}", s, like) for p, s in files.items()}
    except OSError:
        return FolderState()
    tree = bare = tree_name(entries, like)
    kept = {p: e for p, e in entries.items() if not _LEFT_BY_RUNS.fullmatch(p)}
    if len(kept) < len(entries):
        bare = tree_name(kept, like)
    newest = max((status.st_ctime_ns for status in files.values()), default=0)
    return FolderState(tree, bare, _mark(files) if newest < began - _TICK else "")


def glance(folder: str) -> str:
    """The mark of a folder, without reading its files; empty where it is none."""
    try:
        return _mark(_files(folder))
    except OSError:
        return ""


def _files(top: str) -> dict[str, os.stat_result]:
    """Whatever is no folder below a folder, by its path there."""
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
                    status = entry.stat(follow_symlinks=False)
                    found[prefix + entry.name] = status
    return found


def _mark(files: Mapping[str, os.stat_result]) -> str:
    """A digest that differs after any change, since nobody can set a ctime."""
    lines = [
        f"{path}\0{s.st_mode} {s.st_size} {s.st_ino} {s.st_mtime_ns} {s.st_ctime_ns}"
        for path, s in files.items()
    ]
    said = os.fsencode("\0\0".join(sorted(lines)))
    return hashlib.blake2b(said, digest_size=16).hexdigest()


def _entry(path: str, status: os.stat_result, like: str) -> TreeEntry:
    if stat.S_ISLNK(status.st_mode):
        return TreeEntry("120000", blob_name(os.fsencode(os.readlink(path)), like))
    if not stat.S_ISREG(status.st_mode):
        return TreeEntry(
            "0", blob_name(b"", like)
        )  # a pipe or the like: no tree has it
    with open(os.open(path, _READ), "rb", buffering=0) as file:
        mode = "100755" if status.st_mode & stat.S_IXUSR else "100644"
        return TreeEntry(mode, blob_name(file.readall(), like))
