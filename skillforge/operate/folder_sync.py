"""All skills of main in an agent's folder: only what changed, never over an edit.

Every folder there is moved whole, by one rename. What is about to be put there is
written down first, so that whoever is killed leaves nothing that the next cannot tell.
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
from skillforge.operate import materialize, tree_hash
from skillforge.operate.assignment import all_assigned
from skillforge.operate.sync_ledger import STATE, SyncedSkill, read_ledger
from skillforge.store import held

if TYPE_CHECKING:
    from skillforge.gitrepo.trees import TreeEntry

_LOCK = ".skillforge-sync.lock"
_WORK = (
    ".skillforge-sync"  # there only while a sync is at work, or after one was killed
)


class SyncAction(StrEnum):
    """What becomes of a skill in the folder, in the past tense."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    KEPT = "kept"  # it was edited there
    FOREIGN = "foreign"  # somebody else put it there
    REFUSED = "refused"  # it holds what no folder should get
    WITHHELD = "withheld"  # this key gets no such skill


LEFT_ALONE = (SyncAction.KEPT, SyncAction.FOREIGN, SyncAction.REFUSED)
_CHANGES = (SyncAction.ADDED, SyncAction.UPDATED, SyncAction.REMOVED)


@dataclass
class SyncResult:
    """What became of each skill, and why where that needs a word."""

    folder: Path
    given: Mapping[str, Assignment]
    fates: dict[str, SyncAction] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the folder now holds what main has for this key."""
        return not any(fate in LEFT_ALONE for fate in self.fates.values())

    @property
    def handed(self) -> list[Assignment]:
        """What the key has now, as far as that is up to us."""
        left = {name for name, fate in self.fates.items() if fate in LEFT_ALONE}
        return [it for name, it in self.given.items() if name not in left]

    def names(self, action: str) -> list[str]:
        return sorted(name for name, its in self.fates.items() if its == action)


def sync(library: Library, key: str, folder: Path, *, dry: bool = False) -> SyncResult:
    """Make a folder hold what a key gets of every skill; with `dry`, only tell.

    Safe to repeat, and to kill at any moment: the next one finishes it.
    """
    _refuse_own(library, folder)
    if dry:
        return _Work(library, key, folder).plan()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with held(folder / _LOCK, "the agent's folder"):
            _bring_back(folder)
            work = _Work(library, key, folder)
            work.plan()
            work.act()
            return work.done
    except OSError as err:
        raise materialize.cannot_lay(folder, err) from err


def _refuse_own(library: Library, folder: Path) -> None:
    """Stop where the library itself would be changed, or has no main to go by."""
    if not library.tip:
        main = library.main
        hint = f"git fetch origin {main}:{main}"
        raise RequestError(f"{main} has no commit here", hint=hint)
    there = folder.resolve()
    own = (library.skills_dir.resolve(), library.repository().common_dir.resolve())
    if any(there.is_relative_to(place) for place in own):
        raise RequestError(
            f"{folder} belongs to the library itself",
            hint="name the folder of an agent: --to DIR, or --agent claude",
        )
    if os.path.lexists(folder) and not folder.is_dir():
        raise RequestError(f"{folder} is not a folder", hint="--to DIR names one")


def _bring_back(folder: Path) -> None:
    """Undo what a sync that was killed had not decided yet, and clear up after it."""
    work, aside = folder / _WORK, folder / _WORK / "old"
    is_ours = not work.is_symlink() and not aside.is_symlink() and aside.is_dir()
    for path in sorted(aside.iterdir()) if is_ours else ():
        if os.path.lexists(folder / path.name):
            raise ConflictError(
                f"{path} was set aside by a sync that was killed, and {path.name} is "
                "there again",
                hint="keep one of the two: move the other away, and sync again",
            )
        path.rename(folder / path.name)
    materialize.discard(work)


class _Work:
    """One sync of one folder."""

    def __init__(self, library: Library, key: str, folder: Path) -> None:
        self.repo = library.repository()
        self.folder = folder
        given, self.errors = all_assigned(library, key)
        self.wanted = {name: it.version for name, it in given.items()}
        self.ledger = read_ledger(folder)
        self.source = str(self.repo.common_dir.resolve())
        self.puts = self.ledger.of(self.source)
        self.before = dict(self.puts)
        self.files: dict[str, dict[str, TreeEntry]] = {}
        self.done = SyncResult(folder, given)

    def plan(self) -> SyncResult:
        """Decide what becomes of each skill; nothing is written."""
        self._inherit()
        others = self.ledger.owners(self.source)
        fates = self.done.fates
        for name, error in self.errors.items():
            fates[name], self.done.why[name] = SyncAction.REFUSED, error.message
        for name in sorted({*self.wanted, *self.puts} - self.errors.keys()):
            fate = self._fate(name, others.get(name, ""))
            if fate is not None:
                fates[name] = fate
        coming = [
            n for n, f in fates.items() if f in (SyncAction.ADDED, SyncAction.UPDATED)
        ]
        versions = {name: self.wanted[name] for name in coming}
        self.files = materialize.listings(self.repo, versions)
        for name in coming:
            self._judge(name)
        return self.done

    def _inherit(self) -> None:
        """Take over from libraries that are no longer where they were."""
        for source in [it for it in self.ledger.libraries if it != self.source]:
            if not Path(source).exists():
                left = self.ledger.libraries[source]
                for name in left.keys() & self.wanted.keys():
                    self.puts[name] = left.pop(name)

    def _fate(self, name: str, other: str) -> SyncAction | None:
        """What has to become of a skill; None where there is nothing to say."""
        place, put = f"{self.folder}/{name}", self.puts.get(name)
        wanted = self.wanted.get(name, "")
        if put is None or not os.path.lexists(place):
            return self._fate_of_new(name, wanted, place, other)
        now = self._now(place, put, wanted)
        if now is None:
            self.done.why[name] = "edited since it was put there"
            return SyncAction.KEPT
        self.puts[name] = now
        if now.tree == wanted:
            return SyncAction.UNCHANGED
        return SyncAction.UPDATED if wanted else SyncAction.REMOVED

    def _fate_of_new(
        self, name: str, wanted: str, place: str, other: str
    ) -> SyncAction | None:
        """The same, where nothing of ours is in the way."""
        self.puts.pop(name, None)
        if not wanted:
            return SyncAction.WITHHELD if name in self.wanted else None
        if not os.path.lexists(place):
            return SyncAction.ADDED
        by = f"by the library {other}" if other else "by somebody else"
        self.done.why[name] = f"put there {by}"
        return SyncAction.FOREIGN

    def _now(self, place: str, put: SyncedSkill, wanted: str) -> SyncedSkill | None:
        """The version that lies there; None if it is none that we put there."""
        if put.mark and not put.coming and put.mark == tree_hash.glance(place):
            return put
        seen = tree_hash.look(place, put.tree or put.coming)
        for tree in (put.tree, put.coming, wanted):
            if seen.is_of(tree):
                return SyncedSkill(tree, seen.mark)
        return None

    def _judge(self, name: str) -> None:
        """Look at what is to be laid out, before anything is touched."""
        try:
            materialize.refuse(name, self.files[name])
        except ConfigError as err:
            self.done.why[name] = err.message
            self.done.fates[name] = SyncAction.REFUSED

    def act(self) -> None:
        """Do what was planned, and write down what was done."""
        changes = [n for n, fate in self.done.fates.items() if fate in _CHANGES]
        for name in changes:
            old = self.puts.get(name, SyncedSkill(""))
            self.puts[name] = old._replace(coming=self.wanted.get(name, ""))
        self._save()
        files = [self.files.get(name, {}) for name in changes]
        wanted = [entry.object for its in files for entry in its.values()]
        with closing(self.repo.blobs(wanted)) as blobs:
            for name, its in zip(changes, files, strict=True):
                self._change(name, materialize.read(its, blobs))
        self._save()
        materialize.discard(self.folder / _WORK)

    def _change(self, name: str, files: Mapping[str, DraftFile]) -> None:
        """Put the new version of a skill in the place of the old one, or nothing."""
        put = self.puts.pop(name)
        new = self._work("new") / name
        if put.coming:
            materialize.write(files, new)
            materialize.prove(new, put.coming)
        if put.tree and not self._clear(name, put.tree):
            self.done.fates[name] = SyncAction.KEPT
            self.done.why[name] = "edited while it was to be changed"
            self.puts[name] = put
            return
        if put.coming:
            self._place(new, name)
            self.puts[name] = SyncedSkill(put.coming)

    def _clear(self, name: str, tree: str) -> bool:
        """Move the old version out of the way; not so if it is not that any more.

        It is looked at once nobody finds it under its name, so that no edit slips in
        between. Until then it is only set aside: after a kill, the next brings it back.
        """
        aside, gone = self._work("old") / name, self._work("gone") / name
        (self.folder / name).rename(aside)
        if not tree_hash.look(str(aside), tree).is_of(tree):
            aside.rename(self.folder / name)
            return False
        aside.rename(gone)
        materialize.discard(gone)
        return True

    def _place(self, new: Path, name: str) -> None:
        if os.path.lexists(self.folder / name):
            raise ConflictError(
                f"somebody else put {self.folder / name} there meanwhile",
                hint="nothing was overwritten: run the command again",
            )
        new.rename(self.folder / name)

    def _work(self, part: str) -> Path:
        folder = self.folder / _WORK / part
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _save(self) -> None:
        """Write the ledger down, all or nothing, if it says something new."""
        if self.puts == self.before:
            return
        path = self._work("new") / STATE
        path.write_bytes(self.ledger.dump())
        path.replace(self.folder / STATE)
        self.before = dict(self.puts)
