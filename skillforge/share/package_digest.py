"""Digests of a skill's files: git's tree hash, SHA-256, the hash of `npx skills`."""

import hashlib
import json
from collections.abc import Mapping
from typing import NamedTuple

from skillforge.gitrepo import trees
from skillforge.gitrepo.object_reader import blob_name
from skillforge.gitrepo.trees import TreeEntry
from skillforge.model import DraftFile

Files = Mapping[str, DraftFile]
_SHA1 = "0" * 40  # a lock has SHA-1 trees, whatever the format of a repository
# ASCII in the order of JavaScript's localeCompare.
_ORDER = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
_RANK = {letter: rank for rank, letter in enumerate(_ORDER)}


class Package(NamedTuple):
    """A fetched skill, not yet checked.

    `digest` is that of the archive, or of the files if there was no archive.
    """

    name: str
    files: dict[str, DraftFile]
    digest: str
    path: str = ""  # of its SKILL.md in the source
    commit: str = ""
    accepted: tuple[str, ...] = ()  # what its publisher says about findings


def digest(data: bytes) -> str:
    """The digest of bytes as a hub's index writes it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def file_digests(files: Files) -> dict[str, str]:
    return {path: digest(file.data) for path, file in sorted(files.items())}


def contents_digest(files: Files) -> str:
    """The digest of files without an archive: their paths, modes and bytes."""
    rows = [
        [path, file.is_executable, digest(file.data)]
        for path, file in sorted(files.items())
    ]
    return digest(json.dumps(rows).encode())


def tree_name(files: Files) -> str:
    """The hash of git's tree of these files, computed without git."""
    entries = {
        path: TreeEntry(
            "100755" if file.is_executable else "100644", blob_name(file.data, _SHA1)
        )
        for path, file in files.items()
    }
    return trees.tree_name(entries, _SHA1)


def computed_hash(files: Files) -> str:
    """The `computedHash` of `npx skills`, which uses the same lock."""
    sha256 = hashlib.sha256()
    for path in sorted(files, key=_javascript_order):
        sha256.update(path.encode())
        sha256.update(files[path].data)
    return sha256.hexdigest()


def _javascript_order(path: str) -> tuple[list[int], list[bool], str]:
    """The sort key of localeCompare: ignores case, then puts lower case first."""
    rest = len(_ORDER)
    ranks = [_RANK.get(letter.lower(), rest + ord(letter)) for letter in path]
    return ranks, [letter.isupper() for letter in path], path
