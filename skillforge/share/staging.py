"""Put skills in place by renames, all or nothing, from a private folder beside them.

The private folder holds skills that are not checked yet, and replaced skills until
their successors are in place. Its plan lets the next run finish what a killed run
began. All changes go through open folders, so a link that replaces a folder
cannot redirect them.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from skillforge.errors import ConflictError, ToolError, unwritable
from skillforge.library import read_folder
from skillforge.model import DraftFile, Skill
from skillforge.share import lockfile
from skillforge.share.folder_handle import FolderHandle, skill_files
from skillforge.share.install_target import InstallTarget
from skillforge.share.lockfile import LockedSkill
from skillforge.share.package_digest import Files, tree_name
from skillforge.store.lock import locked

_LOCK_SECONDS = 60.0
_PLAN = "plan.json"


def installed(folder: Path) -> dict[str, DraftFile] | None:
    """The files of an installed skill; None if there is none."""
    if not os.path.lexists(folder):
        return None
    return skill_files(read_folder(str(folder), folder.name, folder.name, alone=True))


@dataclass(frozen=True, slots=True)
class Quarantine:
    """The private folder of a target, held by one process.

    `parent` is the folder that holds both the folder of skills and the private one.
    """

    target: InstallTarget
    parent: FolderHandle
    root: FolderHandle

    def put(self, name: str, files: Files) -> Skill:
        """Write a skill here, and read it back."""
        folder = f"new/{name}"
        self.root.remove(folder)
        try:
            for path, file in files.items():
                self.root.write(f"{folder}/{path}", file)
        except OSError as err:
            raise unwritable(self.root.path, err) from err
        return self.root.skill(folder, name)

    def move_in(
        self, fresh: Mapping[str, LockedSkill], before: Mapping[str, str]
    ) -> None:
        """Move skills to the target, then lock them; `before` are the trees replaced.

        A skill that was edited since then is not replaced.
        """
        if not self.parent.is_current:
            raise ConflictError(
                f"{self.parent.path} was replaced during the installation",
                hint="nothing was installed; try again",
            )
        with self._open_skills() as skills:
            plan = {
                "folder": self._identity(),
                "lock": str(self.target.lock),
                "skills": {name: entry.data for name, entry in fresh.items()},
                "before": dict(before),
            }
            self.root.replace_file(_PLAN, json.dumps(plan).encode())
            self._carry_out(skills, fresh, before)

    def _open_skills(self) -> FolderHandle:
        name = self.target.folder.name
        try:
            with suppress(FileExistsError):
                self.parent.make(name)
            return self.parent.child(name)
        except OSError as err:
            raise unwritable(self.target.folder, err) from err

    def _carry_out(
        self,
        skills: FolderHandle,
        fresh: Mapping[str, LockedSkill],
        before: Mapping[str, str],
    ) -> None:
        done: dict[str, LockedSkill] = {}
        failure: OSError | None = None
        for name, entry in fresh.items():
            try:
                if self._swap(skills, name, before.get(name, "")):
                    done[name] = entry
            except OSError as err:
                failure = err
                break
        lockfile.write(lockfile.read(self.target.lock), done)
        self.root.remove(_PLAN)
        if failure is not None:
            raise unwritable(self.target.folder, failure)

    def _swap(self, skills: FolderHandle, name: str, before: str) -> bool:
        """Move one skill to the target; False if the old one was edited.

        Safe to repeat after a kill at any step.
        """
        new, old = f"new/{name}", f"old/{name}"
        if not self.root.has(new):
            return skills.has(name)  # done by a run that was killed later
        if skills.has(name) and not self.root.has(old):
            with suppress(FileExistsError):
                self.root.make("old")
            skills.move(name, self.root, old)
        # Compared here, where other processes no longer edit it.
        if self.root.has(old) and self._tree(old) != before:
            self.root.move(old, skills, name)
            return False
        try:
            self.root.move(new, skills, name)
        except OSError:
            if self.root.has(old):
                self.root.move(old, skills, name)
            raise
        return True

    def _tree(self, folder: str) -> str:
        return tree_name(skill_files(self.root.skill(folder, folder)))

    def _identity(self) -> list[int]:
        """The inode of the private folder, which a forged plan cannot name."""
        status = os.fstat(self.root.fd)
        return [status.st_dev, status.st_ino]

    def finish_leftover(self) -> None:
        """Finish the plan of a killed run; without a plan, nothing was moved."""
        try:
            plan = json.loads(self.root.read(_PLAN))
            data, before = plan["skills"], plan["before"]
            if plan["folder"] != self._identity():
                return
            target = InstallTarget(self.target.folder, Path(plan["lock"]))
            fresh = lockfile.entries(target.lock, data)
        except (OSError, ValueError, TypeError, KeyError):
            return
        with self._open_skills() as skills:
            planned = Quarantine(target, self.parent, self.root)
            planned._carry_out(skills, fresh, before)


@contextmanager
def quarantine(target: InstallTarget) -> Iterator[Quarantine]:
    """Lock a target for this process; the plan of a killed run is finished first."""
    with ExitStack() as stack:
        try:
            parent = stack.enter_context(FolderHandle.open(target.folder.parent))
            stack.enter_context(FolderHandle.open(target.lock.parent))
        except OSError as err:
            raise unwritable(target.folder.parent, err) from err
        # In one order, so that no two processes wait for each other.
        for folder in sorted({parent.path, target.lock.parent}):
            stack.enter_context(locked(folder, "the folder of skills", _LOCK_SECONDS))
        root = stack.enter_context(_open_root(parent, _root_name(target)))
        try:
            staged = Quarantine(target, parent, root)
            staged.finish_leftover()
            _clear(root)
            yield staged
        except PermissionError as err:
            raise unwritable(parent.path, err) from err
        finally:
            if not root.has(_PLAN):
                parent.remove(root.path.name)


def settle(target: InstallTarget) -> None:
    """Finish the plan of a killed run, if there is one."""
    if (target.folder.parent / _root_name(target)).exists():
        with quarantine(target):
            pass


def _root_name(target: InstallTarget) -> str:
    return f".skillforge-{target.folder.name}"


def _open_root(parent: FolderHandle, name: str) -> FolderHandle:
    """Create the private folder, or open the one of a killed run.

    An untrusted project may contain an entry of that name: a link to other files, which
    would be deleted, or a folder with a forged plan. But git creates no folder that
    only its owner can read.
    """
    conflict = ConflictError(
        f"{parent.path / name} already exists", hint="move it away"
    )
    try:
        with suppress(FileExistsError):
            parent.make(name, 0o700)
        root = parent.child(name)
    except (NotADirectoryError, ConflictError):
        raise conflict from None
    except OSError as err:
        raise unwritable(parent.path, err) from err
    status = os.fstat(root.fd)
    if stat.S_IMODE(status.st_mode) & 0o077 or status.st_uid != os.geteuid():
        os.close(root.fd)
        raise conflict
    return root


def _clear(root: FolderHandle) -> None:
    for name in root.names():
        root.remove(name)
    if leftover := root.names():
        raise ToolError(
            f"cannot remove {root.path / leftover[0]}", hint="remove it by hand"
        )
