"""Read untrusted archives in memory: within limits, and regular files only."""

import io
import stat
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.checks.path_policy import clash, unsafe
from skillforge.errors import RefusedError
from skillforge.model import SKILL_FILE, DraftFile
from skillforge.share.tar_reader import TarError, read_tar

MOST_BYTES = 50 << 20  # of an archive, packed and unpacked; other clients agree
MOST_FILES = 1000
_MOST_DIRECTORY = 1 << 20  # bytes of a zip's central directory
_MOST_PATH = 1024
_MOST_STREAMS = 16  # of gzip in one file; each copies the rest of the file
_TAR_EXTRA = MOST_FILES * 4096  # headers and padding
_ZIP_END = b"PK\x05\x06"
_ZIP64 = b"PK\x06\x07"


class ArchiveMember(NamedTuple):
    """A file in an archive."""

    path: str
    data: bytes
    is_executable: bool


def unpacked(data: bytes) -> dict[str, DraftFile]:
    """The files of a skill's archive, without the folder that may wrap all of them."""
    if len(data) > MOST_BYTES:
        raise _refused(f"it is larger than {MOST_BYTES >> 20} MiB")
    if data.startswith(b"\x1f\x8b"):
        members = _tar_members(_gunzipped(data))
    elif data.startswith((b"PK\x03\x04", _ZIP_END)):
        members = _zip_members(data)
    else:
        raise _refused("it is neither a .tar.gz nor a .zip")
    return _unwrapped(gathered(members))


def gathered(members: Iterator[ArchiveMember]) -> dict[str, DraftFile]:
    """Files by path; an error at the first that isn't safe to write."""
    files: dict[str, DraftFile] = {}
    size = 0
    for path, data, is_executable in members:
        refuse_path(path)
        if path in files:
            raise _refused(f"it contains {path!r} twice")
        size += len(data)
        files[path] = DraftFile(data, is_executable)
        if len(files) > MOST_FILES:
            raise _refused(f"it contains more than {MOST_FILES:,} files")
        if size > MOST_BYTES:
            raise _refused(f"it unpacks to more than {MOST_BYTES >> 20} MiB")
    if path := clash(files):
        raise _refused(f"{path!r} collides with another path in it")
    return files


def refuse_path(path: str) -> None:
    problem = unsafe(path)
    if not problem and len(path.encode("utf-8", "replace")) > _MOST_PATH:
        problem = "it is too long"
    if problem:
        raise _unsafe(path, problem)


def _unwrapped(files: dict[str, DraftFile]) -> dict[str, DraftFile]:
    """The skill's files, at the top or in a single folder."""
    if SKILL_FILE not in files:
        folders = {path.partition("/")[0] for path in files}
        wrapper = next(iter(folders), "")
        if len(folders) != 1 or f"{wrapper}/{SKILL_FILE}" not in files:
            raise _refused("it has no SKILL.md at the top or in a single folder")
        files = {path.removeprefix(f"{wrapper}/"): file for path, file in files.items()}
    for path in files:
        if problem := unsafe(path):
            raise _unsafe(path, problem)
    return files


def _gunzipped(data: bytes) -> bytes:
    """The content of a gzip file; an error before it takes too much memory."""
    most = MOST_BYTES + _TAR_EXTRA
    out = bytearray()
    try:
        for _ in range(_MOST_STREAMS):
            reader = zlib.decompressobj(31)
            out += reader.decompress(data, most + 1 - len(out))
            if len(out) > most:
                raise _refused(f"it unpacks to more than {MOST_BYTES >> 20} MiB")
            if not reader.eof:
                raise _refused("it is truncated")
            data = reader.unused_data.lstrip(b"\0")
            if not data:
                return bytes(out)
    except zlib.error as err:
        raise _refused(f"it is damaged: {err}") from err
    raise _refused(f"it has more than {_MOST_STREAMS} gzip streams")


def _tar_members(data: bytes) -> Iterator[ArchiveMember]:
    try:
        for count, member in enumerate(read_tar(data)):
            if count > 4 * MOST_FILES:
                raise _refused(f"it contains more than {MOST_FILES:,} files")
            path = member.path.removeprefix("./")
            if not member.is_folder:
                yield ArchiveMember(path, member.data, bool(member.mode & 0o111))
            elif path.rstrip("/") not in ("", "."):
                refuse_path(path.rstrip("/"))
    except TarError as err:
        raise _refused(str(err)) from err


def _zip_members(data: bytes) -> Iterator[ArchiveMember]:
    import zipfile

    _refuse_large_directory(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                mode = info.external_attr >> 16
                _refuse_special(info.filename, info.orig_filename, mode, info.flag_bits)
                if info.filename.endswith("/"):
                    refuse_path(info.filename.rstrip("/"))
                    continue
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise _refused(
                        f"{info.filename[:200]!r} has an unknown compression"
                    )
                if info.file_size > MOST_BYTES:
                    raise _refused(f"it unpacks to more than {MOST_BYTES >> 20} MiB")
                with archive.open(info) as file:
                    content = file.read(info.file_size + 1)
                if len(content) != info.file_size:
                    raise _refused(f"{info.filename[:200]!r} has a wrong size")
                yield ArchiveMember(info.filename, content, bool(mode & 0o111))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError) as err:
        raise _refused(f"it is damaged: {err}") from err
    except (ValueError, RuntimeError, EOFError, OSError) as err:
        raise _refused(f"it cannot be read: {err}") from err


def _refuse_special(name: str, original: str, mode: int, flags: int) -> None:
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _refused(f"{name[:200]!r} is not a regular file")
    if name != original:
        raise _refused(f"the path {original[:200]!r} is ambiguous")
    if flags & 0x1:
        raise _refused(f"{name[:200]!r} is encrypted")


def _refuse_large_directory(data: bytes) -> None:
    """Refuse a central directory that would fill the memory.

    Python's zipfile reads the same one only if its end record is the end of the file.
    """
    end = data.rfind(_ZIP_END)
    fields = data[end + 4 :]
    if end < 0 or len(fields) != 18 + int.from_bytes(fields[16:18], "little"):
        raise _refused("it is truncated, or something follows it")
    size = int.from_bytes(fields[8:12], "little")
    count = int.from_bytes(fields[6:8], "little")
    if data[max(0, end - 20) : end].startswith(_ZIP64):
        raise _refused("it is a Zip64 archive")
    if size > _MOST_DIRECTORY or count > 2 * MOST_FILES:
        raise _refused(f"it contains more than {MOST_FILES:,} files")


def _unsafe(path: str, problem: str) -> RefusedError:
    return _refused(f"the path {path[:200]!r} is unsafe: {problem}")


def _refused(problem: str) -> RefusedError:
    return RefusedError(
        f"the archive is refused: {problem}",
        hint="nothing was installed; report it to the publisher",
    )
