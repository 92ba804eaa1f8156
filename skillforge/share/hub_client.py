"""Read a Skills Hub, from the web or from a folder.

An index names every artefact with its digest; an artefact with another digest is not
unpacked.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

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
from skillforge.share.hub_layout import INDEX, INDEXES
from skillforge.share.install_source import InstallSource
from skillforge.share.package_digest import Package, contents_digest, digest
from skillforge.text import shortened

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
_MOST_INDEX = 32 << 20
_MOST_SKILLS = 100_000
_MOST_ACCEPTED, _LONGEST = 20, 200  # findings that are shown; characters
_ACCEPTED = ("how", "rule", "path", "why")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_ON_DISK = "https://folder.invalid"  # the URL of a folder; never fetched

Get = Callable[[str, int], download.Download]


class IndexEntry(NamedTuple):
    """A skill in an index; one of version 0.1.0 has files and no digest."""

    name: str
    url: str
    is_archive: bool
    digest: str
    files: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()


def packages(
    source: InstallSource, select: Callable[[list[str]], Set[str]]
) -> Iterator[Package]:
    """The skills of a hub that `select` chooses from their names."""
    get, urls = _access(source.where)
    entries = _entries(get, urls)
    names = select([entry.name for entry in entries])
    return (_package(get, entry) for entry in entries if entry.name in names)


def _access(where: str) -> tuple[Get, list[str]]:
    """How to read a hub's files, and the possible URLs of its index."""
    if "://" not in where:
        folder = Path(where).resolve()
        urls = [f"{_ON_DISK}/{index}" for index in INDEXES]
        return lambda url, most: _from_disk(folder, url, most), urls
    if urlsplit(where).path.endswith("/index.json"):
        return download.get, [where]
    base = where.rstrip("/") + "/"
    tops = dict.fromkeys((base, urljoin(base, "/")))
    return download.get, [urljoin(top, index) for index in INDEXES for top in tops]


def _from_disk(folder: Path, url: str, most: int) -> download.Download:
    """A file of a hub in a folder; links that leave the folder are refused."""
    try:
        path = (folder / unquote(urlsplit(url).path).lstrip("/")).resolve()
        path.lstat()
    except (ValueError, OSError) as err:
        raise download.PageNotFoundError(
            f"no file {url.removeprefix(_ON_DISK)[:200]!r} in {folder}",
            hint="check that the hub is complete",
        ) from err
    if not path.is_relative_to(folder):
        raise RefusedError(
            f"the hub names a file outside its folder: {path}",
            hint="nothing was installed",
        )
    if not path.is_file():
        raise download.PageNotFoundError(
            f"no such file in the hub: {path}", hint="check that the hub is complete"
        )
    if path.stat().st_size > most:
        raise RefusedError(
            f"{path} is larger than {most >> 20} MiB", hint="nothing was installed"
        )
    return download.Download(url, path.read_bytes())


def _entries(get: Get, urls: list[str]) -> list[IndexEntry]:
    """The entries of the first index that exists."""
    for url in urls:
        with suppress(download.PageNotFoundError):
            return _read_index(get(url, _MOST_INDEX))
    raise RequestError(
        f"no Skills Hub at {urls[0].removesuffix(INDEX)}",
        hint=f"a hub has {INDEX}; the URL of a git repository ends in .git",
    )


def _read_index(page: download.Download) -> list[IndexEntry]:
    try:
        index = json.loads(page.data)
    except (ValueError, RecursionError) as err:
        raise _refused(page.url, "it is not valid JSON") from err
    if not isinstance(index, dict):
        raise _refused(page.url, "it is not a JSON object")
    rows, schema = index.get("skills"), index.get("$schema")
    if not isinstance(rows, list) or len(rows) > _MOST_SKILLS:
        raise _refused(page.url, "it has no list of skills")
    if schema not in (None, SCHEMA):
        raise _refused(page.url, f"unknown schema {str(schema)[:100]!r}")
    read = _entry if schema else _legacy_entry
    entries = [read(page.url, row) for row in rows]
    names = Counter(entry.name.casefold() for entry in entries)
    if duplicate := next((name for name, count in names.items() if count > 1), ""):
        raise _refused(page.url, f"it lists {duplicate} twice")
    return entries


def _entry(index: str, row: Any) -> IndexEntry:
    """An entry of an index of version 0.2.0."""
    name = _name(index, row)
    kind, url, sha = (row.get(key) for key in ("type", "url", "digest"))
    if kind not in ("skill-md", "archive"):
        raise _refused(index, f"{name} has the unknown type {str(kind)[:40]!r}")
    if not isinstance(url, str) or not isinstance(sha, str):
        raise _refused(index, f"{name} has no url or no digest")
    if not _DIGEST.fullmatch(sha):
        raise _refused(index, f"{name} has the invalid digest {sha[:100]!r}")
    place = _same_origin(index, name, url)
    accepted = tuple(_accepted(row.get("accepted")))
    return IndexEntry(name, place, kind == "archive", sha, accepted=accepted)


def _accepted(rows: Any) -> Iterator[str]:
    """The publisher's own words on findings; they are shown, and decide nothing."""
    for row in rows[:_MOST_ACCEPTED] if isinstance(rows, list) else ():
        values = [row.get(key) for key in _ACCEPTED] if isinstance(row, dict) else []
        texts = [shortened(v, _LONGEST) for v in values if isinstance(v, str)]
        if len(texts) == len(_ACCEPTED):
            how, rule, path, why = texts
            yield f"{how} by the publisher: {rule} in {path}, {why}"


def _legacy_entry(index: str, row: Any) -> IndexEntry:
    """An entry of an index of version 0.1.0."""
    name = _name(index, row)
    files = row.get("files")
    if not isinstance(files, list) or not all(isinstance(f, str) for f in files):
        raise _refused(index, f"{name} has no list of files")
    if SKILL_FILE not in files or len(files) > MOST_FILES:
        raise _refused(index, f"{name} has no {SKILL_FILE}, or too many files")
    return IndexEntry(name, urljoin(index, f"{name}/"), False, "", tuple(files))


def _name(index: str, row: Any) -> str:
    name = row.get("name") if isinstance(row, dict) else None
    if not isinstance(name, str) or not is_name(name):
        raise _refused(index, f"{str(name)[:100]!r} is not a valid name")
    return name


def _same_origin(index: str, name: str, url: str) -> str:
    """The URL of an artefact, which must be on the index's server."""
    try:
        target = urljoin(index, url)
        here, there = urlsplit(index), urlsplit(target)
        is_same = (here.scheme, here.netloc) == (there.scheme, there.netloc)
    except ValueError:
        is_same, target = False, ""
    if not is_same or not url.isprintable():
        raise _refused(index, f"{name} is on another server: {url[:200]!r}")
    return target


def _package(get: Get, entry: IndexEntry) -> Package:
    if entry.files:
        return _legacy_package(get, entry)
    data = get(entry.url, MOST_BYTES).data
    if digest(data) != entry.digest:
        raise RefusedError(
            f"{entry.name} does not match the index: its digest is {digest(data)}, "
            f"not {entry.digest}",
            hint="nothing was installed; the hub was published incompletely or changed",
        )
    files = unpacked(data) if entry.is_archive else {SKILL_FILE: DraftFile(data)}
    return Package(entry.name, files, entry.digest, accepted=entry.accepted)


def _legacy_package(get: Get, entry: IndexEntry) -> Package:
    def members() -> Iterator[ArchiveMember]:
        left = MOST_BYTES
        deadline = time.monotonic() + download.DownloadLimits().whole
        for path in entry.files:
            refuse_path(path)
            if time.monotonic() > deadline:
                raise download.too_slow(entry.url)
            url = _same_origin(entry.url, entry.name, f"./{quote(path)}")
            data = get(url, left).data
            left -= len(data)
            yield ArchiveMember(path, data, False)

    files = gathered(members())
    return Package(entry.name, files, contents_digest(files))


def _refused(index: str, problem: str) -> RefusedError:
    shown = index.removeprefix(f"{_ON_DISK}/")
    return RefusedError(
        f"the index {shown} is refused: {problem}", hint="nothing was installed"
    )
