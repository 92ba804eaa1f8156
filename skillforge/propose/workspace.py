"""What the commands of the loop work with: a library, its forge, and a user."""

import copy
import time
from functools import cached_property
from pathlib import Path

from skillforge.errors import RequestError, ToolError
from skillforge.forge.registry import ForgeChoice, choose
from skillforge.gitrepo import GitRepo, PendingQuery
from skillforge.gitrepo.ref_update import Signature
from skillforge.history import identity
from skillforge.library import Library

_ANY = ForgeChoice()


class Workspace:
    """A library whose main is the branch that its forge merges into, and a user.

    The forge is chosen when the workspace is created, so `library.tip` never changes
    its meaning. Nothing is fetched before `base` is read.
    """

    def __init__(
        self,
        library: Library,
        user: str | None = None,
        choice: ForgeChoice = _ANY,
        query: PendingQuery[Signature] | None = None,
    ) -> None:
        """Choose the library's forge; `user` (`Name <mail>`) overrides git's user."""
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
        """The same for a command that writes: git looks up its user in parallel."""
        library = Library.open(start)
        query = library.repository().start_identity()
        return cls(library, user, choice, query)

    def acting_as(self, by: Signature) -> "Workspace":
        """The same workspace with another user."""
        other = copy.copy(self)
        other.by = by
        return other

    @property
    def repo(self) -> GitRepo:
        return self.library.repository()

    @cached_property
    def by(self) -> Signature:
        """The user who acts: `--as`, or else git's user."""
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
                f"you are logged in to the forge as {account[0]}: --as can't change "
                "that",
                hint="omit --as, or log in with another account",
            )
        return Signature(*account, self._time())

    def _git_user(self) -> Signature:
        return (self._query or self.repo.start_identity()).wait()

    def _time(self) -> str:
        """The time in git's format; UTC if git has no user."""
        try:
            return self._git_user().when
        except (RequestError, ToolError):
            return f"{int(time.time())} +0000"

    @cached_property
    def base(self) -> str:
        """Main when it was first read: the base of the whole command."""
        self.forge.look()
        return self.library.tip
