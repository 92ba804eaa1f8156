"""The files in an archive, within limits; archives are opened in memory only."""

import io
import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.checks.scan.payloads import unpacked

MOST_BYTES = 16 << 20  # of one archive, unpacked
MOST_FILES = 1000
_RUN = re.compile(rb"[\x20-\x7e\t]{6,}")
_WIDE_RUN = re.compile(rb"(?:[\x20-\x7e\t]\x00){6,}")


class InnerFile(NamedTuple):
    """A file of an archive; `problem` is why it was not read."""

    name: str
    data: bytes
    problem: str = ""


def members(data: bytes) -> Iterator[InnerFile]:
    """The files of an archive, or the content of a compressed file."""
    import zipfile

    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06") or zipfile.is_zipfile(
        io.BytesIO(data)
    ):
        yield from _zip(data)
    elif data[257:262] == b"ustar":
        yield from _tar(data)
    elif inner := unpacked(data):
        if inner[257:262] == b"ustar":
            yield from _tar(data)
        else:
            yield InnerFile("", inner)
    else:
        yield InnerFile("", b"", "cannot be unpacked")


def _zip(data: bytes) -> Iterator[InnerFile]:
    import zipfile

    left = MOST_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for number, info in enumerate(archive.infolist()):
                if info.flag_bits & 1:
                    yield InnerFile(info.filename, b"", "is password-protected")
                    continue
                if number >= MOST_FILES or left <= 0:
                    yield InnerFile(info.filename, b"", "the archive is too large")
                    return
                with archive.open(info) as file:
                    content = file.read(left + 1)
                left -= len(content)
                yield InnerFile(info.filename, content)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as err:
        yield InnerFile("", b"", f"cannot be unpacked: {err}")
    except (zlib.error, EOFError, ValueError):
        yield InnerFile("", b"", "cannot be unpacked")


def _tar(data: bytes) -> Iterator[InnerFile]:
    import tarfile

    left = MOST_BYTES
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r|*") as archive:
            for number, member in enumerate(archive):
                if number >= MOST_FILES or left <= 0:
                    yield InnerFile(member.name, b"", "the archive is too large")
                    return
                file = archive.extractfile(member) if member.isfile() else None
                if file is None:
                    continue
                content = file.read(left + 1)
                left -= len(content)
                yield InnerFile(member.name, content)
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError):
        yield InnerFile("", b"", "cannot be unpacked")


def strings(data: bytes) -> str:
    """The readable text of a binary file, a line for each run of characters."""
    runs = [run.decode("ascii") for run in _RUN.findall(data)]
    runs += [run[::2].decode("ascii") for run in _WIDE_RUN.findall(data)]
    return "\n".join(runs)
