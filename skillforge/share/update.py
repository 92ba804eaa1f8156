"""After an installation: what differs on disk, and what is new at the source."""

import difflib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.share import fetch, lockfile
from skillforge.share.install import InstallResult, grouped, joined, take
from skillforge.share.lockfile import LockedSkill, Lockfile
from skillforge.share.package_digest import Files, Package, file_digests
from skillforge.share.staging import SkillFolder, installed, quarantine, settle

# Pairs of lines that are compared one by one; beyond, whole files are shown.
_MOST_COMPARED = 25_000_000


class Difference(NamedTuple):
    """One way in which a skill on disk is not what the lock says."""

    skill: str
    kind: str  # missing, changed, extra, mode; of a skill or of one of its files
    path: str = ""  # empty where it is the whole skill


def verify(place: SkillFolder) -> tuple[Lockfile, list[Difference]]:
    """What differs between the lock and the disk."""
    lock = _lock_of(place)
    found = [
        difference
        for _, entry in sorted(lock.entries.items())
        for difference in differences(place, entry)
    ]
    return lock, found


def _lock_of(place: SkillFolder) -> Lockfile:
    settle(place)
    lock = lockfile.read(place.lock)
    if not lock.entries:
        raise RequestError(
            f"{place.lock} names no skills that skillforge installed",
            hint="skillforge install SOURCE writes it; --lock FILE names another",
        )
    return lock


def differences(place: SkillFolder, locked: LockedSkill) -> Iterator[Difference]:
    """What differs of one skill, file by file."""
    there = installed(place.of(locked.folder).folder / locked.name)
    if there is None:
        yield Difference(locked.name, "missing")
        return
    now = file_digests(there)
    for path in sorted(now.keys() | locked.files.keys()):
        if path not in now:
            yield Difference(locked.name, "missing", path)
        elif path not in locked.files:
            yield Difference(locked.name, "extra", path)
        elif now[path] != locked.files[path]:
            yield Difference(locked.name, "changed", path)
        elif there[path].is_executable != (path in locked.executable):
            yield Difference(locked.name, "mode", path)


@dataclass(frozen=True, slots=True)
class Update:
    """What a source has for one skill: same, new, edited (here) or gone (there)."""

    name: str
    state: str
    locked: LockedSkill
    package: Package | None = None
    diff: str = ""


def updates(
    place: SkillFolder, names: Collection[str]
) -> tuple[Lockfile, list[Update]]:
    """What is new at the sources of installed skills; nothing is changed."""
    lock = _lock_of(place)
    for name in names:
        if name not in lock.entries:
            raise RequestError(
                f"{name!r} is not in {place.lock}",
                hint="skillforge verify shows what is; install SOURCE adds to it",
            )
    chosen = [it for n, it in lock.entries.items() if not names or n in names]
    found: list[Update] = []
    for source, group in grouped(lock, chosen, is_pinned=False).items():
        fetched = {it.name: it for it in fetch.known_only(source, list(group))}
        found += [_update(place, it, fetched.get(name)) for name, it in group.items()]
    return lock, sorted(found, key=lambda it: it.name)


def _update(place: SkillFolder, locked: LockedSkill, package: Package | None) -> Update:
    if package is None:
        return Update(locked.name, "gone", locked)
    if locked.holds(package.files):
        return Update(locked.name, "same", locked, package)
    there = installed(place.of(locked.folder).folder / locked.name)
    if there is not None and not locked.holds(there):
        return Update(locked.name, "edited", locked, package)
    changes = diff(locked.name, there or {}, package.files)
    return Update(locked.name, "new", locked, package, changes)


def diff(name: str, before: Files, after: Files) -> str:
    """What differs between two versions of a skill, for people."""
    parts: list[str] = []
    left = _MOST_COMPARED
    for path in sorted(before.keys() | after.keys()):
        one, two = before.get(path), after.get(path)
        if one != two:
            old, new = (it.data if it else None for it in (one, two))
            left -= _cost(old, new)
            parts += _file_diff(f"{name}/{path}", old, new, is_brief=left < 0)
            if one and two and one.is_executable != two.is_executable:
                parts.append(f"mode of {name}/{path} changes")
    return "\n".join(parts)


def _cost(before: bytes | None, after: bytes | None) -> int:
    """How long two texts take to compare, at worst: pairs of lines."""
    return (before or b"").count(b"\n") * (after or b"").count(b"\n")


def _file_diff(
    path: str, before: bytes | None, after: bytes | None, *, is_brief: bool
) -> Iterator[str]:
    try:
        old, new = ((it or b"").decode().split("\n") for it in (before, after))
    except UnicodeDecodeError:
        yield f"binary file {path} differs"
        return
    from_ = f"a/{path}" if before is not None else "/dev/null"
    to = f"b/{path}" if after is not None else "/dev/null"
    if not is_brief:
        yield from difflib.unified_diff(old, new, from_, to, lineterm="")
        return
    yield from (f"--- {from_}", f"+++ {to}", f"@@ -1,{len(old)} +1,{len(new)} @@")
    yield from (f"-{line}" for line in old)
    yield from (f"+{line}" for line in new)


def apply(
    place: SkillFolder, found: list[Update], *, accept_caution: bool
) -> InstallResult:
    """Take what is new; what was changed here meanwhile stays as it is."""
    fresh = [it for it in found if it.state == "new"]
    folders = sorted({it.locked.folder for it in fresh})
    places = {folder: place.to_write(folder) for folder in folders}
    return joined(
        [
            _apply(there, [it for it in fresh if it.locked.folder == f], accept_caution)
            for f, there in places.items()
        ]
    )


def _apply(
    place: SkillFolder, fresh: list[Update], accept_caution: bool
) -> InstallResult:
    with quarantine(place) as here:
        lock = lockfile.read(place.lock)
        for it in fresh:
            if lock.entries.get(it.name) != it.locked:
                raise ConflictError(
                    f"{it.name} was updated by somebody else meanwhile",
                    hint="skillforge update shows what is left to do",
                )
        packages = ((it.package, it.locked.source) for it in fresh if it.package)
        return take(here, lock, packages, accept_caution=accept_caution)


def stuck(found: list[Update]) -> bool:
    """Whether all that is left to update was changed here."""
    states = {it.state for it in found}
    return "edited" in states and "new" not in states
