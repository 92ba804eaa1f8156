"""What names the files of a skill: git's tree, digests, the hash of `npx skills`."""

import hashlib
import json
from collections.abc import Mapping
from typing import NamedTuple

from skillforge.gitrepo import trees
from skillforge.gitrepo.object_reader import blob_name
from skillforge.gitrepo.trees import TreeEntry
from skillforge.model import DraftFile

Files = Mapping[str, DraftFile]
_SHA1 = "0" * 40  # as long as the names that a lock holds
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
    entries = {
        path: TreeEntry(
            "100755" if file.is_executable else "100644", blob_name(file.data, _SHA1)
        )
        for path, file in files.items()
    }
    return trees.tree_name(entries, _SHA1)


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
