"""What every command of the loop works with: the library, its forge, who is at work."""

import time
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from skillforge.checks import skill_selection
from skillforge.errors import ConflictError, RequestError, ToolError
from skillforge.forge import Forge
from skillforge.forge.resolve import Choice, choose
from skillforge.gitrepo import PendingQuery
from skillforge.gitrepo.ref_update import Signature
from skillforge.library import Library
from skillforge.model import SKILLS, Draft, Origin, is_of_agent
from skillforge.propose import admission, draft_source, identity

_ANY = Choice()
_AGENTS = [it.value for it in Origin if is_of_agent(it)]


class Workspace:
    """A library at work; `speaks_for` is what `--as` says."""

    def __init__(
        self,
        library: Library,
        speaks_for: str | None,
        choice: Choice,
        asked: PendingQuery[Signature] | None = None,
    ) -> None:
        self.library = library
        self.speaks_for = speaks_for
        self._choice = choice
        self._asked = asked

    @classmethod
    def at(
        cls, start: Path, speaks_for: str | None = None, choice: Choice = _ANY
    ) -> "Workspace":
        """The desk of somebody who reads, and may come to write."""
        return cls(Library.open(start), speaks_for, choice)

    @classmethod
    def at_work(
        cls, start: Path, speaks_for: str | None, choice: Choice = _ANY
    ) -> "Workspace":
        """The desk of somebody who writes; git looks up who it is meanwhile."""
        library = Library.open(start)
        return cls(library, speaks_for, choice, library.repository().start_identity())

    def origin_of(self, draft: Draft) -> Origin:
        """Who wants a draft, if nobody says: a new skill may name its maker."""
        document = admission.document_of(draft)
        said = document.metadata("origin") if document else ""
        repo, path = self.library.repository(), f"{SKILLS}/{draft.skill}"
        is_new = not repo.name_of(f"{self.base}:{path}")
        return Origin(said) if is_new and said in _AGENTS else Origin.HUMAN

    @cached_property
    def forge(self) -> Forge:
        """Where proposals live; from now on main is what the forge says it is."""
        library = self.library
        policy = library.policy(library.tip) if library.tip else library.policy()
        repo = library.repository()
        forge = choose(repo, library.main, self._choice, policy.forge)
        library.trunk = forge.main
        return forge

    def settled(self) -> Library:
        """The library, with main as the forge has it; nothing is fetched."""
        repo = self.library.repository()
        if not repo.ref(self.forge.main):  # a clone that never fetched main
            self.library.trunk = ""
        return self.library

    @property
    def reviewer(self) -> Signature:
        """Who approves: a forge that knows its people takes nobody's word for it."""
        user = self.forge.user()
        if user is None:
            return self.by
        if self.speaks_for:
            raise RequestError(
                f"the forge knows you as {user[0]}, whatever --as says",
                hint="leave --as away, or log in as somebody else",
            )
        return Signature(*user, self._time())

    @cached_property
    def by(self) -> Signature:
        """Git's user, or whoever is named instead."""
        if not self.speaks_for:
            return self._user()
        name, mail = identity.parts(self.speaks_for)
        if not name:
            raise RequestError(
                f"{self.speaks_for!r} names nobody", hint="--as 'Name <mail>'"
            )
        return Signature(name, mail, self._time())

    def _user(self) -> Signature:
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
        self.forge.look()
        return self.library.tip

    def drafts(self, targets: tuple[str, ...]) -> list[Draft]:
        """The drafts that names and folders mean, each once."""
        found = [
            f for t in targets for f in skill_selection.folders_of(self.library, t)
        ]
        return [self._draft(folder) for folder in dict.fromkeys(found)]

    def _refuse_behind(self, name: str) -> None:
        """Stop where a draft would undo what others brought to main meanwhile."""
        base, repo = self.base, self.library.repository()
        if not self.library.is_elsewhere:
            return
        start = repo.merge_base("HEAD", base)
        was, now = repo.names_of([f"{it}:{SKILLS}/{name}" for it in (start, base)])
        if was != now:
            raise ConflictError(
                f"{name} has changed on {self.library.main} since you started from it",
                hint="git pull, look at both, and propose again",
            )

    def _draft(self, folder: Path) -> Draft:
        """What a folder holds, without what git ignores in the library."""
        draft = draft_source.from_folder(folder)
        root = self.library.root.resolve()
        if not folder.resolve().is_relative_to(root):
            return draft
        self._refuse_behind(draft.skill)
        top = folder.resolve().relative_to(root).as_posix()
        ignored = self.library.repository().ignored(f"{top}/{p}" for p in draft.files)
        kept = {p: f for p, f in draft.files.items() if f"{top}/{p}" not in ignored}
        left = tuple(path for path in draft.files if path not in kept)
        if not kept:
            raise RequestError(
                f"git ignores all of {folder}", hint="git check-ignore -v tells why"
            )
        return replace(draft, files=kept, left_out=left)
