"""Where installed skills are, and how they get there: by renames, and all of them.

A private folder beside the destination holds what is not judged yet, and what has to go
until its successor is in place. Its plan tells the next run what a dead one wanted.
"""

import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from skillforge.agent_folders import (
    PROJECT_FOLDERS,
    is_of_git,
    named_folder,
    real,
    skills_folder,
)
from skillforge.errors import (
    ConfigError,
    ConflictError,
    RequestError,
    ToolError,
    unwritable,
)
from skillforge.library import read_folder, replace_file
from skillforge.model import DraftFile, FileKind
from skillforge.share import lockfile
from skillforge.share.lockfile import LockedSkill
from skillforge.share.package_digest import Files, tree_name
from skillforge.store.lock import held

_PATIENCE = 60.0
_PLAN = "plan.json"


class SkillFolder(NamedTuple):
    """A folder of skills, and the lock that says what is in it.

    `named` are other folders of the lock that the user has named.
    """

    folder: Path
    lock: Path
    named: tuple[Path, ...] = ()

    @property
    def shown(self) -> str:
        """The folder as the lock writes it; the usual one if it lies elsewhere."""
        top = self.lock.parent
        if self.folder.is_relative_to(top) and self.folder != top:
            return self.folder.relative_to(top).as_posix()
        return lockfile.DEFAULT

    def of(self, folder: str) -> "SkillFolder":
        """The place with the folder that an entry of the lock names, to read it.

        A lock may come from anyone: it names folders beside it, and no links.
        """
        if folder == self.shown:
            return self
        there = self._replace(folder=real(self.lock.parent / folder))
        if there.shown != folder or is_of_git(there.folder):
            raise ConfigError(
                f"{self.lock} names the folder {folder!r}, which leads to "
                f"{there.folder}",
                hint="--to DIR names the folder, if that is the right one",
            )
        return there

    def to_write(self, folder: str) -> "SkillFolder":
        """The same, to write in it: an agent's folder, or one that the user named."""
        there = self.of(folder)
        if there == self or folder in PROJECT_FOLDERS or there.folder in self.named:
            return there
        raise ConfigError(
            f"{self.lock} installs to {there.folder}, which is no agent's folder",
            hint=f"--to {folder} allows it, if you trust the lock",
        )


def place(to: Sequence[str], agent: str, is_user: bool, lock: str) -> SkillFolder:
    """The place that options name; in the current folder if they name none."""
    named = tuple(named_folder(folder) for folder in to)
    project = None if is_user else Path.cwd()
    folder = named[0] if named else real(skills_folder(agent or "agents", project))
    if os.path.lexists(folder) and not folder.is_dir():
        raise RequestError(f"{folder} is no folder", hint="--to names another one")
    is_here = not is_user and folder.is_relative_to(real(Path.cwd()))
    beside = Path.cwd() if is_here else folder.parent  # a lock names what is below it
    path = Path(lock).absolute() if lock else beside / lockfile.NAME
    return SkillFolder(folder, real(path.parent) / path.name, named)


def installed(folder: Path) -> dict[str, DraftFile] | None:
    """The files of an installed skill; None if it is not there.

    A link or a pipe has no bytes that any lock would name.
    """
    if not os.path.lexists(folder):
        return None
    skill = read_folder(str(folder), folder.name, folder.name, alone=True)
    found: dict[str, DraftFile] = {}
    for path, file in skill.files.items():
        is_plain = file.kind in (FileKind.FILE, FileKind.EXECUTABLE)
        data = skill.read(path) if is_plain else b"\0" + str(file.kind).encode()
        found[path] = DraftFile(data, file.kind is FileKind.EXECUTABLE)
    return found


@dataclass(frozen=True, slots=True)
class Quarantine:
    """The private folder of one destination, held by one process."""

    place: SkillFolder
    root: Path

    def folder(self, name: str) -> Path:
        return self.root / "new" / name

    def put(self, name: str, files: Files) -> Path:
        """Write a skill here; nobody but us looks at it before it is judged."""
        folder = self.folder(name)
        shutil.rmtree(folder, ignore_errors=True)
        try:
            for path, file in files.items():
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.data)
                target.chmod(0o755 if file.is_executable else 0o644)
        except OSError as err:
            raise unwritable(self.root, err) from err
        return folder

    def move_in(
        self, fresh: Mapping[str, LockedSkill], before: Mapping[str, str]
    ) -> None:
        """Put what is here in place, then into the lock; `before` are trees that go."""
        said = {name: entry.said for name, entry in fresh.items()}
        plan = {
            "folder": self._mark(),
            "lock": str(self.place.lock),
            "skills": said,
            "before": dict(before),
        }
        replace_file(self.root / _PLAN, json.dumps(plan).encode())
        self._carry_out(fresh, before)

    def _carry_out(
        self, fresh: Mapping[str, LockedSkill], before: Mapping[str, str]
    ) -> None:
        done: dict[str, LockedSkill] = {}
        failed: OSError | None = None
        for name, entry in fresh.items():
            try:
                if self._swap(name, before.get(name, "")):
                    done[name] = entry
            except OSError as err:
                failed = err
                break
        lockfile.write(lockfile.read(self.place.lock), done)
        (self.root / _PLAN).unlink(missing_ok=True)
        if failed is not None:
            raise unwritable(self.place.folder, failed)

    def _swap(self, name: str, before: str) -> bool:
        """Put one skill in place; False if somebody has changed what would go."""
        new, old = self.folder(name), self.root / "old" / name
        target = self.place.folder / name
        if not new.exists():
            return target.exists()  # done by a run that died later
        target.parent.mkdir(parents=True, exist_ok=True)
        there = installed(target)
        if there is not None:
            if tree_name(there) != before:
                return False
            old.parent.mkdir(exist_ok=True)
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if there is not None:
                old.rename(target)
            raise
        return True

    def _mark(self) -> list[int]:
        """What a plan that was written elsewhere can't know of this folder."""
        found = self.root.lstat()
        return [found.st_dev, found.st_ino]

    def finish_leftover(self) -> None:
        """Do what a run that died had begun, or throw away what it had not judged."""
        try:
            plan = json.loads((self.root / _PLAN).read_bytes())
            said, before = plan["skills"], plan["before"]
            if plan["folder"] != self._mark():
                return
            place = SkillFolder(self.place.folder, Path(plan["lock"]))
            fresh = lockfile.entries(place.lock, said)
        except (OSError, ValueError, TypeError, KeyError):
            return
        Quarantine(place, self.root)._carry_out(fresh, before)


@contextmanager
def quarantine(place: SkillFolder) -> Iterator[Quarantine]:
    """Be the only one who changes a place; what a dead run left is settled first."""
    root = _root(place)
    try:
        place.folder.parent.mkdir(parents=True, exist_ok=True)
        place.lock.parent.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise unwritable(place.folder.parent, err) from err
    with ExitStack() as stack:
        # In one order, so that no two wait for each other.
        for folder in sorted({root.parent, place.lock.parent}):
            stack.enter_context(held(folder, "the folder of skills", _PATIENCE))
        try:
            _make_own(root)
        except FileExistsError as err:
            raise ConflictError(f"{root} is in the way", hint="move it away") from err
        except OSError as err:
            raise unwritable(root.parent, err) from err
        try:
            here = Quarantine(place, root)
            here.finish_leftover()
            _empty(root)
            yield here
        except PermissionError as err:
            raise unwritable(root.parent, err) from err
        finally:
            if not (root / _PLAN).exists():
                shutil.rmtree(root, ignore_errors=True)


def settle(place: SkillFolder) -> None:
    """Finish what a dead run had begun, if there is any such thing."""
    if _root(place).exists():
        with quarantine(place):
            pass


def _make_own(root: Path) -> None:
    """Make the private folder, or find the one of a dead run.

    A project may bring one of that name: a link, so that what lies elsewhere is swept
    away, or a plan that nobody judged. Git brings no folder that only its owner reads.
    """
    try:
        root.mkdir(mode=0o700)
    except FileExistsError:
        found = root.lstat()
        is_private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
        if not is_private or found.st_uid != os.geteuid():
            raise


def _root(place: SkillFolder) -> Path:
    return place.folder.parent / f".skillforge-{place.folder.name}"


def _empty(root: Path) -> None:
    for inner in root.iterdir():
        if inner.is_dir() and not inner.is_symlink():
            shutil.rmtree(inner, ignore_errors=True)
        else:
            inner.unlink(missing_ok=True)
    if leftover := list(root.iterdir()):
        raise ToolError(f"{leftover[0]} cannot be removed", hint="remove it by hand")
