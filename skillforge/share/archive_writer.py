"""Write archives of a skill, with the same bytes on any machine.

Nothing is compressed, because the output of zlib differs between its versions and
builds. For the same reason, we write the headers ourselves.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping

from skillforge.errors import RequestError
from skillforge.model import DraftFile

_BLOCK = 512  # of a tar
_STORED = 0xFFFF  # bytes of an uncompressed deflate block
_GZIP = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # no name, no time, no system
_MODES = {False: 0o644, True: 0o755}
_FIRST_DAY = 0x21  # 1980-01-01, the earliest date of a zip
_UNIX, _UTF8 = 3 << 8 | 20, 1 << 11
_ZIP_ENTRY = struct.Struct("<4sHHHHHLLLHH")
_ZIP_DIRECTORY = struct.Struct("<4sHHHHHHLLLHHHHHLL")
_ZIP_END = struct.Struct("<4sHHHHLLH")


def tar_gz(files: Mapping[str, DraftFile]) -> bytes:
    """A gzipped tar with the files at its top.

    It is plain ustar, because some clients don't support extensions.
    """
    return _gzip(b"".join(_tar(files)))


def _tar(files: Mapping[str, DraftFile]) -> Iterator[bytes]:
    for path, file in sorted(files.items()):
        yield _tar_header(path, file)
        yield file.data
        yield bytes(-len(file.data) % _BLOCK)
    yield bytes(2 * _BLOCK)


def _tar_header(path: str, file: DraftFile) -> bytes:
    prefix, name = _tar_name(path)
    numbers = b"%07o\0%07o\0%07o\0%011o\0%011o\0" % (
        _MODES[file.is_executable],
        0,  # user
        0,  # group
        len(file.data),
        0,  # time
    )
    rest = b"0".ljust(101, b"\0") + b"ustar\x0000".ljust(88, b"\0")
    start = name.ljust(100, b"\0") + numbers
    end = rest + prefix.ljust(167, b"\0")
    total = sum(start) + sum(end) + 8 * ord(" ")
    return start + b"%06o\0 " % total + end


def _tar_name(path: str) -> tuple[bytes, bytes]:
    """The prefix and name fields for a path."""
    whole = path.encode("utf-8", "surrogateescape")
    if len(whole) <= 100:
        return b"", whole
    cut = whole.rfind(b"/", 0, 156)
    prefix, name = whole[: max(cut, 0)], whole[cut + 1 :]
    if not prefix or len(name) > 100:
        raise RequestError(
            f"{path!r} is too long for a tar archive", hint="use a shorter path"
        )
    return prefix, name


def _gzip(data: bytes) -> bytes:
    """A gzip file of uncompressed blocks."""
    parts = [_GZIP]
    for at in range(0, len(data), _STORED):
        block = data[at : at + _STORED]
        is_last = at + _STORED >= len(data)
        parts += [struct.pack("<BHH", is_last, len(block), len(block) ^ 0xFFFF), block]
    parts.append(struct.pack("<LL", zlib.crc32(data), len(data) & 0xFFFFFFFF))
    return b"".join(parts)


def skill_zip(name: str, files: Mapping[str, DraftFile]) -> bytes:
    """A `.skill` file: a zip with one folder, which has the skill's name."""
    parts: list[bytes] = []
    directory: list[bytes] = []
    at = 0
    for path, file in sorted(files.items()):
        inner = f"{name}/{path}".encode("utf-8", "surrogateescape")
        size = len(file.data)
        about = (_UTF8, 0, 0, _FIRST_DAY, zlib.crc32(file.data), size, size, len(inner))
        mode = (0o100000 | _MODES[file.is_executable]) << 16
        directory += [
            _ZIP_DIRECTORY.pack(b"PK\1\2", _UNIX, 20, *about, 0, 0, 0, 0, mode, at),
            inner,
        ]
        entry = [_ZIP_ENTRY.pack(b"PK\3\4", 20, *about, 0), inner, file.data]
        at += sum(map(len, entry))
        parts += entry
    length, count = sum(map(len, directory)), len(files)
    end = _ZIP_END.pack(b"PK\5\6", 0, 0, count, count, length, at, 0)
    return b"".join([*parts, *directory, end])
