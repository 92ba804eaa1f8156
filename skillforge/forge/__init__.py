"""Where proposals live. Every forge keeps the same promises behind one protocol."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from skillforge.errors import ConfigError
from skillforge.gitrepo.ref_update import NewCommit, Signature
from skillforge.model import Approval, Comment, Proposal, State, Verdict

if TYPE_CHECKING:
    from skillforge.gitrepo.remote import Remote
    from skillforge.policy import Policy

PULLS = "refs/skillforge/pulls/"  # heads of pull requests, as they were fetched


class Closing(NamedTuple):
    """An open proposal that is to be closed, the state it gets, and why."""

    proposal: Proposal
    state: State
    comment: Comment


class Admission(NamedTuple):
    """Whether a draft is proposed already, and which proposals it replaces if not."""

    existing: Proposal | None = None
    replaces: tuple[Closing, ...] = ()


Admit: TypeAlias = Callable[[list[Proposal]], Admission]


class ReviewPage(NamedTuple):
    """What reviewers read of a proposal, as Markdown, and the labels that sort it."""

    text: str
    labels: tuple[str, ...] = ()


class SettingChange(NamedTuple):
    """A call to the forge that changes a setting, and why it is needed."""

    verb: str
    path: str
    body: Mapping[str, Any]
    why: str


class Forge(Protocol):
    """Opens proposals, remembers what happens to them, and merges them."""

    main: str
    """The ref that proposals are merged into, as this clone knows it."""

    note: str
    """What the user should know about the choice of this forge; mostly nothing."""

    is_local: bool
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

        `admit` gets the open proposals while nobody else can open one. It raises to
        refuse the new one, and changes nothing itself. Proposals that it replaces are
        closed in the same step where the forge can do that, else afterwards. The
        result says whether a proposal was created.
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

    def checks_url(self, proposal: Proposal) -> str:
        """The page with the results of CI; empty if there is none."""

    def checkout_command(self, proposal: Proposal) -> str:
        """The shell command that checks out a proposal."""


class HostedForge(Forge, Protocol):
    """A forge that others share: it has accounts, settings and a remote of its own."""

    label: str
    """Its name in messages, such as GitHub."""

    address: str
    """The URL of the repository's page."""

    @property
    def remote(self) -> "Remote":
        """The repository as a git remote, with the credentials for it."""

    def check_access(self) -> str:
        """How the user is logged in; an error if not. The network is not used."""

    def has_page(self, url: str) -> bool:
        """Whether a URL is a page of this repository."""

    def proposals_at(self, head: str) -> list[Proposal]:
        """The open proposals whose branch is at a commit."""

    def with_reviews(self, proposal: Proposal) -> Proposal:
        """A proposal with the approvals and objections that the forge knows of."""

    def number_of(self, commit: str) -> int | None:
        """The number of the proposal that brought a commit to main."""

    def share(self, ref: str, change: Callable[[], None]) -> None:
        """Fetch a ref, change it, and push it; repeated if others pushed meanwhile."""

    def drift(self, policy: "Policy") -> list[str]:
        """The settings that are not as `skillforge protect` leaves them."""

    def wrong_settings(
        self, policy: "Policy", owners: tuple[str, ...] | None
    ) -> list[SettingChange]:
        """The changes after which only approved proposals reach main.

        `owners` approve changes to policy and workflows; None for the default.
        """

    def change_settings(self, changes: list[SettingChange]) -> None:
        """Make these changes; an error if the user isn't an administrator."""
