"""What every command of the loop works with: a library, its forge, and who acts."""

import copy
import time
from functools import cached_property
from pathlib import Path

from skillforge.errors import RequestError, ToolError
from skillforge.forge.registry import ForgeChoice, choose
from skillforge.gitrepo import PendingQuery
from skillforge.gitrepo.ref_update import Signature
from skillforge.history import identity
from skillforge.library import Library

_ANY = ForgeChoice()


class Workspace:
    """A library whose main is the one its forge merges into, and a user.

    The forge is chosen when the workspace is made, so `library.tip` means the same from
    then on. Nothing is fetched before `base` is read.
    """

    def __init__(
        self,
        library: Library,
        user: str | None = None,
        choice: ForgeChoice = _ANY,
        query: PendingQuery[Signature] | None = None,
    ) -> None:
        """Choose the forge of a library; `user` (`Name <mail>`) replaces git's."""
        repo, tip = library.repository(), library.tip
        policy = library.policy(tip) if tip else library.policy()
        self.forge = choose(repo, library.main, choice, policy.forge)
        self.library = library.with_main(self.forge.main)
        self._user = user
        self._query = query

    @classmethod
    def at(
        cls, start: Path, user: str | None = None, choice: ForgeChoice = _ANY
    ) -> "Workspace":
        """The workspace of the library at or above a folder."""
        return cls(Library.open(start), user, choice)

    @classmethod
    def at_work(
        cls, start: Path, user: str | None, choice: ForgeChoice = _ANY
    ) -> "Workspace":
        """The same for a command that will write: git looks up its user meanwhile."""
        library = Library.open(start)
        query = library.repository().start_identity()
        return cls(library, user, choice, query)

    def acting_as(self, by: Signature) -> "Workspace":
        """The same workspace with another user."""
        other = copy.copy(self)
        other.by = by
        return other

    @cached_property
    def by(self) -> Signature:
        """The user who acts: the one given, else git's."""
        if not self._user:
            return self._git_user()
        name, mail = identity.parts(self._user)
        if not name:
            raise RequestError(f"{self._user!r} has no name", hint="--as 'Name <mail>'")
        return Signature(name, mail, self._time())

    @property
    def reviewer(self) -> Signature:
        """The user who approves; on a forge with accounts, the one logged in."""
        account = self.forge.user()
        if account is None:
            return self.by
        if self._user:
            raise RequestError(
                f"the forge knows you as {account[0]}: --as can't change that",
                hint="omit --as, or log in with another account",
            )
        return Signature(*account, self._time())

    def _git_user(self) -> Signature:
        return (self._query or self.library.repository().start_identity()).wait()

    def _time(self) -> str:
        """Now, as git writes it; UTC where git has no user."""
        try:
            return self._git_user().when
        except (RequestError, ToolError):
            return f"{int(time.time())} +0000"

    @cached_property
    def base(self) -> str:
        """Main as it was first read: the commit that a whole command is based on."""
        self.forge.fetch_main()
        return self.library.tip
