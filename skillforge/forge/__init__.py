"""Where proposals live: one protocol, which every forge implements."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from skillforge.errors import ConfigError
from skillforge.gitrepo.ref_update import NewCommit, Signature
from skillforge.model import Approval, Comment, Proposal, State, Verdict

if TYPE_CHECKING:
    from skillforge.gitrepo.remote import Remote
    from skillforge.policy import Policy

PULLS = "refs/skillforge/pulls/"  # fetched heads of pull requests


class Closing(NamedTuple):
    """An open proposal to close, the state it gets, and why."""

    proposal: Proposal
    state: State
    comment: Comment


class ReviewPage(NamedTuple):
    """The page that reviewers read, as Markdown, and the labels of the proposal."""

    text: str
    labels: tuple[str, ...] = ()


class SettingChange(NamedTuple):
    """A call to the forge that changes a setting, and why it is needed."""

    verb: str
    path: str
    body: Mapping[str, Any]
    why: str


class Batch(Protocol):
    """Opens proposals, while no other process of this clone can open any."""

    def blocking_proposals(self) -> list[Proposal]:
        """The open proposals that may block another, as they are now."""

    def open(
        self,
        commit: NewCommit,
        proposal: Proposal,
        by: Signature,
        replaces: Sequence[Closing] = (),
    ) -> tuple[Proposal, bool]:
        """Put a commit on the proposal's branch and open the proposal, or neither.

        The proposals that it replaces are closed in the same step if the forge can do
        that, otherwise afterwards. The flag is False if another clone has just opened
        a proposal of the same draft.
        """


@runtime_checkable
class Forge(Protocol):
    """Opens proposals, records what happens to them, and merges them."""

    main: str
    """The ref that proposals are merged into, as this clone knows it."""

    note: str
    """What the user should know about the choice of this forge; usually empty."""

    is_local: bool
    """Whether its records are in this clone, where an audit can read them."""

    unreadable: dict[int, ConfigError]
    """Proposals whose records could not be read the last time they were."""

    def fetch_main(self) -> None:
        """Bring `main` up to date."""

    def user(self) -> tuple[str, str] | None:
        """Name and email of the user logged in; None if git's user is the one."""

    def exclusive(self) -> AbstractContextManager[None]:
        """Keep other processes of this clone from changing proposals."""

    def batch(self) -> AbstractContextManager[Batch]:
        """The same, to open proposals."""

    def proposals(self, *, only_open: bool = False) -> list[Proposal]:
        """Proposals by number."""

    def blocking_proposals(self) -> list[Proposal]:
        """The open proposals that may block another."""

    def detailed(self, proposals: list[Proposal]) -> list[Proposal]:
        """The same proposals with approvals and checks, if those need more requests."""

    def get(self, number: int) -> Proposal:
        """One proposal in its current state; an unknown number is an error."""

    def describe(
        self, proposal: Proposal, page: Callable[[Proposal], ReviewPage]
    ) -> None:
        """Publish the review page, if the forge is where reviewers read it."""

    def report(self, number: int, text: str) -> None:
        """Publish the gate's report; it replaces an earlier one."""

    def record_verdict(
        self, proposal: Proposal, verdict: Verdict, by: Signature
    ) -> Proposal:
        """Record the gate's verdict."""

    def approve(
        self, proposal: Proposal, approval: Approval, by: Signature
    ) -> Proposal:
        """Record an approval; it replaces an earlier one by the same reviewer."""

    def comment(self, proposal: Proposal, comment: Comment, by: Signature) -> Proposal:
        """Record a comment."""

    def ensure_branch(self, proposal: Proposal) -> Proposal:
        """Create the branch of an open proposal again if it is missing."""

    def mark_ready(self, proposal: Proposal, by: Signature) -> Proposal:
        """Make a draft proposal one that may be promoted."""

    def update(
        self, proposal: Proposal, commit: NewCommit, base: str, by: Signature
    ) -> Proposal:
        """Move the branch to a new commit; approvals and verdicts are dropped."""

    def close(
        self, proposal: Proposal, state: State, comment: Comment, by: Signature
    ) -> Proposal:
        """Close a proposal without merging it."""

    def merge(self, proposal: Proposal, message: str, by: Signature) -> Proposal:
        """Merge exactly the proposal's tree, if main is still at its base."""

    def mark_merged(self, proposal: Proposal, merge: str, by: Signature) -> Proposal:
        """Record a merge that was made without being recorded."""

    def checks_url(self, proposal: Proposal) -> str:
        """The page with the results of CI; empty if there is none."""

    def checkout_command(self, proposal: Proposal) -> str:
        """The shell command that checks out a proposal."""


class HostedForge(Forge, Protocol):
    """A forge that a team shares, with accounts, settings and a remote."""

    label: str
    """Its name in messages, such as GitHub."""

    address: str
    """The URL of the repository's page."""

    @property
    def remote(self) -> "Remote":
        """The repository as a git remote, with credentials."""

    def check_access(self) -> str:
        """How the user is logged in; an error if not. The network is not used."""

    def has_page(self, url: str) -> bool:
        """Whether a URL is a page of this repository."""

    def proposals_at(self, head: str) -> list[Proposal]:
        """The open proposals whose branch is at a commit."""

    def with_reviews(self, proposal: Proposal) -> Proposal:
        """A proposal with its approvals and objections on the forge."""

    def number_of(self, commit: str) -> int | None:
        """The number of the proposal that brought a commit to main."""

    def share(self, ref: str, change: Callable[[], None]) -> None:
        """Fetch a ref, change it, and push it; repeated if others pushed meanwhile."""

    def drift(self, policy: "Policy") -> list[str]:
        """The settings that differ from what `skillforge protect` sets."""

    def wrong_settings(
        self, policy: "Policy", owners: tuple[str, ...] | None
    ) -> list[SettingChange]:
        """The changes after which only approved proposals reach main.

        `owners` approve changes to policy and workflows; None for the default.
        """

    def change_settings(self, changes: list[SettingChange]) -> None:
        """Make these changes; an error if the user isn't an administrator."""
