"""Sync all skills of main to an agent's folder, without overwriting edits.

The folder of a skill is replaced by one rename. Each change is written to the ledger
first, so that the next sync can recover from a killed one.
"""

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from skillforge.errors import ConfigError, ConflictError, RequestError
from skillforge.library import Library
from skillforge.model import Assignment, DraftFile
from skillforge.model.layout import folder_names
from skillforge.operate import materialize, tree_hash
from skillforge.operate.assignment import all_assigned
from skillforge.operate.sync_ledger import STATE, SyncedSkill, read_ledger
from skillforge.store import locked

if TYPE_CHECKING:
    from skillforge.gitrepo.trees import TreeEntry

_LOCK = ".skillforge-sync.lock"
_WORK = ".skillforge-sync"  # exists during a sync, or after one was killed


class SyncAction(StrEnum):
    """What happened to a skill in the folder."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    KEPT = "kept"  # edited in the folder
    FOREIGN = "foreign"  # not written by this library
    REFUSED = "refused"  # unsafe to write
    WITHHELD = "withheld"  # this key gets no such skill


LEFT_ALONE = (SyncAction.KEPT, SyncAction.FOREIGN, SyncAction.REFUSED)
_CHANGES = (SyncAction.ADDED, SyncAction.UPDATED, SyncAction.REMOVED)


@dataclass
class SyncResult:
    """What happened to each skill, and the reason for some of it."""

    folder: Path
    assignments: Mapping[str, Assignment]
    actions: dict[str, SyncAction] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the folder now has what this key gets."""
        return not any(action in LEFT_ALONE for action in self.actions.values())

    @property
    def assigned(self) -> list[Assignment]:
        """The versions that the key now has, without skills that were left alone."""
        left = {name for name, action in self.actions.items() if action in LEFT_ALONE}
        return [
            assignment
            for name, assignment in self.assignments.items()
            if name not in left
        ]

    def names(self, action: str) -> list[str]:
        return sorted(name for name, own in self.actions.items() if own == action)


def sync(library: Library, key: str, folder: Path, *, dry: bool = False) -> SyncResult:
    """Make a folder hold what a key gets of each skill; with `dry`, only plan it.

    Safe to repeat and to kill: the next sync finishes it.
    """
    _require_agent_folder(library, folder)
    if dry:
        return _Sync(library, key, folder).plan()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / _LOCK, "the agent's folder"):
            _recover(folder)
            work = _Sync(library, key, folder)
            work.plan()
            work.act()
            return work.result
    except OSError as err:
        raise materialize.write_error(folder, err) from err


def _require_agent_folder(library: Library, folder: Path) -> None:
    """Raise an error for the library's own folder, and if there is no main here."""
    if not library.tip:
        main = library.main
        hint = f"git fetch origin {main}:{main}"
        raise RequestError(f"{main} has no commit here", hint=hint)
    tops = [library.root / top for top in library.layout.roots]
    own = [top.resolve() for top in (*tops, library.repository().common_dir)]
    if any(map(folder.resolve().is_relative_to, own)):
        raise RequestError(
            f"{folder} belongs to the library itself",
            hint="name the folder of an agent: --to DIR, or --agent claude",
        )
    if os.path.lexists(folder) and not folder.is_dir():
        raise RequestError(f"{folder} is not a folder", hint="--to DIR names one")


def _recover(folder: Path) -> None:
    """Undo the unfinished change of a killed sync, and remove its files."""
    work, aside = folder / _WORK, folder / _WORK / "old"
    is_ours = not work.is_symlink() and not aside.is_symlink() and aside.is_dir()
    for path in sorted(aside.iterdir()) if is_ours else ():
        if os.path.lexists(folder / path.name):
            raise ConflictError(
                f"{path} was set aside by a sync that was killed, and {path.name} "
                "exists again",
                hint="move one of the two away, and sync again",
            )
        path.rename(folder / path.name)
    materialize.remove(work)


class _Sync:
    """One sync of one folder."""

    def __init__(self, library: Library, key: str, folder: Path) -> None:
        self.repo = library.repository()
        self.folder = folder
        by_skill, errors = all_assigned(library, key)
        folders = folder_names(sorted(by_skill.keys() | errors.keys()))
        assignments = {folders[name]: own for name, own in by_skill.items()}
        self.errors = {folders[name]: error for name, error in errors.items()}
        self.versions = {
            name: assignment.version for name, assignment in assignments.items()
        }
        self.ledger = read_ledger(folder)
        self.source = str(self.repo.common_dir.resolve())
        self.synced = self.ledger.of(self.source)
        self.saved = dict(self.synced)
        self.files: dict[str, dict[str, TreeEntry]] = {}
        self.result = SyncResult(folder, assignments)

    def plan(self) -> SyncResult:
        """Decide what to do with each skill, without changing anything."""
        self._adopt_skills()
        owners = self.ledger.owners(self.source)
        actions = self.result.actions
        for name, error in self.errors.items():
            self._skip(name, SyncAction.REFUSED, error.message)
        for name in sorted({*self.versions, *self.synced} - self.errors.keys()):
            action = self._action(name, owners.get(name, ""))
            if action is not None:
                actions[name] = action
        changed = (SyncAction.ADDED, SyncAction.UPDATED)
        versions = {n: self.versions[n] for n, act in actions.items() if act in changed}
        self.files = materialize.listings(self.repo, versions)
        for name in versions:
            try:
                materialize.require_safe(name, self.files[name])
            except ConfigError as err:
                self._skip(name, SyncAction.REFUSED, err.message)
        return self.result

    def _skip(self, name: str, action: SyncAction, why: str) -> SyncAction:
        self.result.why[name] = why
        self.result.actions[name] = action
        return action

    def _adopt_skills(self) -> None:
        """Take over the skills of libraries that no longer exist."""
        for source, others in self.ledger.libraries.items():
            if source != self.source and not Path(source).exists():
                for name in others.keys() & self.versions.keys():
                    self.synced[name] = others.pop(name)

    def _action(self, name: str, owner: str) -> SyncAction | None:
        """What to do with a skill; None if there is nothing to report."""
        path, synced = f"{self.folder}/{name}", self.synced.get(name)
        version = self.versions.get(name, "")
        if synced is None or not os.path.lexists(path):
            self.synced.pop(name, None)
            return self._action_on_new(name, path, owner)
        now = self._now(path, synced, version)
        if now is None:
            return self._skip(name, SyncAction.KEPT, "edited in this folder")
        self.synced[name] = now
        if now.tree == version:
            return SyncAction.UNCHANGED
        return SyncAction.UPDATED if version else SyncAction.REMOVED

    def _action_on_new(self, name: str, path: str, owner: str) -> SyncAction | None:
        """What to do with a skill that this library has not written to the folder."""
        if not self.versions.get(name):
            return SyncAction.WITHHELD if name in self.versions else None
        if not os.path.lexists(path):
            return SyncAction.ADDED
        why = f"belongs to the library {owner}" if owner else "not written by sync"
        return self._skip(name, SyncAction.FOREIGN, why)

    def _now(self, path: str, synced: SyncedSkill, version: str) -> SyncedSkill | None:
        """The version that is in the folder; None if we did not write it."""
        is_settled = synced.mark and not synced.coming
        if is_settled and synced.mark == tree_hash.folder_mark(path):
            return synced
        state = tree_hash.folder_state(path, synced.tree or synced.coming)
        for tree in (synced.tree, synced.coming, version):
            if state.is_of(tree):
                return SyncedSkill(tree, state.mark)
        return None

    def act(self) -> None:
        """Carry out the plan, and save it in the ledger before and after."""
        changes = [n for n, action in self.result.actions.items() if action in _CHANGES]
        for name in changes:
            old = self.synced.get(name, SyncedSkill(""))
            self.synced[name] = old._replace(coming=self.versions.get(name, ""))
        self._save()
        files = [self.files.get(name, {}) for name in changes]
        objects = [entry.object for own in files for entry in own.values()]
        with closing(self.repo.blobs(objects)) as blobs:
            for name, own in zip(changes, files, strict=True):
                self._change(name, materialize.read(own, blobs))
        self._save()
        materialize.remove(self.folder / _WORK)

    def _change(self, name: str, files: Mapping[str, DraftFile]) -> None:
        """Replace the old version of a skill by the new one, if there is one."""
        synced = self.synced.pop(name)
        new = self._work_folder("new") / name
        if synced.coming:
            materialize.write(files, new)
            materialize.verify(new, synced.coming)
        if synced.tree and not self._remove(name, synced.tree):
            self._skip(name, SyncAction.KEPT, "edited during the sync")
            self.synced[name] = synced
            return
        if synced.coming:
            self._put(new, name)
            self.synced[name] = SyncedSkill(synced.coming)

    def _remove(self, name: str, tree: str) -> bool:
        """Remove the old version; False if it was edited.

        It is first set aside and then read, so that no edit can come in between. If the
        process is killed meanwhile, the next sync moves it back.
        """
        aside = self._work_folder("old") / name
        gone = self._work_folder("gone") / name
        (self.folder / name).rename(aside)
        if not tree_hash.folder_state(str(aside), tree).is_of(tree):
            aside.rename(self.folder / name)
            return False
        aside.rename(gone)
        materialize.remove(gone)
        return True

    def _put(self, new: Path, name: str) -> None:
        if os.path.lexists(self.folder / name):
            raise ConflictError(
                f"{self.folder / name} was created during the sync",
                hint="nothing was overwritten; run the command again",
            )
        new.rename(self.folder / name)

    def _work_folder(self, part: str) -> Path:
        folder = self.folder / _WORK / part
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _save(self) -> None:
        """Write the ledger in one step, if it changed."""
        if self.synced == self.saved:
            return
        path = self._work_folder("new") / STATE
        path.write_bytes(self.ledger.dump())
        path.replace(self.folder / STATE)
        self.saved = dict(self.synced)
