"""Read untrusted tar archives in linear time.

Python's tarfile recurses on chains of extended headers, copies global ones to each
member, and parses them in quadratic time: a few hundred bytes keep it busy for a
minute. A skill's archive needs names and sizes only.
"""

from collections.abc import Iterator
from typing import NamedTuple

_BLOCK = 512
_MOST_HEADER = 8 << 10  # bytes of an extended header; a long path takes about one KiB
_PAX, _PAX_GLOBAL, _LONG_NAME = b"x", b"g", b"L"
_EXTENDED = (_PAX, _PAX_GLOBAL, _LONG_NAME)
_FILES, _FOLDER = (b"0", b"\0"), b"5"
# Keys of pax headers with which other readers see other bytes than we do.
_REFUSED_KEYS = ("size", "GNU.sparse")


class TarError(ValueError):
    """An archive that is damaged, or that other programs may read differently."""


class TarMember(NamedTuple):
    """One file or folder; a folder has no content."""

    path: str
    data: bytes
    mode: int
    is_folder: bool


def read_tar(data: bytes) -> Iterator[TarMember]:
    """The members of an archive, which must be regular files or folders."""
    import tarfile

    at, path = 0, ""
    extended: set[bytes] = set()
    while (block := data[at : at + _BLOCK]).strip(b"\0"):
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except (tarfile.TarError, ValueError) as err:
            raise TarError(f"it is damaged: {err}") from err
        content = data[at + _BLOCK : at + _BLOCK + max(header.size, 0)]
        if len(content) != header.size:
            raise TarError("it is truncated")
        at += _BLOCK + -(-header.size // _BLOCK) * _BLOCK
        if header.type in _EXTENDED:
            if header.type in extended or header.size > _MOST_HEADER:
                raise TarError("it has repeated or oversized headers")
            extended.add(header.type)
            path = _extended_path(header.type, content) or path
            continue
        if header.type not in (*_FILES, _FOLDER):
            raise TarError(f"{header.name[:200]!r} is not a regular file")
        is_folder = header.type == _FOLDER
        yield TarMember(path or header.name, content, header.mode, is_folder)
        extended, path = extended & {_PAX_GLOBAL}, ""


def _extended_path(kind: bytes, content: bytes) -> str:
    """The path that an extended header gives to the next member."""
    if kind == _LONG_NAME:
        return content.rstrip(b"\0").decode("utf-8", "surrogateescape")
    records = dict(_pax_records(content))
    if refused := next((key for key in records if key.startswith(_REFUSED_KEYS)), ""):
        raise TarError(f"its headers set {refused[:40]!r}")
    if kind == _PAX_GLOBAL and "path" in records:
        raise TarError("it has one path for all members")
    return records.get("path", "")


def _pax_records(content: bytes) -> Iterator[tuple[str, str]]:
    """Keys and values of a pax header; each record starts with its own length."""
    at = 0
    while at < len(content):
        digits, space, _ = content[at : at + 8].partition(b" ")
        length = int(digits) if digits.isdigit() else 0
        record = content[at : at + length]
        if not space or len(record) != length or not record.endswith(b"\n"):
            raise TarError("it has a damaged header")
        key, _, value = record[len(digits) + 1 : -1].partition(b"=")
        yield key.decode("utf-8", "replace"), value.decode("utf-8", "surrogateescape")
        at += length
