"""A folder that is replaced as a whole: what is in it is never half of anything."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError, unwritable
from skillforge.share import hub_layout, semver
from skillforge.share.hub import Hub
from skillforge.share.hub_formats import HUB_FORMAT, read_sums

_AT_FDCWD, _EXCHANGE = -100, 2  # of renameat2


class ExistingHub(NamedTuple):
    """The hub that is in a place: of which tag, and the checksums of its files."""

    tag: str
    sums: bytes


def hub_in(folder: Path) -> ExistingHub | None:
    """The hub that a folder holds; None if there is nothing in it.

    A folder with anything else in it is refused: nothing of others is overwritten.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise RequestError(f"{folder} is a file", hint="name a folder")
        names = set(_files(folder))
        found = standing(
            _read(folder, hub_layout.MANIFEST), _read(folder, hub_layout.SUMS)
        )
    except OSError as err:
        raise unwritable(folder, err) from err
    strange = names - {hub_layout.SUMS, *read_sums(found.sums if found else b"")}
    if strange:
        raise ConflictError(
            f"{folder} is not a hub alone: {min(strange)} is none of its files",
            hint="name an empty or a new folder; or take that away yourself",
        )
    return found


def standing(manifest: bytes, sums: bytes) -> ExistingHub | None:
    """What a place holds, by its manifest; None if that is none of ours."""
    import json

    try:
        said = json.loads(manifest or b"null")
    except (ValueError, RecursionError):
        return None
    is_ours = isinstance(said, dict) and said.get("format") == HUB_FORMAT
    return ExistingHub(str(said.get("tag", "")), sums) if is_ours else None


def refuse_other(there: ExistingHub | None, hub: Hub, made: Path, where: str) -> None:
    """Stop where a place holds other bytes under the same version, or a newer one."""
    if there is None:
        return
    mine, theirs = semver.find(hub.tag), semver.find(there.tag)
    if there.tag == hub.tag and there.sums != (made / hub_layout.SUMS).read_bytes():
        raise ConflictError(
            f"{where} holds {hub.tag} with other content",
            hint="a version is published once: skillforge release makes the next one",
        )
    if mine and theirs and theirs.rank > mine.rank:
        raise ConflictError(
            f"{where} holds {there.tag}, which is newer than {hub.tag}",
            hint="to go back, roll the skills back and release that",
        )


def publish(hub: Hub, made: Path, folder: Path) -> bool:
    """Put a built hub into a folder; False if it was there already."""
    there = hub_in(folder)
    refuse_other(there, hub, made, str(folder))
    with replaced(folder) as fresh:
        shutil.copytree(made, fresh, dirs_exist_ok=True)
    return there is None or there.tag != hub.tag


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
    """An empty folder to write to; when all went well, it takes the other's place.

    What a killed run has left beside it is taken away.
    """
    folder = Path(os.path.realpath(folder))  # what a link leads to, and not the link
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
    """A new folder beside another, and the lock by which others see that it lives."""
    while True:
        made = Path(tempfile.mkdtemp(prefix=_prefix(folder), dir=folder.parent))
        made.chmod(0o755)
        lock = _locked(made)
        if lock is not None and made.exists():
            return made, lock


def _locked(folder: Path) -> int | None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _clean_up(folder: Path) -> None:
    for left in folder.parent.glob(f"{_prefix(folder)}*"):
        lock = _locked(left)
        if lock is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)


def _swap(fresh: Path, folder: Path) -> None:
    """Put a folder in another's place; the other is then where this one was."""
    try:
        fresh.rename(folder)  # there is none yet, or an empty one
    except OSError:
        if not folder.is_dir():
            raise
        if not _exchange(fresh, folder):
            _swap_in_turn(fresh, folder)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in one step; False where the system cannot."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    names = (os.fsencode(one), os.fsencode(other))
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
