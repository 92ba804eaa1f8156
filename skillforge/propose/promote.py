"""From an approved proposal to main, and what else ends or renews a proposal."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Forge
from skillforge.gitrepo import trailers
from skillforge.gitrepo.ref_update import NewCommit, Signature, TreeChange
from skillforge.history import readable_version
from skillforge.history.steps import NOW
from skillforge.library import Library
from skillforge.model import (
    OURS,
    SKILL_FILE,
    SKILLS,
    Action,
    Approval,
    Comment,
    Proposal,
    State,
    Verdict,
)
from skillforge.policy import Policy
from skillforge.propose import checkout_sync, review, review_page
from skillforge.propose.admission import is_old
from skillforge.propose.move_journal import Move


class Promoted(NamedTuple):
    """A proposal after the attempt; its merge is empty if the gate refused it.

    `again` tells that it was merged before, `left` which checkouts did not follow.
    """

    proposal: Proposal
    again: bool = False
    left: tuple[Path, ...] = ()


def promote(
    library: Library, forge: Forge, number: int, by: Signature, *, now: bool = False
) -> Promoted:
    """Merge a proposal whose exact bytes the gate passed and others approved.

    Only main moves, and only from the base that was judged. A checkout of main follows
    if nothing unsaved is in it. Safe to repeat: a merge that was made is found again,
    and what a process left that died over another merge is finished first.
    """
    checkout_sync.finish(library, forge)
    try:
        return _promote(library, forge, number, by, now)
    except ConflictError:
        done = forge.get(number)
        trees = [f"{commit}^{{tree}}" for commit in (done.merge, done.head)]
        merged, judged = library.repository().names_of(trees)
        if done.state is State.MERGED and merged == judged:
            return _merged(library, forge, done, again=True)  # others were faster
        raise


def _promote(
    library: Library, forge: Forge, number: int, by: Signature, now: bool
) -> Promoted:
    proposal = _found_merged(library, forge, forge.get(number), by)
    if proposal.state is State.MERGED:
        return _merged(library, forge, proposal, again=True)
    _refuse_unready(library, proposal, by, now)
    # Not under the lock: checks may take long, and others want to work meanwhile.
    proposal = review.check(library, forge, proposal, by)
    if proposal.verdict is None or not proposal.verdict.passed:
        return Promoted(proposal)
    with forge.exclusive():
        current = _found_merged(library, forge, forge.get(number), by)
        if current.state is State.MERGED:
            return _merged(library, forge, current, again=True)
        current = replace(current, verdict=proposal.verdict)
        approvals = _refuse_unready(library, current, by, now)
        if (current.head, current.base) != (proposal.head, proposal.base):
            raise ConflictError(
                f"proposal {number} changed while it was judged", hint="try it again"
            )
        if not library.is_elsewhere:
            move = Move(proposal.base, number)
            checkout_sync.prepare(library, move, proposal.head)
        message = _message(proposal, proposal.verdict, approvals, by if now else None)
        return _merged(library, forge, forge.merge(current, message, by))


def _merged(
    library: Library, forge: Forge, proposal: Proposal, *, again: bool = False
) -> Promoted:
    """What is left to do after a merge: checkouts of main follow, if main is there."""
    left = []
    with forge.exclusive():
        if library.is_elsewhere:
            left = checkout_sync.catch_up(library)
        elif library.tip == proposal.merge:
            left = checkout_sync.bring_along(
                library, proposal.base, proposal.merge, is_prepared=not again
            )
    return Promoted(proposal, again, tuple(left))


def _found_merged(
    library: Library, forge: Forge, proposal: Proposal, by: Signature
) -> Proposal:
    """A crash may come between the merge and the note of it; then this is that note."""
    repo = library.repository()
    tip = library.tip
    if not proposal.is_open or proposal.base == tip:
        return proposal
    tree = repo.name_of(f"{proposal.head}^{{tree}}")
    for commit in repo.log("--first-parent", f"{proposal.base}..{tip}"):
        said = trailers.read(commit.message).get("Proposal")
        is_ours = said == [str(proposal.number)] and commit.tree == tree
        if is_ours and commit.parents == (proposal.base, proposal.head):
            return forge.mark_merged(proposal, commit.name, by)
    return proposal


def _refuse_unready(
    library: Library, proposal: Proposal, by: Signature, now: bool
) -> list[Approval]:
    """Stop where a proposal cannot be promoted now, and say what would help."""
    number = proposal.number
    tip = library.tip
    policy = library.policy(tip)
    review.refuse_over(proposal)
    if proposal.is_draft:
        raise ConflictError(
            f"proposal {number} is a draft",
            hint="propose it again without --draft when it is ready",
        )
    if proposal.base != tip:
        raise ConflictError(
            f"{library.main} has moved since proposal {number} was made",
            hint=f"skillforge refresh {number}, and have it reviewed again",
        )
    if is_old(proposal, policy, by):
        raise ConflictError(
            f"proposal {number} is older than {policy.days_limit} days",
            hint=f"skillforge refresh {number}, and have it reviewed again",
        )
    if proposal.objections:
        raise ConflictError(
            f"{', '.join(proposal.objections)} asks for changes to proposal {number}",
            hint="mend the draft, and propose it with --supersede; or talk to them",
        )
    approvals = review.standing(library, proposal)
    if now:
        _refuse_now(proposal, policy)
    elif len(approvals) < review.needed(policy, proposal):
        raise _unapproved(proposal, policy, len(approvals))
    return approvals


def _unapproved(proposal: Proposal, policy: Policy, count: int) -> ConflictError:
    void = len(proposal.approvals) - count
    needed = review.needed(policy, proposal)
    note = f"; {void} of something else do not count" if void else ""
    if needed > policy.approvals:
        note += "; one more than usual, since the scan asks for caution"
    return ConflictError(
        f"proposal {proposal.number} has {count} of {needed} approvals{note}",
        hint=f"skillforge review {proposal.number} --approve, by somebody other than "
        f"{proposal.author}",
    )


def _refuse_now(proposal: Proposal, policy: Policy) -> None:
    if proposal.action is not Action.ROLLBACK:
        raise RequestError("only a rollback can be promoted at once", hint="review it")
    if not policy.lets_roll_back(proposal.origin):
        raise ConflictError(
            f"the policy lets {policy.rollback_now} roll back without an approval",
            hint=f"proposal {proposal.number} waits for one: skillforge review "
            f"{proposal.number} --approve, then skillforge promote {proposal.number}",
        )


def _message(
    proposal: Proposal,
    verdict: Verdict,
    approvals: list[Approval],
    now: Signature | None,
) -> str:
    named = trailers.read(proposal.message).get("Proposed-By", [])
    said = [
        ("Proposal", str(proposal.number)),
        ("Opened-By", "" if proposal.author in named else proposal.author),
        *(("Approved-By", approval.by) for approval in approvals),
        (NOW, str(now) if now else ""),
        ("Approved-Tree", verdict.tree),
        ("Checks-Digest", f"sha256:{verdict.digest}"),
        ("Scan", verdict.danger or ""),
        ("Policy", verdict.policy or "none"),
    ]
    title = f"Merge proposal {proposal.number}: {proposal.title}"
    return trailers.message(title, "", said)


def refresh(library: Library, forge: Forge, number: int, by: Signature) -> Proposal:
    """Put a proposal on today's main; whoever approved it has to look again."""
    with forge.exclusive():
        proposal = _found_merged(library, forge, forge.get(number), by)
        review.refuse_over(proposal)
        tip = library.tip
        if proposal.base == tip and not is_old(proposal, library.policy(tip), by):
            return proposal
        try:
            tree = review.merged(library, proposal, tip)
        except ConflictError as err:
            raise ConflictError(
                f"proposal {number} does not fit on {library.main}: {err.message}",
                hint=f"look at it, then propose anew with --supersede; or skillforge "
                f"close {number}",
            ) from err
        changes = list(_carried(library, proposal, tip, tree))
        if all(put.data is not None for put in changes):  # at most another version
            raise ConflictError(
                f"nothing of proposal {number} is left on {library.main}: it is there, "
                "was taken back, or its skill has moved",
                hint=f"skillforge close {number}, and propose it again",
            )
        # Whoever had a hand in it does not become a reviewer of it.
        hands = [("Proposed-By", who) for who in review.authors(library, proposal)]
        said = proposal.message or trailers.message(proposal.title, "", ())
        message = trailers.added(said, hands)
        commit = NewCommit([tip], message, by, changes)
        fresh = forge.update(proposal, commit, tip, by)
    forge.describe(fresh, partial(review_page.of, library, forge))
    return fresh


def _carried(
    library: Library, proposal: Proposal, tip: str, tree: str
) -> Iterator[TreeChange]:
    """What a proposal changes, put on another base; nothing but what it may touch."""
    repo = library.repository()
    for name in proposal.skills:
        for top in OURS:
            merged = repo.name_of(f"{tree}:{top}/{name}")
            if merged != repo.name_of(f"{tip}:{top}/{name}"):
                yield TreeChange(f"{top}/{name}", mode="040000", object=merged)
    if proposal.action is Action.ROLLBACK:
        return
    path = f"{SKILLS}/{proposal.skill}/{SKILL_FILE}"
    before, after = repo.find(f"{tip}:{path}"), repo.find(f"{tree}:{path}")
    if before and after:
        was, now = readable_version.of(before.data), readable_version.of(after.data)
        data = readable_version.stamped(
            after.data, readable_version.raised(was, now, None)
        )
        if data != after.data:
            yield TreeChange(path, data)


def close(forge: Forge, number: int, why: str, by: Signature) -> Proposal:
    """End a proposal without merging it."""
    proposal = review.get_open(forge, number)
    comment = Comment(str(by), why or "closed", by.seconds)
    return forge.close(proposal, State.CLOSED, comment, by)


def expire(library: Library, forge: Forge, by: Signature) -> list[Proposal]:
    """Close what has waited longer than the policy allows."""
    policy = library.policy(library.tip)
    comment = Comment(str(by), f"older than {policy.days_limit} days", by.seconds)
    return [
        forge.close(proposal, State.EXPIRED, comment, by)
        for proposal in forge.proposals(only_open=True)
        if is_old(proposal, policy, by)
    ]
