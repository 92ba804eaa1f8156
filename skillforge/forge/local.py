"""Proposals in plain git: one ref each, one commit for each thing that happens.

`refs/skillforge/proposals/<n>` is a history of its own that anybody can read, push and
fetch. A record names the head that it speaks of as a parent, so git keeps it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from skillforge import store
from skillforge.errors import ConfigError, ConflictError, RequestError
from skillforge.forge import Admit, ReviewPage, proposal_record
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


class LocalForge:
    """The forge of a single machine; it needs nothing but git."""

    is_here = True

    def __init__(self, repo: GitRepo, main: str, note: str = "") -> None:
        self.repo = repo
        self.note = note
        self.main = f"refs/heads/{main}"
        self.alone = store.ExclusiveLock(lambda: repo.common_dir)
        self.unreadable: dict[int, ConfigError] = {}
        self._highest = 0  # number seen; one that is taken meanwhile is passed over
        # What an opening closes: it moves with the refs of what it opens, or not.
        self._along: list[RefUpdate] | None = None
        self._open: dict[int, Proposal] | None = None  # while a batch is opened
        self._records: dict[str, Proposal] = {}  # by the commit that they were read at

    def look(self) -> None:
        """Main is here."""

    def user(self) -> None:
        return None

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
        with self.alone(), self._together() as along:
            if there := admit(self.waiting()):
                self._move_now(along)
                return there, False
            with self.repo.making(commit.parents[0]) as commits:
                head = commits.branch_commit(commit)
                opened = replace(proposal, head=head, made=head)
                tip = self._write(commits, "opened", opened, [opened.head], by)
            return self._enter(opened, tip, along), True

    @contextmanager
    def _together(self) -> Iterator[list[RefUpdate]]:
        """Hold back the refs that would move meanwhile, for one move at the end."""
        self._along = []
        try:
            yield self._along
        finally:
            self._along = None

    def _enter(self, opened: Proposal, tip: str, along: list[RefUpdate]) -> Proposal:
        """Give a proposal the next number, and its branch; refs move last."""
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
        rest = [RefUpdate(branch, opened.head, before), *along]
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
        return self._note(
            "checked", proposal, by, lambda p: replace(p, verdict=verdict)
        )

    def approve(
        self, proposal: Proposal, approval: Approval, by: Signature
    ) -> Proposal:
        def add(now: Proposal) -> Proposal:
            others = tuple(a for a in now.approvals if a.by != approval.by)
            return replace(now, approvals=(*others, approval))

        return self._note("approved", proposal, by, add)

    def comment(self, proposal: Proposal, comment: Comment, by: Signature) -> Proposal:
        def add(now: Proposal) -> Proposal:
            return replace(now, comments=(*now.comments, comment))

        return self._note("commented", proposal, by, add, comment.text)

    def keep(self, proposal: Proposal) -> Proposal:
        branch = f"refs/heads/{proposal.branch}"
        if not self.repo.ref(branch):
            self._move(RefUpdate(branch, proposal.head, ""))
        return proposal

    def ready(self, proposal: Proposal, by: Signature) -> Proposal:
        return self._note("readied", proposal, by, partial(replace, is_draft=False))

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
        def end(now: Proposal) -> Proposal:
            return replace(now, state=state, comments=(*now.comments, comment))

        return self._note(state.value, proposal, by, end, comment.text)

    def merge(self, proposal: Proposal, message: str, by: Signature) -> Proposal:
        ref = f"{PREFIX}{proposal.number}"
        tip = self._tip_of(proposal)
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
        def end(now: Proposal) -> Proposal:
            return replace(now, state=State.MERGED, merge=merge)

        return self._note("merged", proposal, by, end)

    def _note(
        self,
        event: str,
        proposal: Proposal,
        by: Signature,
        change: Callable[[Proposal], Proposal],
        why: str = "",
    ) -> Proposal:
        """Write down what happened; the branch of a proposal that is over goes."""
        with self.alone():
            tip = self._tip_of(proposal)
            changed = change(self.get(proposal.number))
            parents = [tip, changed.head]
            with self.repo.making(tip) as commits:
                noted = self._write(commits, event, changed, parents, by, why)
            over = self._branch_removal(changed) if not changed.is_open else []
            self._move(RefUpdate(f"{PREFIX}{changed.number}", noted, tip), *over)
        return self._remember(changed)

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
        if self._along is not None:
            self._along += updates
        else:
            self._move_now(updates)

    def _move_now(self, updates: Sequence[RefUpdate]) -> None:
        if updates and not self.repo.move_refs(*updates):
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
