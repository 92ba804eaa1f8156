"""Archives of strangers: read in memory, within limits, and only plain files.

Nothing is unpacked to disk here, so that a hostile path has nowhere to go.
"""

import io
import stat
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.checks.path_policy import clash, refusal
from skillforge.errors import RefusedError
from skillforge.model import SKILL_FILE, DraftFile
from skillforge.share.tar_reader import TarError, read_tar

MOST_BYTES = 50 << 20  # of an archive, and of what is in it: as other clients have it
MOST_FILES = 1000
_MOST_NAMES = 1 << 20  # bytes of a zip's table of contents
_MOST_PATH = 1024
_MOST_STREAMS = 16  # of gzip in one file; what follows one is copied for the next
_TAR_EXTRA = MOST_FILES * 4096  # headers and padding
_ZIP_END = b"PK\x05\x06"
_ZIP64 = b"PK\x06\x07"


class ArchiveMember(NamedTuple):
    """One file as an archive names it."""

    path: str
    data: bytes
    is_executable: bool


def unpacked(data: bytes) -> dict[str, DraftFile]:
    """The files of a skill's archive, a wrapper folder around them taken off."""
    if len(data) > MOST_BYTES:
        raise _refused(f"it has more than {MOST_BYTES >> 20} MiB")
    if data.startswith(b"\x1f\x8b"):
        members = _tar_members(_gunzipped(data))
    elif data.startswith((b"PK\x03\x04", _ZIP_END)):
        members = _zip_members(data)
    else:
        raise _refused("it is neither a .tar.gz nor a .zip")
    return _unwrapped(gathered(members))


def gathered(members: Iterator[ArchiveMember]) -> dict[str, DraftFile]:
    """Files by path; stops at the first thing that is not safe to write anywhere."""
    files: dict[str, DraftFile] = {}
    size = 0
    for path, data, is_executable in members:
        refuse_path(path)
        if path in files:
            raise _refused(f"it holds {path!r} twice")
        size += len(data)
        files[path] = DraftFile(data, is_executable)
        if len(files) > MOST_FILES:
            raise _refused(f"it holds more than {MOST_FILES:,} files")
        if size > MOST_BYTES:
            raise _refused(f"it unpacks to more than {MOST_BYTES >> 20} MiB")
    if path := clash(files):
        raise _refused(f"{path!r} collides with another path in it")
    return files


def refuse_path(path: str) -> None:
    # A SKILL.md further down is for the caller to judge: a wrapper may be around it.
    first = path.removesuffix(f"/{SKILL_FILE}")
    why = refusal(first) if first != SKILL_FILE else ""
    if not why and len(path.encode("utf-8", "replace")) > _MOST_PATH:
        why = "it is too long"
    if why:
        raise _refused(f"the path {path[:200]!r} is not taken: {why}")


def _unwrapped(files: dict[str, DraftFile]) -> dict[str, DraftFile]:
    """The skill's own files; a single folder around all of them is a wrapper."""
    if SKILL_FILE in files:
        return _with_one_skill(files)
    tops = {path.partition("/")[0] for path in files}
    wrapper = next(iter(tops), "")
    if len(tops) != 1 or f"{wrapper}/{SKILL_FILE}" not in files:
        raise _refused("it holds no SKILL.md at its top, nor in a single folder")
    inner = {path.removeprefix(f"{wrapper}/"): file for path, file in files.items()}
    return _with_one_skill(inner)


def _with_one_skill(files: dict[str, DraftFile]) -> dict[str, DraftFile]:
    for path in files:
        if why := refusal(path):
            raise _refused(f"the path {path[:200]!r} is not taken: {why}")
    return files


def _gunzipped(data: bytes) -> bytes:
    """The bytes in a gzip file, never more than we would take."""
    most = MOST_BYTES + _TAR_EXTRA
    out = bytearray()
    try:
        for _ in range(_MOST_STREAMS):
            reader = zlib.decompressobj(31)
            out += reader.decompress(data, most + 1 - len(out))
            if len(out) > most:
                raise _refused(f"it unpacks to more than {MOST_BYTES >> 20} MiB")
            if not reader.eof:
                raise _refused("it is cut off")
            data = reader.unused_data.lstrip(b"\0")
            if not data:
                return bytes(out)
    except zlib.error as err:
        raise _refused(f"it is damaged: {err}") from err
    raise _refused(f"it is made of more than {_MOST_STREAMS} parts")


def _tar_members(data: bytes) -> Iterator[ArchiveMember]:
    try:
        for count, found in enumerate(read_tar(data)):
            if count > 4 * MOST_FILES:
                raise _refused(f"it holds more than {MOST_FILES:,} files")
            path = found.path.removeprefix("./")
            if not found.is_folder:
                yield ArchiveMember(path, found.data, bool(found.mode & 0o111))
            elif path.rstrip("/") not in ("", "."):
                refuse_path(path.rstrip("/"))
    except TarError as err:
        raise _refused(str(err)) from err


def _zip_members(data: bytes) -> Iterator[ArchiveMember]:
    import zipfile

    _refuse_long_table(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                mode = info.external_attr >> 16
                _refuse_odd(info.filename, info.orig_filename, mode, info.flag_bits)
                if info.filename.endswith("/"):
                    refuse_path(info.filename.rstrip("/"))
                    continue
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise _refused(f"{info.filename[:200]!r} is packed in an odd way")
                if info.file_size > MOST_BYTES:
                    raise _refused(f"it unpacks to more than {MOST_BYTES >> 20} MiB")
                with archive.open(info) as file:
                    content = file.read(info.file_size + 1)
                if len(content) != info.file_size:
                    raise _refused(f"{info.filename[:200]!r} is not as long as it says")
                yield ArchiveMember(info.filename, content, bool(mode & 0o111))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError) as err:
        raise _refused(f"it is damaged: {err}") from err
    except (ValueError, RuntimeError, EOFError, OSError) as err:
        raise _refused(f"it cannot be read: {err}") from err


def _refuse_odd(name: str, original: str, mode: int, flags: int) -> None:
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _refused(f"{name[:200]!r} is no plain file")
    if name != original:
        raise _refused(f"the path {original[:200]!r} is read differently by others")
    if flags & 0x1:
        raise _refused(f"{name[:200]!r} is encrypted")


def _refuse_long_table(data: bytes) -> None:
    """Stop before a table of contents is read that would fill the memory.

    Only if the last record ends the file does Python's zipfile read the same one.
    """
    end = data.rfind(_ZIP_END)
    fields = data[end + 4 :]
    if end < 0 or len(fields) != 18 + int.from_bytes(fields[16:18], "little"):
        raise _refused("it is cut off, or something follows it")
    size = int.from_bytes(fields[8:12], "little")
    count = int.from_bytes(fields[6:8], "little")
    if data[max(0, end - 20) : end].startswith(_ZIP64):
        raise _refused("it is in a form for huge archives")
    if size > _MOST_NAMES or count > 2 * MOST_FILES:
        raise _refused(f"it holds more than {MOST_FILES:,} files")


def _refused(why: str) -> RefusedError:
    return RefusedError(
        f"the archive is refused: {why}",
        hint="nothing was installed; tell whoever made it",
    )
