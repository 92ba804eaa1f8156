"""What every command of the loop works with: the library, its forge, who is at work."""

import time
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from skillforge.checks import select
from skillforge.errors import RequestError, ToolError
from skillforge.forge import Forge
from skillforge.forge.local import LocalForge
from skillforge.gitrepo import Asked
from skillforge.gitrepo.writing import Who
from skillforge.library import Library
from skillforge.model import Draft
from skillforge.propose import drafts, people


class Desk:
    """A library at work; `speaks_for` is what `--as` says."""

    def __init__(
        self, library: Library, speaks_for: str | None, asked: Asked[Who] | None
    ) -> None:
        self.library = library
        self.speaks_for = speaks_for
        self._asked = asked

    @classmethod
    def at(cls, start: Path, speaks_for: str | None = None) -> "Desk":
        """The desk of somebody who reads, and may come to write."""
        return cls(Library.open(start), speaks_for, None)

    @classmethod
    def at_work(cls, start: Path, speaks_for: str | None) -> "Desk":
        """The desk of somebody who writes; git looks up who it is meanwhile."""
        library = Library.open(start)
        return cls(library, speaks_for, library.repository().start_identity())

    @cached_property
    def forge(self) -> Forge:
        return LocalForge(self.library.repository(), self.library.main)

    @cached_property
    def by(self) -> Who:
        """Git's user, or whoever is named instead."""
        if not self.speaks_for:
            return self._user()
        name, mail = people.parts(self.speaks_for)
        if not name:
            raise RequestError(
                f"{self.speaks_for!r} names nobody", hint="--as 'Name <mail>'"
            )
        return Who(name, mail, self._time())

    def _user(self) -> Who:
        return (self._asked or self.library.repository().start_identity()).wait()

    def _time(self) -> str:
        """Now, as git would write it; also where git does not know who is at work."""
        try:
            return self._user().when
        except (RequestError, ToolError):
            return f"{int(time.time())} +0000"

    @cached_property
    def base(self) -> str:
        """Main as it was at the first look: all that a command does is based on it."""
        return self.library.tip

    def drafts(self, targets: tuple[str, ...]) -> list[Draft]:
        """The drafts that names and folders mean, each once."""
        found = [f for t in targets for f in select.folders_of(self.library, t)]
        return [self._draft(folder) for folder in dict.fromkeys(found)]

    def _draft(self, folder: Path) -> Draft:
        """What a folder holds, without what git ignores in the library."""
        draft = drafts.from_folder(folder)
        root = self.library.root.resolve()
        if not folder.resolve().is_relative_to(root):
            return draft
        top = folder.resolve().relative_to(root).as_posix()
        ignored = self.library.repository().ignored(f"{top}/{p}" for p in draft.files)
        kept = {p: f for p, f in draft.files.items() if f"{top}/{p}" not in ignored}
        left = tuple(path for path in draft.files if path not in kept)
        if not kept:
            raise RequestError(
                f"git ignores all of {folder}", hint="git check-ignore -v tells why"
            )
        return replace(draft, files=kept, left_out=left)
