"""What names the files of a skill: git's tree, digests, the hash of `npx skills`."""

import hashlib
import json
from collections.abc import Mapping
from typing import NamedTuple

from skillforge.model import DraftFile

Files = Mapping[str, DraftFile]
# The order in which JavaScript's localeCompare puts what stands in ASCII paths.
_ORDER = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
_PLACE = {letter: at for at, letter in enumerate(_ORDER)}


class Package(NamedTuple):
    """A skill as it was fetched; nobody has judged it yet.

    `digest` is of the artefact as it came, or of the files where there was none.
    """

    name: str
    files: dict[str, DraftFile]
    digest: str
    path: str = ""  # of its SKILL.md in the source
    commit: str = ""


def digest(data: bytes) -> str:
    """As an index of a hub writes it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def file_digests(files: Files) -> dict[str, str]:
    return {path: digest(file.data) for path, file in sorted(files.items())}


def contents_digest(files: Files) -> str:
    """Of files that came without an archive: their paths, modes and bytes."""
    said = [
        [path, file.is_executable, digest(file.data)]
        for path, file in sorted(files.items())
    ]
    return digest(json.dumps(said).encode())


def tree_name(files: Files) -> str:
    """The hash that git gives a folder of these files, without asking git."""
    inner: dict[str, dict[str, DraftFile]] = {}
    entries: list[tuple[bytes, bytes]] = []
    for path, file in files.items():
        top, slash, rest = path.partition("/")
        if slash:
            inner.setdefault(top, {})[rest] = file
            continue
        mode = b"100755" if file.is_executable else b"100644"
        entries.append((top.encode(), _entry(mode, top, _name(b"blob", file.data))))
    for top, some in inner.items():
        line = _entry(b"40000", top, tree_name(some))
        entries.append((f"{top}/".encode(), line))  # git sorts a folder so
    return _name(b"tree", b"".join(line for _, line in sorted(entries)))


def _entry(mode: bytes, name: str, target: str) -> bytes:
    return b"%s %s\0%s" % (mode, name.encode(), bytes.fromhex(target))


def _name(kind: bytes, data: bytes) -> str:
    # What git calls it; that it is no proof is why each file has a digest beside it.
    made = hashlib.sha1(usedforsecurity=False)
    made.update(b"%s %d\0" % (kind, len(data)))
    made.update(data)
    return made.hexdigest()


def computed_hash(files: Files) -> str:
    """The `computedHash` of `npx skills`, which reads the same lock."""
    made = hashlib.sha256()
    for path in sorted(files, key=_as_javascript):
        made.update(path.encode())
        made.update(files[path].data)
    return made.hexdigest()


def _as_javascript(path: str) -> tuple[list[int], list[bool], str]:
    """Letters whatever their case, then small ones first."""
    most = len(_ORDER)
    places = [_PLACE.get(letter.lower(), most + ord(letter)) for letter in path]
    return places, [letter.isupper() for letter in path], path
