"""Compare installed skills with their lock and with their sources; update them."""

import difflib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.share import fetch, lockfile
from skillforge.share.install import InstallResult, grouped, joined, take
from skillforge.share.install_target import InstallTarget
from skillforge.share.lockfile import LockedSkill, Lockfile
from skillforge.share.package_digest import Files, Package, file_digests
from skillforge.share.staging import installed, quarantine, settle

# Pairs of lines to compare at most; beyond that, whole files are shown.
_MOST_COMPARED = 25_000_000


class Difference(NamedTuple):
    """One way in which a skill on disk differs from the lock."""

    skill: str
    kind: str  # missing, changed, extra or mode
    path: str = ""  # of a file; empty for the whole skill


@dataclass(frozen=True, slots=True)
class Verification:
    """A lock, and how the skills on disk differ from it."""

    lock: Lockfile
    differences: tuple[Difference, ...]

    @property
    def ok(self) -> bool:
        return not self.differences


def verify(target: InstallTarget) -> Verification:
    """Compare every locked skill with the disk, file by file."""
    lock = _read_lock(target)
    differences = (
        difference
        for _, entry in sorted(lock.entries.items())
        for difference in _differences(target, entry)
    )
    return Verification(lock, tuple(differences))


def _read_lock(target: InstallTarget) -> Lockfile:
    settle(target)
    lock = lockfile.read(target.lock)
    if not lock.entries:
        raise RequestError(
            f"{target.lock} lists no skills that skillforge installed",
            hint="install some with skillforge install SOURCE, or name another lock "
            "with --lock FILE",
        )
    return lock


def _differences(target: InstallTarget, locked: LockedSkill) -> Iterator[Difference]:
    present = _installed(target, locked)
    if present is None:
        yield Difference(locked.name, "missing")
        return
    now = file_digests(present)
    for path in sorted(now.keys() | locked.files.keys()):
        if path not in now:
            yield Difference(locked.name, "missing", path)
        elif path not in locked.files:
            yield Difference(locked.name, "extra", path)
        elif now[path] != locked.files[path]:
            yield Difference(locked.name, "changed", path)
        elif present[path].is_executable != (path in locked.executable):
            yield Difference(locked.name, "mode", path)


def _installed(target: InstallTarget, locked: LockedSkill) -> Files | None:
    return installed(target.for_reading(locked.folder).folder / locked.name)


@dataclass(frozen=True, slots=True)
class Update:
    """What a source has for a skill: same, new, edited (here) or gone (there)."""

    name: str
    state: str
    locked: LockedSkill
    package: Package | None = None
    diff: str = ""


def find_updates(target: InstallTarget, names: Collection[str]) -> tuple[Update, ...]:
    """Compare installed skills with their sources; changes nothing."""
    lock = _read_lock(target)
    for name in names:
        if name not in lock.entries:
            raise RequestError(
                f"{name!r} is not in {target.lock}",
                hint="skillforge install SOURCE adds a skill to the lock",
            )
    chosen = [e for name, e in lock.entries.items() if not names or name in names]
    result: list[Update] = []
    for source, group in grouped(lock, chosen, is_pinned=False).items():
        paths = {name: entry.skill_path for name, entry in group.items()}
        fetched = {p.name: p for p in fetch.existing_packages(source, paths)}
        result += [_update(target, e, fetched.get(name)) for name, e in group.items()]
    return tuple(sorted(result, key=lambda update: update.name))


def _update(
    target: InstallTarget, locked: LockedSkill, package: Package | None
) -> Update:
    if package is None:
        return Update(locked.name, "gone", locked)
    if locked.holds(package.files):
        return Update(locked.name, "same", locked, package)
    present = _installed(target, locked)
    if present is not None and not locked.holds(present):
        return Update(locked.name, "edited", locked, package)
    changes = diff(locked.name, present or {}, package.files)
    return Update(locked.name, "new", locked, package, changes)


def diff(name: str, before: Files, after: Files) -> str:
    """The differences between two versions of a skill, as unified diffs."""
    parts: list[str] = []
    left = _MOST_COMPARED
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        old_data, new_data = (file.data if file else None for file in (old, new))
        left -= _cost(old_data, new_data)
        parts += _file_diff(f"{name}/{path}", old_data, new_data, is_brief=left < 0)
        if old and new and old.is_executable != new.is_executable:
            parts.append(f"mode of {name}/{path} changes")
    return "\n".join(parts)


def _cost(before: bytes | None, after: bytes | None) -> int:
    """The worst-case cost of comparing two texts: the pairs of lines."""
    return (before or b"").count(b"\n") * (after or b"").count(b"\n")


def _file_diff(
    path: str, before: bytes | None, after: bytes | None, *, is_brief: bool
) -> Iterator[str]:
    try:
        old, new = ((d or b"").decode().split("\n") for d in (before, after))
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
    target: InstallTarget, updates: Sequence[Update], *, accept_caution: bool
) -> InstallResult:
    """Install the updates that are new; skills with local changes are not touched."""
    groups: dict[str, list[Update]] = {}
    for update in sorted(updates, key=lambda update: update.locked.folder):
        if update.state == "new":
            groups.setdefault(update.locked.folder, []).append(update)
    targets = {folder: target.for_writing(folder) for folder in groups}
    return joined(
        target,
        [
            _apply(other, groups[folder], accept_caution)
            for folder, other in targets.items()
        ],
    )


def _apply(
    target: InstallTarget, fresh: list[Update], accept_caution: bool
) -> InstallResult:
    with quarantine(target) as staged:
        lock = lockfile.read(target.lock)
        for update in fresh:
            if lock.entries.get(update.name) != update.locked:
                raise ConflictError(
                    f"{update.name} was updated by another process",
                    hint="run skillforge update again",
                )
        packages = [(u.package, u.locked.source) for u in fresh if u.package]
        return take(staged, lock, packages, accept_caution=accept_caution)
