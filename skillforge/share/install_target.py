"""Where skills are installed: a folder of skills, and the lock beside it."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from skillforge.agents import (
    is_of_git,
    named_folder,
    project_folders,
    real,
    skills_folder,
)
from skillforge.errors import ConfigError, RequestError
from skillforge.share import lockfile


class InstallTarget(NamedTuple):
    """A folder of skills and its lock; `allowed` are other folders the user named."""

    folder: Path
    lock: Path
    allowed: tuple[Path, ...] = ()

    @property
    def relative_folder(self) -> str:
        """The folder as the lock names it; the default one if it is elsewhere."""
        top = self.lock.parent
        if self.folder.is_relative_to(top) and self.folder != top:
            return self.folder.relative_to(top).as_posix()
        return lockfile.DEFAULT

    def for_reading(self, folder: str) -> "InstallTarget":
        """The target with the folder that a lock entry names.

        A lock may come from anyone: it may name folders beside it, and no links.
        """
        if folder == self.relative_folder:
            return self
        other = self._replace(folder=real(self.lock.parent / folder))
        if other.relative_folder != folder or is_of_git(other.folder):
            raise ConfigError(
                f"{self.lock} names the folder {folder!r}, which leads to "
                f"{other.folder}",
                hint="if that folder is the right one, name it with --to DIR",
            )
        return other

    def for_writing(self, folder: str) -> "InstallTarget":
        """The same, if it is an agent's folder or one that the user named."""
        other = self.for_reading(folder)
        is_allowed = folder in project_folders() or other.folder in self.allowed
        if other == self or is_allowed:
            return other
        raise ConfigError(
            f"{self.lock} installs to {other.folder}, which is not an agent's folder",
            hint=f"if you trust the lock, allow the folder with --to {folder}",
        )


def resolve(
    to: Sequence[str] = (), agent: str = "", user: bool = False, lock: str = ""
) -> InstallTarget:
    """The target that options name; by default .agents/skills in this folder."""
    named = tuple(named_folder(folder) for folder in to)
    project = None if user else Path.cwd()
    folder = named[0] if named else real(skills_folder(agent or "agents", project))
    if os.path.lexists(folder) and not folder.is_dir():
        raise RequestError(f"{folder} is not a folder", hint="--to names another one")
    is_below = not user and folder.is_relative_to(real(Path.cwd()))
    beside = Path.cwd() if is_below else folder.parent  # a lock names folders below it
    path = Path(lock).absolute() if lock else beside / lockfile.NAME
    return InstallTarget(folder, real(path.parent) / path.name, named)
