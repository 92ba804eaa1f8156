"""A Skills Hub as a client reads it, from the web or from a folder on disk.

Every artefact is named by an index together with its digest; what has another digest
is not unpacked.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Set
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from skillforge.checks.path_policy import is_name
from skillforge.errors import RefusedError, RequestError
from skillforge.model import SKILL_FILE, DraftFile
from skillforge.share import download
from skillforge.share.archive_reader import (
    MOST_BYTES,
    MOST_FILES,
    ArchiveMember,
    gathered,
    refuse_path,
    unpacked,
)
from skillforge.share.install_source import INDEX, LEGACY, InstallSource
from skillforge.share.package_digest import Package, contents_digest, digest

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
_MOST_INDEX = 32 << 20
_MOST_SKILLS = 100_000
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_ON_DISK = "https://folder.invalid"  # stands for one: nothing is fetched from it

Get = Callable[[str, int], download.Download]


class IndexEntry(NamedTuple):
    """One skill of an index; without a digest it is of the older kind."""

    name: str
    url: str
    is_archive: bool
    digest: str
    files: tuple[str, ...] = ()


def packages(
    source: InstallSource, wanted: Callable[[list[str]], Set[str]]
) -> Iterator[Package]:
    """The skills of a hub that are wanted of all that it has."""
    get, places = _reach(source.where)
    entries = _entries(get, places)
    names = wanted([entry.name for entry in entries])
    return (_package(get, entry) for entry in entries if entry.name in names)


def _reach(where: str) -> tuple[Get, list[str]]:
    """How to get what a hub holds, and where its index may be."""
    if "://" not in where:
        folder = Path(where).resolve()
        places = [f"{_ON_DISK}/{index}" for index in (INDEX, LEGACY)]
        return lambda url, most: _from_disk(folder, url, most), places
    if urlsplit(where).path.endswith("/index.json"):
        return download.get, [where]
    base = where.rstrip("/") + "/"
    tops = dict.fromkeys((base, urljoin(base, "/")))
    return download.get, [
        urljoin(top, index) for index in (INDEX, LEGACY) for top in tops
    ]


def _from_disk(folder: Path, url: str, most: int) -> download.Download:
    """A file of a hub on disk; links that lead out of it are not followed."""
    try:
        path = (folder / unquote(urlsplit(url).path).lstrip("/")).resolve()
        path.lstat()
    except (ValueError, OSError) as err:
        raise download.PageNotFoundError(
            f"there is no file {url.removeprefix(_ON_DISK)[:200]!r} in {folder}",
            hint="is the hub whole?",
        ) from err
    if not path.is_relative_to(folder):
        raise RefusedError(
            f"the hub names a file outside its folder: {path}",
            hint="nothing was installed",
        )
    if not path.is_file():
        raise download.PageNotFoundError(
            f"there is no file {path}", hint="is the hub whole?"
        )
    if path.stat().st_size > most:
        raise RefusedError(
            f"{path} has more than {most >> 20} MiB", hint="nothing was installed"
        )
    return download.Download(url, path.read_bytes())


def _entries(get: Get, places: list[str]) -> list[IndexEntry]:
    """The entries of the first index that is there."""
    for place in places:
        try:
            found = get(place, _MOST_INDEX)
        except download.PageNotFoundError:
            continue
        return _read_index(found)
    raise RequestError(
        f"there is no Skills Hub at {places[0].removesuffix(INDEX)}",
        hint=f"a hub has {INDEX}; a git repository is named by its URL with .git",
    )


def _read_index(found: download.Download) -> list[IndexEntry]:
    said = _json(found)
    rows = said.get("skills")
    schema = said.get("$schema")
    if not isinstance(rows, list) or len(rows) > _MOST_SKILLS:
        raise _odd(found.url, "it has no list of skills")
    if schema not in (None, SCHEMA):
        raise _odd(found.url, f"its schema is unknown: {str(schema)[:100]!r}")
    read = _entry if schema else _older_entry
    entries = [read(found.url, row) for row in rows]
    names = Counter(entry.name.casefold() for entry in entries)
    if twice := next((name for name, count in names.items() if count > 1), ""):
        raise _odd(found.url, f"it names {twice} twice")
    return entries


def _json(found: download.Download) -> dict[str, Any]:
    try:
        said = json.loads(found.data)
    except (ValueError, RecursionError) as err:
        raise _odd(found.url, "it is no JSON") from err
    if not isinstance(said, dict):
        raise _odd(found.url, "it is no JSON object")
    return said


def _entry(index: str, row: Any) -> IndexEntry:
    """One row of an index of version 0.2.0."""
    name = _name(index, row)
    kind, url, sha = (row.get(key) for key in ("type", "url", "digest"))
    if kind not in ("skill-md", "archive"):
        raise _odd(index, f"the type of {name} is {str(kind)[:40]!r}")
    if not isinstance(url, str) or not isinstance(sha, str):
        raise _odd(index, f"{name} has no url or no digest")
    if not _DIGEST.fullmatch(sha):
        raise _odd(index, f"the digest of {name} is none: {sha[:100]!r}")
    return IndexEntry(name, _beside(index, name, url), kind == "archive", sha)


def _older_entry(index: str, row: Any) -> IndexEntry:
    """One row of an index of version 0.1.0: files by name, without a digest."""
    name = _name(index, row)
    files = row.get("files")
    if not isinstance(files, list) or not all(isinstance(it, str) for it in files):
        raise _odd(index, f"{name} has no list of files")
    if SKILL_FILE not in files or len(files) > MOST_FILES:
        raise _odd(index, f"the files of {name} are none of a skill")
    return IndexEntry(name, urljoin(index, f"{name}/"), False, "", tuple(files))


def _name(index: str, row: Any) -> str:
    name = row.get("name") if isinstance(row, dict) else None
    if not isinstance(name, str) or not is_name(name):
        raise _odd(index, f"{str(name)[:100]!r} cannot be a skill's name")
    return name


def _beside(index: str, name: str, url: str) -> str:
    """Where an artefact is: on the same server as the index, and nowhere else."""
    try:
        target = urljoin(index, url)
        here, there = urlsplit(index), urlsplit(target)
        is_same = (here.scheme, here.netloc) == (there.scheme, there.netloc)
    except ValueError:
        is_same, target = False, ""
    if not is_same or not url.isprintable():
        raise _odd(index, f"{name} is said to be elsewhere: {url[:200]!r}")
    return target


def _package(get: Get, entry: IndexEntry) -> Package:
    if entry.files:
        return _older_package(get, entry)
    data = get(entry.url, MOST_BYTES).data
    if digest(data) != entry.digest:
        raise RefusedError(
            f"{entry.name} is not what the index says: its digest is {digest(data)}, "
            f"not {entry.digest}",
            hint="nothing was installed; the hub is half published, or somebody "
            "changed it",
        )
    files = unpacked(data) if entry.is_archive else {SKILL_FILE: DraftFile(data)}
    return Package(entry.name, files, entry.digest)


def _older_package(get: Get, entry: IndexEntry) -> Package:
    def members() -> Iterator[ArchiveMember]:
        left = MOST_BYTES
        deadline = (
            time.monotonic() + download.DownloadLimits().whole
        )  # of all files together
        for path in entry.files:
            refuse_path(path)
            if time.monotonic() > deadline:
                raise download.too_slow(entry.url)
            url = _beside(entry.url, entry.name, _encoded(path))
            data = get(url, left).data
            left -= len(data)
            yield ArchiveMember(path, data, False)

    files = gathered(members())
    return Package(entry.name, files, contents_digest(files))


def _encoded(path: str) -> str:
    from urllib.parse import quote

    return f"./{quote(path)}"


def _odd(index: str, why: str) -> RefusedError:
    shown = index.removeprefix(f"{_ON_DISK}/")
    return RefusedError(
        f"the index {shown} is refused: {why}", hint="nothing was installed"
    )
