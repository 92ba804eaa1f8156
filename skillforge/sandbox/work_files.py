"""Files of a work directory, put there and taken out without following any link."""

import os
import stat
from collections.abc import Iterable
from itertools import count

from skillforge.sandbox import WorkFile

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe or a device must not keep us waiting: we look at what it is first.
_OLD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_folder(path: str, folder: int | None = None) -> int:
    return os.open(path, _FOLDER, dir_fd=folder)


def put(folder: int, path: str, data: bytes, mode: int = 0, *, owner: int = -1) -> None:
    """Write a new file below a folder; one that begins with `#!` can be executed."""
    mode = mode or (0o755 if data.startswith(b"#!") else 0o644)
    parent = _make_parents(folder, path, owner)
    try:
        fd = os.open(path.rpartition("/")[2], _NEW, mode, dir_fd=parent)
    finally:
        os.close(parent)
    with open(fd, "wb") as file:
        os.fchmod(fd, mode)  # whatever our own umask is
        os.fchown(fd, owner, owner)
        file.write(data)


def link(folder: int, path: str, target: str, *, owner: int = -1) -> None:
    parent = _make_parents(folder, path, owner)
    name = path.rpartition("/")[2]
    try:
        os.symlink(target, name, dir_fd=parent)
        os.chown(name, owner, owner, dir_fd=parent, follow_symlinks=False)
    finally:
        os.close(parent)


def take_all(folder: int, paths: Iterable[str], most: int) -> dict[str, WorkFile]:
    """What is at some paths below a folder; nothing for those where nothing is."""
    files = {path: take(folder, path, most) for path in paths}
    return {path: file for path, file in files.items() if file is not None}


def take(folder: int, path: str, most: int) -> WorkFile | None:
    """What is at a path below a folder: of a file, at most so many bytes."""
    try:
        *parents, name = path.split("/")
        parent = os.dup(folder)
        for part in parents:
            parent = _step(parent, part)
        try:
            return _look(parent, name, most)
        finally:
            os.close(parent)
    except FileNotFoundError:
        return None
    except OSError:  # a link in the way, for one: what it leads to is not to be known
        return WorkFile("unreadable")


def _look(parent: int, name: str, most: int) -> WorkFile:
    mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode):
        return WorkFile("folder")
    if not stat.S_ISREG(mode):
        return WorkFile("link" if stat.S_ISLNK(mode) else "other")
    with open(os.open(name, _OLD, dir_fd=parent), "rb") as file:
        data = file.read(most + 1)
    return (
        WorkFile("file", data)
        if len(data) <= most
        else WorkFile("large file", data[:most])
    )


def _make_parents(folder: int, path: str, owner: int) -> int:
    parent = os.dup(folder)
    for part in path.split("/")[:-1]:
        is_new = True
        try:
            os.mkdir(part, 0o755, dir_fd=parent)
        except FileExistsError:
            is_new = False
        except OSError:
            os.close(parent)
            raise
        parent = _step(parent, part)
        if is_new:
            os.fchmod(parent, 0o755)
            os.fchown(parent, owner, owner)
    return parent


def _step(parent: int, part: str) -> int:
    """Go one folder down, and let go of the one above."""
    try:
        return open_folder(part, parent)
    finally:
        os.close(parent)


def remove_folder(path: str) -> None:
    """Remove a folder and all in it, however deep, and closed to its own owner.

    Only for one that nobody changes any more.
    """
    top = open_folder(path)
    try:
        for number in count():
            folders = _remove_files(top)
            if not folders:
                break
            for place, name in enumerate(folders):
                _flatten(top, name, f".{number}.{place}.")
    finally:
        os.close(top)
    os.rmdir(path)


def _remove_files(folder: int) -> list[str]:
    """Remove what is in a folder, but for folders; their names."""
    with os.scandir(folder) as entries:
        entries_now = list(entries)
    folders = [e.name for e in entries_now if e.is_dir(follow_symlinks=False)]
    for name in {e.name for e in entries_now} - set(folders):
        os.unlink(name, dir_fd=folder)
    return folders


def _flatten(top: int, name: str, prefix: str) -> None:
    """Remove a folder of the top, and move the folders in it to the top."""
    os.chmod(name, 0o700, dir_fd=top)
    folder = open_folder(name, top)
    try:
        for at, inner in enumerate(_remove_files(folder)):
            os.chmod(inner, 0o700, dir_fd=folder)
            os.rename(inner, f"{prefix}{at}", src_dir_fd=folder, dst_dir_fd=top)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)
