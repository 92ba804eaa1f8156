"""Read a skill from a folder on disk, without following links."""

import os
import stat

from skillforge.model import (
    SKILL_FILE,
    Document,
    File,
    FileKind,
    Skill,
)

_SUBMODULE = File(FileKind.SUBMODULE, 0)


def read_folder(folder: str, name: str, shown: str, *, alone: bool = False) -> Skill:
    """A skill from any folder on disk.

    A folder outside a library (`alone`) may be a git repository itself.
    """
    read = _FolderReader(folder)
    try:
        files, folders = _scan(folder, alone)
        document = _read_document(read, files.get(SKILL_FILE))
    except OSError as err:
        from skillforge.document import file_unreadable, unreadable

        files, folders = {}, {}
        document = unreadable(file_unreadable.findings(err.strerror))
    return Skill(name, shown, files, document, read, folders)


def _read_document(read: "_FolderReader", skill_md: File | None) -> Document | None:
    if skill_md is None or skill_md.kind in (FileKind.OTHER, FileKind.SUBMODULE):
        return None
    from skillforge.document import (
        MAX_BYTES,
        file_unreadable,
        parse,
        too_large,
        unreadable,
    )

    if skill_md.size > MAX_BYTES:
        return too_large(skill_md.size)
    try:
        return parse(read(SKILL_FILE))
    except OSError as err:
        return unreadable(file_unreadable.findings(err.strerror))


class _FolderReader:
    """Reads files of one folder; for a symlink, the path that it points to."""

    __slots__ = ("top",)

    def __init__(self, top: str) -> None:
        self.top = top

    def __call__(self, inside: str) -> bytes:
        path = self.top if inside == "." else f"{self.top}/{inside}"
        try:
            # O_NONBLOCK: opening a named pipe would wait for a writer.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            fd = os.open(path, flags)
        except OSError:
            if os.path.islink(path):
                return os.fsencode(os.readlink(path))
            raise
        with open(fd, "rb", buffering=0) as file:
            return file.readall()


def _scan(top: str, alone: bool) -> tuple[dict[str, File], dict[str, int]]:
    """Every file below a folder, by relative path, and the mtime of each folder."""
    files: dict[str, File] = {}
    folders: dict[str, int] = {}
    pending = [("", top)]
    while pending:
        prefix, directory = pending.pop()
        status = os.lstat(directory)
        if not stat.S_ISDIR(status.st_mode):
            return {".": _file(status)}, {}
        folders[prefix] = status.st_mtime_ns
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.name == ".git":  # a nested repository
                    if prefix or not alone:
                        files[prefix[:-1] or "."] = _SUBMODULE
                elif entry.is_dir(follow_symlinks=False):
                    pending.append((f"{prefix}{entry.name}/", entry.path))
                else:
                    status = entry.stat(follow_symlinks=False)
                    files[prefix + entry.name] = _file(status)
    return files, folders


def _file(status: os.stat_result) -> File:
    mode = status.st_mode
    if stat.S_ISREG(mode):
        kind = FileKind.EXECUTABLE if mode & 0o111 else FileKind.FILE
    else:
        kind = FileKind.SYMLINK if stat.S_ISLNK(mode) else FileKind.OTHER
    return File(kind, status.st_size)
