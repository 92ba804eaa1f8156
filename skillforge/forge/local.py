"""The forge of a single machine: proposals are refs of the repository itself."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from skillforge import store
from skillforge.errors import ConflictError
from skillforge.forge import Closing, ReviewPage
from skillforge.forge.local_records import (
    PREFIX,
    Event,
    ProposalRecords,
    changed_meanwhile,
    closing_event,
)
from skillforge.forge.registry import Clone
from skillforge.gitrepo import GitRepo, checkout
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature
from skillforge.model import Approval, Comment, Proposal, State, Verdict

NAME = "local"
_PROPOSAL = re.compile(r"^Proposal: ([0-9]+)$", re.MULTILINE)


def recognises(_url: str, _host: str) -> bool:
    """No remote is local; a library without any other forge is."""
    return False


def suggestion(_url: str) -> str:
    return ""


def connect(clone: Clone) -> "LocalForge":
    return LocalForge(clone.repo, clone.main, clone.notice)


class LocalForge:
    """Keeps proposals in the repository; it needs nothing but git."""

    is_local = True

    def __init__(self, repo: GitRepo, main: str, note: str = "") -> None:
        self.repo = repo
        self.note = note
        self.main = f"refs/heads/{main}"
        self.exclusive = store.ExclusiveLock(lambda: repo.common_dir)
        self._records = ProposalRecords(repo, self.main)
        self.unreadable = self._records.unreadable

    def fetch_main(self) -> None:
        """Main is in this repository."""

    def user(self) -> None:
        return None

    def checks_url(self, _proposal: Proposal) -> str:
        return ""

    def checkout_command(self, proposal: Proposal) -> str:
        return f"git switch {proposal.branch}"

    def describe(
        self, proposal: Proposal, page: Callable[[Proposal], ReviewPage]
    ) -> None:
        """`skillforge review` shows the page."""

    def report(self, number: int, text: str) -> None:
        """The record contains the report."""

    @contextmanager
    def batch(self) -> Iterator["LocalBatch"]:
        with self.exclusive():
            yield LocalBatch(self._records)

    def blocking_proposals(self) -> list[Proposal]:
        return self.proposals(only_open=True)

    def detailed(self, proposals: list[Proposal]) -> list[Proposal]:
        return proposals

    def proposals(self, *, only_open: bool = False) -> list[Proposal]:
        return self._records.read_all(only_open=only_open).proposals

    def get(self, number: int) -> Proposal:
        return self._records.get(number)

    def record_verdict(
        self, proposal: Proposal, verdict: Verdict, by: Signature
    ) -> Proposal:
        change = partial(replace, verdict=verdict)
        return self._append(Event("checked", proposal, change), by)

    def approve(
        self, proposal: Proposal, approval: Approval, by: Signature
    ) -> Proposal:
        def add(now: Proposal) -> Proposal:
            others = tuple(a for a in now.approvals if a.by != approval.by)
            return replace(now, approvals=(*others, approval))

        return self._append(Event("approved", proposal, add), by)

    def comment(self, proposal: Proposal, comment: Comment, by: Signature) -> Proposal:
        def add(now: Proposal) -> Proposal:
            return replace(now, comments=(*now.comments, comment))

        return self._append(Event("commented", proposal, add, comment.text), by)

    def ensure_branch(self, proposal: Proposal) -> Proposal:
        branch = f"refs/heads/{proposal.branch}"
        if not self.repo.ref(branch):
            self._records.move(RefUpdate(branch, proposal.head, ""))
        return proposal

    def mark_ready(self, proposal: Proposal, by: Signature) -> Proposal:
        change = partial(replace, is_draft=False)
        return self._append(Event("readied", proposal, change), by)

    def update(
        self, proposal: Proposal, commit: NewCommit, base: str, by: Signature
    ) -> Proposal:
        branch = f"refs/heads/{proposal.branch}"
        before = self.repo.ref(branch)
        tip = self._records.tip_of(proposal)
        _refuse_checked_out(self.repo, proposal, "refresh")
        with self.repo.object_writer(base) as commits:
            head = commits.branch_commit(commit)
            updated = replace(
                proposal,
                head=head,
                made=head,
                base=base,
                message=commit.message,
                opened=by.seconds,
                approvals=(),
                verdict=None,
            )
            record = self._records.write(commits, "refreshed", updated, [tip, head], by)
        ref = f"{PREFIX}{proposal.number}"
        self._records.move(RefUpdate(ref, record, tip), RefUpdate(branch, head, before))
        return updated

    def close(
        self, proposal: Proposal, state: State, comment: Comment, by: Signature
    ) -> Proposal:
        return self._append(closing_event(Closing(proposal, state, comment)), by)

    def merge(self, proposal: Proposal, message: str, by: Signature) -> Proposal:
        ref, tip = f"{PREFIX}{proposal.number}", self._records.tip_of(proposal)
        tree = self.repo.name_of(f"{proposal.head}^{{tree}}")
        parents = [proposal.base, proposal.head]
        with self.repo.object_writer(proposal.base) as commits:
            merge = commits.branch_commit(NewCommit(parents, message, by, tree=tree))
            merged = replace(proposal, state=State.MERGED, merge=merge)
            record = self._records.write(commits, "merged", merged, [tip, merge], by)
        self._records.move(
            RefUpdate(self.main, merge, proposal.base),
            RefUpdate(ref, record, tip),
            *self._records.branch_removal(merged),
        )
        return merged

    def mark_merged(self, proposal: Proposal, merge: str, by: Signature) -> Proposal:
        change = partial(replace, state=State.MERGED, merge=merge)
        return self._append(Event("merged", proposal, change), by)

    def _append(self, event: Event, by: Signature) -> Proposal:
        with self.exclusive():
            changed, updates = self._records.append(event, by)
            self._records.move(*updates)
        return changed


class LocalBatch:
    """Opens proposals one after the other; the records are read once, at the start.

    The caller holds the forge's lock, so no other process opens any meanwhile.
    """

    def __init__(self, records: ProposalRecords) -> None:
        self._records = records
        self._repo = records.repo
        listing = records.read_all(only_open=True)
        self._open = {proposal.number: proposal for proposal in listing.proposals}
        self._highest = listing.highest

    def blocking_proposals(self) -> list[Proposal]:
        return list(self._open.values())

    def open(
        self,
        commit: NewCommit,
        proposal: Proposal,
        by: Signature,
        replaces: Sequence[Closing] = (),
    ) -> tuple[Proposal, bool]:
        closed = [self._records.append(closing_event(old), by) for old in replaces]
        with self._repo.object_writer(commit.parents[0]) as commits:
            head = commits.branch_commit(commit)
            opened = replace(proposal, head=head, made=head)
            record = self._records.write(commits, "opened", opened, [head], by)
        closing = [update for _, updates in closed for update in updates]
        number = self._create(opened, record, closing)
        for old, _ in closed:
            self._open.pop(old.number, None)
        opened = replace(opened, number=number, url=f"{PREFIX}{number}")
        self._open[number] = opened
        return opened, True

    def _create(self, opened: Proposal, record: str, closing: list[RefUpdate]) -> int:
        """Create the refs of a proposal, in one move with others; its number."""
        branch = f"refs/heads/{opened.branch}"
        before = self._repo.ref(branch)
        if before and not self._is_known(before):
            raise ConflictError(
                f"the branch {opened.branch} has commits that belong to no proposal",
                hint="to keep them, rename the branch: git branch -m "
                f"{opened.branch} NAME",
            )
        if before:
            _refuse_checked_out(self._repo, opened, "propose")
        number = (self._highest or self._highest_on_main()) + 1
        rest = [RefUpdate(branch, opened.head, before), *closing]
        while not self._repo.move_refs(
            RefUpdate(f"{PREFIX}{number}", record, ""), *rest
        ):
            if any(self._repo.ref(update.ref) != update.old for update in rest):
                raise changed_meanwhile()
            number += 1
        self._highest = number
        return number

    def _is_known(self, commit: str) -> bool:
        proposals = self._records.read_all(only_open=False).proposals
        return any(commit in (p.head, p.made, p.merge) for p in proposals)

    def _highest_on_main(self) -> int:
        """The last number that main mentions, for a clone without the records."""
        line = ("--first-parent", "--extended-regexp", "--grep=^Proposal: [0-9]+$")
        commits = self._repo.log(*line, self._records.main)
        numbers = (_PROPOSAL.findall(commit.message) for commit in commits)
        return max((int(n) for some in numbers for n in some), default=0)


def _refuse_checked_out(repo: GitRepo, proposal: Proposal, verb: str) -> None:
    if checkout.showing(repo, proposal.branch):
        raise ConflictError(
            f"the branch {proposal.branch} is checked out",
            hint=f"check out another branch there, and {verb} again",
        )
