"""Records of proposals in plain git: one ref each, one commit for each event.

`refs/skillforge/proposals/<n>` is a history of its own that can be read, pushed and
fetched. A record has the proposal's head as a parent, so git keeps that commit.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from skillforge.errors import ConfigError, ConflictError, RequestError
from skillforge.forge import Closing, proposal_record
from skillforge.gitrepo import GitRepo, checkout, ref_moves, trailers
from skillforge.gitrepo.object_writer import ObjectWriter
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.gitrepo.refs import read as read_refs
from skillforge.gitrepo.refs import removal
from skillforge.model import Proposal

PREFIX = "refs/skillforge/proposals/"
BRANCHES = "refs/heads/skill/"
_CLOSED = ("merged", "closed", "expired")


class Event(NamedTuple):
    """A change to an open proposal, and the reason for it."""

    name: str
    proposal: Proposal
    change: Callable[[Proposal], Proposal]
    why: str = ""


class Listing(NamedTuple):
    """Proposals by number, and the highest number in use, also by a damaged record."""

    proposals: list[Proposal]
    highest: int


class ProposalRecords:
    """Reads and writes the records of one repository."""

    def __init__(self, repo: GitRepo, main: str) -> None:
        self.repo = repo
        self.main = main
        self.unreadable: dict[int, ConfigError] = {}
        self._cache: dict[str, Proposal] = {}  # by commit, which never changes

    def read_all(self, *, only_open: bool) -> Listing:
        """All proposals; the records of closed ones are not read with `only_open`."""
        self.unreadable.clear()
        ref_moves.finish(self.repo)
        refs, broken = read_refs(self.repo, PREFIX, BRANCHES)
        numbers = sorted(int(n) for ref in refs if (n := _number(ref)))
        self._note_damage(broken)
        highest = max([*numbers, *self.unreadable], default=0)
        tips = {
            number: refs[f"{PREFIX}{number}"][0]
            for number in numbers
            if not (only_open and _is_closed(refs[f"{PREFIX}{number}"][1]))
        }
        branches = {ref: tip for ref, (tip, _) in refs.items()}
        current = self._cache.keys() & set(tips.values())
        self._cache = {tip: self._cache[tip] for tip in current}
        return Listing(self._read(tips, branches), highest)

    def get(self, number: int) -> Proposal:
        ref_moves.finish(self.repo)
        tip = self.repo.ref(f"{PREFIX}{number}")
        if not tip:
            self._note_damage(read_refs(self.repo, f"{PREFIX}{number}").broken)
            raise self.unreadable.get(number) or RequestError(
                f"no such proposal: {number}", hint="skillforge proposals --all"
            )
        proposals = self._read({number: tip}, None)
        if not proposals:
            raise self.unreadable[number]
        return proposals[0]

    def _note_damage(self, broken: dict[str, str]) -> None:
        for ref, why in broken.items():
            if number := _number(ref):
                self.unreadable[int(number)] = ConfigError(
                    f"the ref of proposal {number} is damaged: {why}",
                    hint="skillforge doctor --fix restores it if git still has the "
                    f"record; to give it up: {removal(self.repo, ref)}",
                )

    def _read(
        self, tips: dict[int, str], branches: dict[str, str] | None
    ) -> list[Proposal]:
        self._load({n: tip for n, tip in tips.items() if tip not in self._cache})
        proposals = []
        for number, tip in tips.items():
            if record := self._cache.get(tip):
                proposal = replace(record, number=number, url=f"{PREFIX}{number}")
                proposals.append(self._with_live_head(proposal, branches))
        return proposals

    def _load(self, tips: dict[int, str]) -> None:
        """Read records into the cache."""
        files = (proposal_record.PROPOSAL_FILE, proposal_record.VERDICT_FILE)
        names = [f"{tip}:{file}" for tip in tips.values() for file in files]
        objects = iter(self.repo.find_all(names))
        pairs = zip(objects, objects, strict=True)
        for (number, tip), (record, verdict) in zip(tips.items(), pairs, strict=True):
            data = record.data if record else b""
            try:
                self._cache[tip] = proposal_record.load(
                    number, data, verdict.data if verdict else None
                )
            except ConfigError as err:
                self.unreadable[number] = err

    def _with_live_head(
        self, proposal: Proposal, branches: dict[str, str] | None
    ) -> Proposal:
        """An open proposal with the head that its branch has now."""
        if not proposal.is_open:
            return proposal
        branch = f"refs/heads/{proposal.branch}"
        live = self.repo.ref(branch) if branches is None else branches.get(branch, "")
        if live in ("", proposal.head):
            return proposal
        # A user committed to the branch: the proposal is that commit now.
        try:
            base = self.repo.merge_base(self.main, live)
        except RequestError:
            base = proposal.base  # no common history: the gate will refuse it
        return replace(proposal, head=live, base=base)

    def append(self, event: Event, by: Signature) -> tuple[Proposal, list[RefUpdate]]:
        """Write an event; a proposal that it closes loses its branch.

        Nothing counts before the refs that this returns have moved.
        """
        tip = self.tip_of(event.proposal)
        changed = event.change(self.get(event.proposal.number))
        with self.repo.object_writer(tip) as commits:
            parents = [tip, changed.head]
            record = self.write(commits, event.name, changed, parents, by, event.why)
        removal = self.branch_removal(changed) if not changed.is_open else []
        update = RefUpdate(f"{PREFIX}{changed.number}", record, tip)
        return changed, [update, *removal]

    def tip_of(self, proposal: Proposal) -> str:
        """The latest record of a proposal, which must be open and unchanged."""
        now = self.get(proposal.number)
        if not now.is_open:
            raise ConflictError(
                f"proposal {now.number} is {now.state}", hint="skillforge proposals"
            )
        if now.head != proposal.head:
            raise changed_meanwhile()
        return self.repo.ref(f"{PREFIX}{now.number}")

    def branch_removal(self, proposal: Proposal) -> list[RefUpdate]:
        """Remove the branch of a closed proposal: its record keeps the commits.

        A branch that is checked out stays, as with `git branch -d`.
        """
        branch = f"refs/heads/{proposal.branch}"
        live = self.repo.ref(branch)
        if live != proposal.head or checkout.showing(self.repo, proposal.branch):
            return []
        return [RefUpdate(branch, "", live)]

    def move(self, *updates: RefUpdate) -> None:
        if not self.repo.move_refs(*updates):
            raise changed_meanwhile()

    def write(  # noqa: PLR0913, PLR0917 - the parts of a record
        self,
        commits: ObjectWriter,
        event: str,
        proposal: Proposal,
        parents: list[str],
        by: Signature,
        why: str = "",
    ) -> str:
        """Write a record; no ref points at it yet."""
        files = proposal_record.dump(proposal)
        changes = [TreeChange(path, data) for path, data in files.items()]
        # A comment must not end the message: git would read its lines as trailers.
        noted_by = [("Noted-By", str(by))] if why else []
        message = trailers.message(f"{event} {proposal.skill}", why, noted_by)
        new = NewCommit(parents, message, by, changes, starts_empty=True)
        return commits.commit(new)


def closing_event(closing: Closing) -> Event:
    proposal, state, comment = closing

    def close(now: Proposal) -> Proposal:
        return replace(now, state=state, comments=(*now.comments, comment))

    return Event(state.value, proposal, close, comment.text)


def changed_meanwhile() -> ConflictError:
    return ConflictError(
        "the proposal or its base was changed by another process just now",
        hint="nothing was changed; check its state: skillforge proposals",
    )


def _number(ref: str) -> str:
    """The number in a proposal's ref; empty for any other ref."""
    number = ref.removeprefix(PREFIX)
    return number if re.fullmatch(r"[1-9][0-9]*", number) else ""


def _is_closed(subject: str) -> bool:
    return subject.split(" ", 1)[0] in _CLOSED
