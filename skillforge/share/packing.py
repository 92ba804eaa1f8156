"""Archives of a skill: the same bytes from any machine, clock, umask and library.

Nothing in them is compressed. What a compressor makes of its input differs between
versions and makes of zlib, and a digest that only one machine can reproduce proves
nothing. A skill is a few kilobytes of text.
"""

import io
import zlib
from collections.abc import Iterator, Mapping

from skillforge.errors import RequestError
from skillforge.model import DraftFile

_BLOCK = 512  # of a tar
_STORED = 0xFFFF  # bytes of a deflate block that is kept as it is
_START = (1980, 1, 1, 0, 0, 0)  # the first second that a zip can tell
_GZIP = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # no name, no time, no system
_MODES = {False: 0o644, True: 0o755}


def tar_gz(files: Mapping[str, DraftFile]) -> bytes:
    """A gzipped tar with the files at its root, as well-known clients want it.

    Plain ustar: the clients that matter read no extension of it.
    """
    return _gzip(b"".join(_tar(files)))


def _tar(files: Mapping[str, DraftFile]) -> Iterator[bytes]:
    import tarfile

    for path, file in sorted(files.items()):
        about = tarfile.TarInfo(path)
        about.size, about.mode = len(file.data), _MODES[file.is_executable]
        try:
            yield about.tobuf(tarfile.USTAR_FORMAT, "utf-8", "surrogateescape")
        except ValueError as err:
            raise RequestError(
                f"{path!r} is too long for an archive", hint="shorten it"
            ) from err
        yield file.data
        yield bytes(-len(file.data) % _BLOCK)
    yield bytes(2 * _BLOCK)


def _gzip(data: bytes) -> bytes:
    """Bytes as gzip knows them, in stored blocks of our own making."""
    parts = [_GZIP]
    for at in range(0, len(data), _STORED):
        block = data[at : at + _STORED]
        size = len(block).to_bytes(2, "little")
        is_last = at + _STORED >= len(data)
        parts += [bytes([is_last]), size, bytes(255 - byte for byte in size), block]
    parts += [zlib.crc32(data).to_bytes(4, "little")]
    parts += [(len(data) & 0xFFFFFFFF).to_bytes(4, "little")]
    return b"".join(parts)


def skill_zip(name: str, files: Mapping[str, DraftFile]) -> bytes:
    """A `.skill`: a zip with everything in a folder of the skill's name."""
    import zipfile

    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for path, file in sorted(files.items()):
            about = zipfile.ZipInfo(f"{name}/{path}", _START)
            about.create_system = 3  # else it is that of the machine
            about.external_attr = (0o100000 | _MODES[file.is_executable]) << 16
            archive.writestr(about, file.data)
    return made.getvalue()
