"""Folders held open, so a link that replaces one can't redirect changes."""

import errno
import os
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from skillforge.errors import ConflictError
from skillforge.library import read_folder
from skillforge.model import DraftFile, FileKind, Skill

_SEARCH = getattr(os, "O_PATH", os.O_RDONLY)  # needs no permission to list the folder
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DESCRIPTORS = Path("/proc/self/fd")


class FolderHandle:
    """A folder held open; it stays the same one when its path is replaced."""

    def __init__(self, fd: int, path: Path) -> None:
        self.fd = fd
        self.path = path

    @classmethod
    def open(cls, path: Path) -> "FolderHandle":
        """Open a folder by its real path; missing folders are created.

        Raises `ConflictError` if a part of the path is a link.
        """
        handle = cls(os.open(path.anchor, _SEARCH | _FOLDER), Path(path.anchor))
        for part in path.parts[1:]:
            with handle:
                if not handle.has(part):
                    with suppress(FileExistsError):
                        handle.make(part)
                handle = handle.child(part)
        return handle

    def child(self, name: str) -> "FolderHandle":
        try:
            fd = os.open(name, _SEARCH | _FOLDER, dir_fd=self.fd)
        except OSError as err:
            if err.errno not in (errno.ELOOP, errno.ENOTDIR) or not self._is_link(name):
                raise
            raise ConflictError(
                f"{self.path / name} was replaced by a link",
                hint="remove the link and try again",
            ) from None
        return FolderHandle(fd, self.path / name)

    def _is_link(self, name: str) -> bool:
        status = self.status(name)
        return status is not None and stat.S_ISLNK(status.st_mode)

    def __enter__(self) -> "FolderHandle":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    @property
    def is_current(self) -> bool:
        """Whether the path still leads to this folder."""
        try:
            return os.path.samestat(os.lstat(self.path), os.fstat(self.fd))
        except OSError:
            return False

    def make(self, name: str, mode: int = 0o777) -> None:
        os.mkdir(name, mode, dir_fd=self.fd)

    def has(self, name: str) -> bool:
        return self.status(name) is not None

    def names(self) -> list[str]:
        fd = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=self.fd)
        try:
            return sorted(os.listdir(fd))  # noqa: PTH208 - a descriptor
        finally:
            os.close(fd)

    def status(self, name: str) -> os.stat_result | None:
        """The `lstat` of an entry; None if it doesn't exist."""
        try:
            return os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def move(self, name: str, to: "FolderHandle", new_name: str = "") -> None:
        os.rename(name, new_name or name, src_dir_fd=self.fd, dst_dir_fd=to.fd)

    def remove(self, name: str) -> None:
        """Remove an entry and all that is in it, as far as permissions allow."""
        status = self.status(name)
        if status is None:
            return
        if stat.S_ISDIR(status.st_mode):
            shutil.rmtree(name, ignore_errors=True, dir_fd=self.fd)
        else:
            os.unlink(name, dir_fd=self.fd)

    def read(self, name: str) -> bytes:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, dir_fd=self.fd), "rb") as stream:
            return stream.read()

    def write(self, path: str, file: DraftFile) -> None:
        """Create a file below this folder, and the folders that lead to it."""
        first, _, rest = path.partition("/")
        if rest:
            if self.status(first) is None:
                self.make(first)
            with self.child(first) as inner:
                inner.write(rest, file)
            return
        with os.fdopen(os.open(first, _NEW, 0o600, dir_fd=self.fd), "wb") as stream:
            stream.write(file.data)
            os.fchmod(stream.fileno(), 0o755 if file.is_executable else 0o644)

    def replace_file(self, name: str, data: bytes) -> None:
        """Replace a file's content, all or nothing; its mode stays."""
        status = self.status(name)
        is_file = status is not None and stat.S_ISREG(status.st_mode)
        mode = stat.S_IMODE(status.st_mode) if status and is_file else 0o644
        temporary = f".{name}.{secrets.token_hex(8)}"
        try:
            with os.fdopen(
                os.open(temporary, _NEW, 0o600, dir_fd=self.fd), "wb"
            ) as stream:
                stream.write(data)
                os.fchmod(stream.fileno(), mode)
            os.replace(temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        except OSError:
            self.remove(temporary)
            raise

    def skill(self, folder: str, name: str) -> Skill:
        """The skill in a folder below this one."""
        path = _DESCRIPTORS / str(self.fd) / folder
        if not os.path.lexists(path):  # no /proc on this system
            path = self.path / folder
        return read_folder(str(path), name, name, alone=True)


def skill_files(skill: Skill) -> dict[str, DraftFile]:
    """The files of a skill on disk; links and pipes get bytes that match no lock."""
    files: dict[str, DraftFile] = {}
    for path, file in skill.files.items():
        is_plain = file.kind in (FileKind.FILE, FileKind.EXECUTABLE)
        data = skill.read(path) if is_plain else b"\0" + str(file.kind).encode()
        files[path] = DraftFile(data, file.kind is FileKind.EXECUTABLE)
    return files
