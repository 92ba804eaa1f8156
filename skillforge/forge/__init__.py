"""Where proposals live. Every forge keeps the same promises behind one protocol."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, TypeAlias

from skillforge.errors import ConfigError
from skillforge.gitrepo.ref_update import NewCommit, Signature
from skillforge.model import Approval, Comment, Proposal, State, Verdict

PULLS = "refs/skillforge/pulls/"  # heads of pull requests, as they were fetched
Admit: TypeAlias = Callable[[list[Proposal]], Proposal | None]


class ReviewPage(NamedTuple):
    """What reviewers read of a proposal, as Markdown, and the labels that sort it."""

    text: str
    labels: tuple[str, ...] = ()


class Forge(Protocol):
    """Opens proposals, remembers what happens to them, and merges them."""

    main: str
    """The ref that proposals are merged into, as this clone knows it."""

    note: str
    """What the user should know about the choice of this forge; mostly nothing."""

    is_here: bool
    """Whether its records are in this clone, where an audit can read them."""

    unreadable: dict[int, ConfigError]
    """Proposals whose record could not be read at the last look."""

    def look(self) -> None:
        """See where main is now."""

    def user(self) -> tuple[str, str] | None:
        """Name and mail of who is logged in; None where git's user is who acts."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep others from opening proposals between a look and a deed."""

    def batch(self) -> AbstractContextManager[None]:
        """The same for opening several: what is open is read once, where that is safe.

        It is safe where nobody can open anything meanwhile.
        """

    def proposals(self, *, only_open: bool = False) -> list[Proposal]:
        """Proposals by number."""

    def waiting(self) -> list[Proposal]:
        """Open proposals that may stand in the way of another."""

    def detailed(self, proposals: list[Proposal]) -> list[Proposal]:
        """The same with their approvals and checks, where those take more asking."""

    def get(self, number: int) -> Proposal:
        """One proposal as it stands; an unknown number is an error."""

    def open(
        self, commit: NewCommit, proposal: Proposal, by: Signature, admit: Admit
    ) -> tuple[Proposal, bool]:
        """Put a commit on the proposal's branch and open the proposal, or neither.

        `admit` is called with what is open, while nobody else can open anything: it
        returns the proposal that there is already, or stops this one. The answer says
        whether a proposal was made.
        """

    def describe(
        self, proposal: Proposal, page: Callable[[Proposal], ReviewPage]
    ) -> None:
        """Put the review page where reviewers read; made only if that is the forge."""

    def report(self, number: int, text: str) -> None:
        """Put the gate's report there: one of them, whatever there was before."""

    def judge(self, proposal: Proposal, verdict: Verdict, by: Signature) -> Proposal:
        """Store what the gate said."""

    def approve(
        self, proposal: Proposal, approval: Approval, by: Signature
    ) -> Proposal:
        """Store an approval; an earlier one by the same reviewer is replaced."""

    def comment(self, proposal: Proposal, comment: Comment, by: Signature) -> Proposal:
        """Store what somebody said."""

    def keep(self, proposal: Proposal) -> Proposal:
        """Make sure that an open proposal still has its branch."""

    def ready(self, proposal: Proposal, by: Signature) -> Proposal:
        """Make a draft proposal one that may be promoted."""

    def update(
        self, proposal: Proposal, commit: NewCommit, base: str, by: Signature
    ) -> Proposal:
        """Put the branch on a new commit; approvals and verdicts of the old one go."""

    def close(
        self, proposal: Proposal, state: State, comment: Comment, by: Signature
    ) -> Proposal:
        """End a proposal without merging it."""

    def merge(self, proposal: Proposal, message: str, by: Signature) -> Proposal:
        """Merge exactly the proposal's tree into a main that is still at its base."""

    def mark_merged(self, proposal: Proposal, merge: str, by: Signature) -> Proposal:
        """Note a merge that was made but not written down."""
