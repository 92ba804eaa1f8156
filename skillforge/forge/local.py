"""Proposals in plain git: one ref each, one commit for each thing that happens.

`refs/skillforge/proposals/<n>` is a history of its own that anybody can read, push and
fetch. A record names the head that it speaks of as a parent, so git keeps it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from skillforge import store
from skillforge.errors import ConfigError, ConflictError, RequestError
from skillforge.forge import Admit, Closing, ReviewPage, proposal_record
from skillforge.forge.registry import Clone
from skillforge.gitrepo import GitRepo, checkout, ref_moves, trailers
from skillforge.gitrepo.object_writer import ObjectWriter
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature, TreeChange
from skillforge.gitrepo.refs import read as read_refs
from skillforge.gitrepo.refs import removal
from skillforge.model import Approval, Comment, Proposal, State, Verdict

PREFIX = "refs/skillforge/proposals/"
BRANCHES = "refs/heads/skill/"
_PROPOSAL = re.compile(r"^Proposal: ([0-9]+)$", re.MULTILINE)
_OVER = ("merged", "closed", "expired")


NAME = "local"


def recognises(_url: str, _host: str) -> bool:
    """A remote doesn't decide it: a library without any other forge is local."""
    return False


def suggestion(_url: str) -> str:
    return ""


def connect(clone: Clone) -> "LocalForge":
    return LocalForge(clone.repo, clone.main, clone.notice)


class _Event(NamedTuple):
    """Something that happens to an open proposal, and how it changes its record."""

    name: str
    proposal: Proposal
    change: Callable[[Proposal], Proposal]
    why: str = ""


class LocalForge:
    """The forge of a single machine; it needs nothing but git."""

    is_local = True

    def __init__(self, repo: GitRepo, main: str, note: str = "") -> None:
        self.repo = repo
        self.note = note
        self.main = f"refs/heads/{main}"
        self.alone = store.ExclusiveLock(lambda: repo.common_dir)
        self.unreadable: dict[int, ConfigError] = {}
        self._highest = 0  # number seen; one that is taken meanwhile is passed over
        self._open: dict[int, Proposal] | None = None  # while a batch is opened
        self._records: dict[str, Proposal] = {}  # by the commit that they were read at

    def look(self) -> None:
        """Main is here."""

    def user(self) -> None:
        return None

    def checks_url(self, _proposal: Proposal) -> str:
        return ""

    def checkout_command(self, proposal: Proposal) -> str:
        return f"git switch {proposal.branch}"

    def describe(
        self, proposal: Proposal, page: Callable[[Proposal], ReviewPage]
    ) -> None:
        """`skillforge review` is the page."""

    def report(self, number: int, text: str) -> None:
        """The record holds it."""

    @contextmanager
    def batch(self) -> Iterator[None]:
        with self.alone():
            self._open = {p.number: p for p in self.proposals(only_open=True)}
            try:
                yield
            finally:
                self._open = None

    def waiting(self) -> list[Proposal]:
        if self._open is not None:
            return list(self._open.values())
        return self.proposals(only_open=True)

    def detailed(self, proposals: list[Proposal]) -> list[Proposal]:
        return proposals

    def proposals(self, *, only_open: bool = False) -> list[Proposal]:
        """Proposals by number; those that are over are not even read if not asked."""
        self.unreadable.clear()
        ref_moves.finish(self.repo)
        refs, broken = read_refs(self.repo, PREFIX, BRANCHES)
        numbers = sorted(int(n) for ref in refs if (n := _number(ref)))
        self._note_damage(broken)
        self._highest = max([*numbers, *self.unreadable], default=0)
        tips = {
            number: refs[f"{PREFIX}{number}"][0]
            for number in numbers
            if not (only_open and _is_over(refs[f"{PREFIX}{number}"][1]))
        }
        branches = {ref: tip for ref, (tip, _) in refs.items()}
        kept = self._records.keys() & set(tips.values())
        self._records = {tip: self._records[tip] for tip in kept}
        return self._read(tips, branches)

    def get(self, number: int) -> Proposal:
        ref_moves.finish(self.repo)
        tip = self.repo.ref(f"{PREFIX}{number}")
        if not tip:
            self._note_damage(read_refs(self.repo, f"{PREFIX}{number}").broken)
            raise self.unreadable.get(number) or RequestError(
                f"there is no proposal {number}", hint="skillforge proposals --all"
            )
        found = self._read({number: tip}, None)
        if not found:
            raise self.unreadable[number]
        return found[0]

    def _note_damage(self, broken: dict[str, str]) -> None:
        """Remember which records can't be found, and what to do about each."""
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
        self._load({n: tip for n, tip in tips.items() if tip not in self._records})
        found = []
        for number, tip in tips.items():
            if known := self._records.get(tip):
                proposal = replace(known, number=number, url=f"{PREFIX}{number}")
                found.append(self._as_it_is(proposal, branches))
        return found

    def _load(self, tips: dict[int, str]) -> None:
        """Read records that this forge has not read yet; a commit never changes."""
        files = (proposal_record.PROPOSAL_FILE, proposal_record.VERDICT_FILE)
        wanted = [f"{tip}:{file}" for tip in tips.values() for file in files]
        answers = iter(self.repo.find_all(wanted))
        pairs = zip(answers, answers, strict=True)
        for (number, tip), (written, verdict) in zip(tips.items(), pairs, strict=True):
            data = written.data if written else b""
            try:
                self._records[tip] = proposal_record.load(
                    number, data, verdict.data if verdict else None
                )
            except ConfigError as err:
                self.unreadable[number] = err

    def _as_it_is(
        self, proposal: Proposal, branches: dict[str, str] | None
    ) -> Proposal:
        """A proposal with the head that its branch has now."""
        branch = f"refs/heads/{proposal.branch}"
        if not proposal.is_open:
            return proposal
        live = self.repo.ref(branch) if branches is None else branches.get(branch, "")
        if live in ("", proposal.head):
            return proposal
        # Somebody committed to the branch by hand: it is that commit that waits now.
        try:
            base = self.repo.merge_base(self.main, live)
        except RequestError:
            base = proposal.base  # it has nothing in common: the gate will refuse it
        return replace(proposal, head=live, base=base)

    def open(
        self, commit: NewCommit, proposal: Proposal, by: Signature, admit: Admit
    ) -> tuple[Proposal, bool]:
        with self.alone():
            admission = admit(self.waiting())
            if admission.existing:
                return admission.existing, False
            closed = [
                self._record(_closed(closing), by) for closing in admission.replaces
            ]
            with self.repo.making(commit.parents[0]) as commits:
                head = commits.branch_commit(commit)
                opened = replace(proposal, head=head, made=head)
                tip = self._write(commits, "opened", opened, [opened.head], by)
            also = [update for _, updates in closed for update in updates]
            entered = self._enter(opened, tip, also)
            for replaced, _ in closed:
                self._remember(replaced)
            return entered, True

    def _enter(self, opened: Proposal, tip: str, also: list[RefUpdate]) -> Proposal:
        """Give a proposal the next number and its branch, in one move with `also`."""
        branch = f"refs/heads/{opened.branch}"
        before = self.repo.ref(branch)
        if before and not self._is_known(before):
            raise ConflictError(
                f"the branch {opened.branch} holds work that no proposal knows",
                hint=f"keep it under another name: git branch -m {opened.branch} NAME",
            )
        if before and checkout.showing(self.repo, opened.branch):
            raise ConflictError(
                f"the branch {opened.branch} is checked out",
                hint="check out another branch there, and propose again",
            )
        number = (self._highest or self._highest_on_main()) + 1
        rest = [RefUpdate(branch, opened.head, before), *also]
        while not self.repo.move_refs(RefUpdate(f"{PREFIX}{number}", tip, ""), *rest):
            if any(self.repo.ref(update.ref) != update.old for update in rest):
                raise _changed_meanwhile()
            number += 1
        self._highest = number
        return self._remember(replace(opened, number=number, url=f"{PREFIX}{number}"))

    def _remember(self, proposal: Proposal) -> Proposal:
        """Keep what a batch knows to be open as it is now."""
        if self._open is not None and proposal.is_open:
            self._open[proposal.number] = proposal
        elif self._open is not None:
            self._open.pop(proposal.number, None)
        return proposal

    def _is_known(self, commit: str) -> bool:
        return any(commit in (p.head, p.made, p.merge) for p in self.proposals())

    def _highest_on_main(self) -> int:
        """The last number that main knows of, for a clone without the records."""
        line = ("--first-parent", "--extended-regexp", "--grep=^Proposal: [0-9]+$")
        said = (_PROPOSAL.findall(c.message) for c in self.repo.log(*line, self.main))
        return max((int(n) for numbers in said for n in numbers), default=0)

    def judge(self, proposal: Proposal, verdict: Verdict, by: Signature) -> Proposal:
        change = partial(replace, verdict=verdict)
        return self._note(_Event("checked", proposal, change), by)

    def approve(
        self, proposal: Proposal, approval: Approval, by: Signature
    ) -> Proposal:
        def add(now: Proposal) -> Proposal:
            others = tuple(a for a in now.approvals if a.by != approval.by)
            return replace(now, approvals=(*others, approval))

        return self._note(_Event("approved", proposal, add), by)

    def comment(self, proposal: Proposal, comment: Comment, by: Signature) -> Proposal:
        def add(now: Proposal) -> Proposal:
            return replace(now, comments=(*now.comments, comment))

        return self._note(_Event("commented", proposal, add, comment.text), by)

    def keep(self, proposal: Proposal) -> Proposal:
        branch = f"refs/heads/{proposal.branch}"
        if not self.repo.ref(branch):
            self._move(RefUpdate(branch, proposal.head, ""))
        return proposal

    def ready(self, proposal: Proposal, by: Signature) -> Proposal:
        change = partial(replace, is_draft=False)
        return self._note(_Event("readied", proposal, change), by)

    def update(
        self, proposal: Proposal, commit: NewCommit, base: str, by: Signature
    ) -> Proposal:
        branch = f"refs/heads/{proposal.branch}"
        before = self.repo.ref(branch)
        ref = f"{PREFIX}{proposal.number}"
        tip = self._tip_of(proposal)
        if checkout.showing(self.repo, proposal.branch):
            raise ConflictError(
                f"the branch {proposal.branch} is checked out",
                hint="check out another branch there, and refresh again",
            )
        with self.repo.making(base) as commits:
            head = commits.branch_commit(commit)
            fresh = replace(
                proposal,
                head=head,
                made=head,
                base=base,
                message=commit.message,
                opened=by.seconds,
                approvals=(),
                verdict=None,
            )
            noted = self._write(commits, "refreshed", fresh, [tip, fresh.head], by)
        self._move(RefUpdate(ref, noted, tip), RefUpdate(branch, fresh.head, before))
        return fresh

    def close(
        self, proposal: Proposal, state: State, comment: Comment, by: Signature
    ) -> Proposal:
        return self._note(_closed(Closing(proposal, state, comment)), by)

    def merge(self, proposal: Proposal, message: str, by: Signature) -> Proposal:
        ref, tip = f"{PREFIX}{proposal.number}", self._tip_of(proposal)
        tree = self.repo.name_of(f"{proposal.head}^{{tree}}")
        parents = [proposal.base, proposal.head]
        with self.repo.making(proposal.base) as commits:
            merge = commits.branch_commit(NewCommit(parents, message, by, tree=tree))
            merged = replace(proposal, state=State.MERGED, merge=merge)
            noted = self._write(commits, "merged", merged, [tip, merge], by)
        self._move(
            RefUpdate(self.main, merge, proposal.base),
            RefUpdate(ref, noted, tip),
            *self._branch_removal(merged),
        )
        return merged

    def mark_merged(self, proposal: Proposal, merge: str, by: Signature) -> Proposal:
        change = partial(replace, state=State.MERGED, merge=merge)
        return self._note(_Event("merged", proposal, change), by)

    def _note(self, event: "_Event", by: Signature) -> Proposal:
        with self.alone():
            changed, updates = self._record(event, by)
            self._move(*updates)
        return self._remember(changed)

    def _record(
        self, event: "_Event", by: Signature
    ) -> tuple[Proposal, list[RefUpdate]]:
        """Write what happened; the branch of a proposal that ends with it is removed.

        Nothing counts before the refs that this returns have moved.
        """
        tip = self._tip_of(event.proposal)
        changed = event.change(self.get(event.proposal.number))
        with self.repo.making(tip) as commits:
            parents = [tip, changed.head]
            noted = self._write(commits, event.name, changed, parents, by, event.why)
        removal = self._branch_removal(changed) if not changed.is_open else []
        update = RefUpdate(f"{PREFIX}{changed.number}", noted, tip)
        return changed, [update, *removal]

    def _tip_of(self, proposal: Proposal) -> str:
        """The record that the next one follows, if the proposal is as it was seen."""
        now = self.get(proposal.number)
        if not now.is_open:
            raise ConflictError(
                f"proposal {now.number} is {now.state}", hint="skillforge proposals"
            )
        if now.head != proposal.head:
            raise _changed_meanwhile()
        return self.repo.ref(f"{PREFIX}{now.number}")

    def _branch_removal(self, proposal: Proposal) -> list[RefUpdate]:
        """Its record keeps the commits; the branch would only be in the way.

        One that somebody has checked out stays, as it does with `git branch -d`.
        """
        branch = f"refs/heads/{proposal.branch}"
        live = self.repo.ref(branch)
        if live != proposal.head or checkout.showing(self.repo, proposal.branch):
            return []
        return [RefUpdate(branch, "", live)]

    def _move(self, *updates: RefUpdate) -> None:
        if not self.repo.move_refs(*updates):
            raise _changed_meanwhile()

    def _write(  # noqa: PLR0913, PLR0917 - the parts of a record
        self,
        commits: ObjectWriter,
        event: str,
        proposal: Proposal,
        parents: list[str],
        by: Signature,
        why: str = "",
    ) -> str:
        files = proposal_record.dump(proposal)
        changes = [TreeChange(path, data) for path, data in files.items()]
        # A remark must not end the message: git would read its lines as trailers.
        said = [("Noted-By", str(by))] if why else []
        message = trailers.message(f"{event} {proposal.skill}", why, said)
        new = NewCommit(parents, message, by, changes, starts_empty=True)
        return commits.commit(new)


def _closed(closing: Closing) -> _Event:
    proposal, state, comment = closing

    def end(now: Proposal) -> Proposal:
        return replace(now, state=state, comments=(*now.comments, comment))

    return _Event(state.value, proposal, end, comment.text)


def _changed_meanwhile() -> ConflictError:
    return ConflictError(
        "somebody else changed the same proposal, or its base, just now",
        hint="nothing was changed; look at it again: skillforge proposals",
    )


def _number(ref: str) -> str:
    """The number in a proposal's ref; empty for any other ref."""
    number = ref.removeprefix(PREFIX)
    return number if re.fullmatch(r"[1-9][0-9]*", number) else ""


def _is_over(subject: str) -> bool:
    return subject.split(" ", 1)[0] in _OVER
