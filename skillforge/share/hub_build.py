"""Build a hub in a folder: all its formats and pages, all or nothing."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from skillforge import processes, worker_pool
from skillforge.checks import edition
from skillforge.model import SKILL_FILE, DraftFile
from skillforge.share import atomic_folder, hub_formats, hub_layout
from skillforge.share.archive_writer import skill_zip, tar_gz
from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.site.feed import feed
from skillforge.share.site.texts import Texts
from skillforge.store import Cache

_SKILLS_PER_PROCESS = 50  # at least
File = tuple[str, DraftFile]


def build(hub: Hub, out: Path, cache: Cache | None = None) -> None:
    """Replace `out` with the hub; it is unchanged if the build fails.

    The same hub gives the same bytes on any machine. The cache keeps the HTML of
    instructions for later builds.
    """
    with atomic_folder.replaced(out) as fresh:
        rendered = write(hub, fresh, _cached_texts(hub, cache))
        if cache is not None and rendered:
            cache.save_entries("pages", rendered)


def digest(folder: Path) -> str:
    """The digest of a hub, which is the digest of its checksums."""
    sums = (folder / hub_layout.SUMS).read_bytes()
    return f"sha256:{hashlib.sha256(sums).hexdigest()}"


def _cached_texts(hub: Hub, cache: Cache | None) -> Texts:
    if cache is None:
        return Texts()
    from markdown_it import __version__

    texts = Texts(f"{edition()} {__version__}")
    texts.known = cache.entries("pages", texts.keys(hub.skills))
    return texts


@processes.without_cycles
def write(hub: Hub, fresh: Path, texts: Texts) -> dict[str, str]:
    """Write a hub to an empty folder; returns the newly rendered texts by key."""
    from skillforge.share import site

    digests: dict[str, str] = {}
    rendered: dict[str, str] = {}
    pages = write_files(fresh, _plain(site.shared_pages(hub)))
    work = partial(_write_skills, fresh, hub, texts)
    for part in worker_pool.spread(work, hub.skills, _SKILLS_PER_PROCESS):
        digests |= part.files
        pages |= part.pages
        rendered |= part.texts
    digests |= write_files(fresh, _plain(_indexes(hub, digests)))
    statement = hub_formats.encoded(hub_formats.provenance(hub, digests))
    digests |= write_files(fresh, _plain({hub_layout.PROVENANCE: statement}))
    write_files(fresh, _plain({hub_layout.SUMS: hub_formats.sums(digests | pages)}))
    return rendered


class _WrittenFiles(NamedTuple):
    """Digests of the files of some skills and of their pages, and new texts."""

    files: dict[str, str]
    pages: dict[str, str]
    texts: dict[str, str]


def _indexes(hub: Hub, digests: Mapping[str, str]) -> dict[str, bytes]:
    return {
        hub_layout.INDEX: hub_formats.encoded(hub_formats.index(hub, digests)),
        hub_layout.LEGACY_INDEX: hub_formats.encoded(hub_formats.legacy_index(hub)),
        hub_layout.MANIFEST: hub_formats.encoded(hub_formats.manifest(hub, digests)),
        hub_layout.MARKETPLACE: hub_formats.encoded(hub_formats.marketplace(hub)),
        hub_layout.GROUPS: hub_formats.encoded(hub_formats.groups(hub)),
        hub_layout.FEED: feed(hub),
        hub_layout.NO_JEKYLL: b"",
    }


def _write_skills(
    fresh: Path, hub: Hub, texts: Texts, skills: Sequence[PublishedSkill]
) -> _WrittenFiles:
    from skillforge.share import site

    loose = {skill.name for skill in hub_formats.loose(hub)}
    files = (file for skill in skills for file in _files(skill, skill.name in loose))
    texts = Texts(texts.edition, texts.known)
    pages = _plain(site.skill_pages(hub, skills, texts))
    return _WrittenFiles(
        write_files(fresh, files), write_files(fresh, pages), texts.fresh
    )


def _files(skill: PublishedSkill, is_loose: bool) -> Iterator[File]:
    """All files of one skill in a hub, except its page."""
    yield hub_layout.archive_of(skill.name), DraftFile(tar_gz(skill.files))
    package = skill_zip(skill.name, skill.files)
    yield hub_layout.package_of(skill.name), DraftFile(package)
    if is_loose:
        if hub_formats.is_one_page(skill):
            yield hub_layout.page_of(skill.name), skill.files[SKILL_FILE]
        for path, file in skill.files.items():
            yield hub_layout.legacy_of(skill.name, path), file


def _plain(files: Mapping[str, bytes]) -> Iterator[File]:
    return ((path, DraftFile(data)) for path, data in files.items())


def write_files(fresh: Path, files: Iterable[File]) -> dict[str, str]:
    """Write files with the same modes under any umask; returns their digests."""
    folders: set[str] = set()
    digests = {}
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    before = os.umask(0o022)
    try:
        for path, file in files:
            _make_folder(fresh, path.rpartition("/")[0], folders)
            mode = 0o755 if file.is_executable else 0o644
            with open(os.open(f"{fresh}/{path}", new, mode), "wb") as stream:  # noqa: PTH123
                stream.write(file.data)
            digests[path] = hashlib.sha256(file.data).hexdigest()
    finally:
        os.umask(before)
    return digests


def _make_folder(fresh: Path, name: str, existing: set[str]) -> None:
    if name and name not in existing:
        _make_folder(fresh, name.rpartition("/")[0], existing)
        with suppress(FileExistsError):  # another process may be faster
            os.mkdir(f"{fresh}/{name}")  # noqa: PTH102
        existing.add(name)
