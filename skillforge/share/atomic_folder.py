"""Replace a folder as a whole: readers see the old or the new one, never a mix."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from skillforge import flock
from skillforge.errors import ConflictError, RequestError, unwritable
from skillforge.share import hub_layout, semver
from skillforge.share.hub import Hub
from skillforge.share.hub_formats import HUB_FORMAT, read_sums

_AT_FDCWD, _EXCHANGE = -100, 2  # of renameat2


class ExistingHub(NamedTuple):
    """A published hub: its tag, and the checksums of its files."""

    tag: str
    sums: bytes


def hub_in(folder: Path) -> ExistingHub | None:
    """The hub in a folder; None if the folder is empty or doesn't exist.

    A folder with any other file is an error, so that none is overwritten.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise RequestError(f"{folder} is a file", hint="name a folder")
        names = set(_files(folder))
        manifest, sums = (
            _read(folder, name) for name in (hub_layout.MANIFEST, hub_layout.SUMS)
        )
    except OSError as err:
        raise unwritable(folder, err) from err
    existing = parse_hub(manifest, sums)
    others = names - {hub_layout.SUMS, *read_sums(existing.sums if existing else b"")}
    if others:
        raise ConflictError(
            f"{folder} has files that aren't part of a hub, such as {min(others)}",
            hint="name a new or empty folder, or move these files away",
        )
    return existing


def parse_hub(manifest: bytes, sums: bytes) -> ExistingHub | None:
    """A hub by its manifest; None if the manifest is not ours."""
    import json

    try:
        data = json.loads(manifest or b"null")
    except (ValueError, RecursionError):
        return None
    is_ours = isinstance(data, dict) and data.get("format") == HUB_FORMAT
    return ExistingHub(str(data.get("tag", "")), sums) if is_ours else None


def refuse_other(
    existing: ExistingHub | None, hub: Hub, built: Path, where: str
) -> None:
    """An error if `where` has this version with other content, or a newer version."""
    if existing is None:
        return
    tag, sums = existing
    if tag == hub.tag and sums != (built / hub_layout.SUMS).read_bytes():
        raise ConflictError(
            f"{where} has {hub.tag} with other content",
            hint="a published version can't change; skillforge release creates the "
            "next one",
        )
    new, old = semver.find(hub.tag), semver.find(tag)
    if new and old and old.rank > new.rank:
        raise ConflictError(
            f"{where} has {tag}, which is newer than {hub.tag}",
            hint="to go back, roll back the skills and release them",
        )


def publish(hub: Hub, built: Path, folder: Path) -> bool:
    """Replace a folder with a built hub; False if it already had this release."""
    existing = hub_in(folder)
    refuse_other(existing, hub, built, str(folder))
    with replaced(folder) as fresh:
        shutil.copytree(built, fresh, dirs_exist_ok=True)
    return existing is None or existing.tag != hub.tag


def _read(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _files(folder: Path) -> Iterator[str]:
    for top, _folders, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(top, name), folder)  # noqa: PTH118


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """An empty folder, which replaces `folder` if the block succeeds.

    Folders that killed runs left beside it are removed.
    """
    folder = Path(os.path.realpath(folder))  # the target of a link, not the link
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _clean_up(folder)
        fresh, lock = _fresh(folder)
    except OSError as err:
        raise unwritable(folder.parent, err) from err
    try:
        yield fresh
        _swap(fresh, folder)
    except OSError as err:
        raise unwritable(folder, err) from err
    finally:
        os.close(lock)
        shutil.rmtree(fresh, ignore_errors=True)


def _prefix(folder: Path) -> str:
    return f".{folder.name}.skillforge-"


def _fresh(folder: Path) -> tuple[Path, int]:
    """A new folder beside another, and a lock that shows that it is in use."""
    while True:
        fresh = Path(tempfile.mkdtemp(prefix=_prefix(folder), dir=folder.parent))
        fresh.chmod(0o755)
        lock = _locked(fresh)
        if lock is not None and fresh.exists():
            return fresh, lock


def _locked(folder: Path) -> int | None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    if flock.lock(handle, 0):
        return handle
    os.close(handle)
    return None


def _clean_up(folder: Path) -> None:
    for leftover in folder.parent.glob(f"{_prefix(folder)}*"):
        lock = _locked(leftover)
        if lock is not None:
            shutil.rmtree(leftover, ignore_errors=True)
            os.close(lock)


def _swap(fresh: Path, folder: Path) -> None:
    """Exchange two folders."""
    try:
        fresh.rename(folder)  # it doesn't exist yet, or is empty
    except OSError:
        if not folder.is_dir():
            raise
        if not _exchange(fresh, folder):
            _swap_in_turn(fresh, folder)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two folders in one step; False if the system can't."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    names = (os.fsencode(first), os.fsencode(second))
    return bool(rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE) == 0)


def _swap_in_turn(fresh: Path, folder: Path) -> None:
    aside = fresh.with_name(f"{fresh.name}-old")
    folder.rename(aside)
    try:
        fresh.rename(folder)
    except OSError:
        aside.rename(folder)
        raise
    aside.rename(fresh)
