"""Move an approved proposal to main; refresh, close and expire proposals."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.gitrepo import trailers
from skillforge.gitrepo.ref_update import NewCommit, TreeChange
from skillforge.history import readable_version
from skillforge.history.steps import NOW
from skillforge.model import (
    ARCHIVE,
    EVIDENCE,
    SKILL_FILE,
    WAIVERS_FILE,
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
from skillforge.propose.checkout_sync import Move
from skillforge.propose.workspace import Workspace


class MergeResult(NamedTuple):
    """A proposal after an attempt to merge it; `merge` is empty if the gate refused.

    `again` is True if it was merged before. `left` are the checkouts of main that were
    not updated.
    """

    proposal: Proposal
    again: bool = False
    left: tuple[Path, ...] = ()


def promote(workspace: Workspace, number: int, *, now: bool = False) -> MergeResult:
    """Merge a proposal whose exact bytes the gate passed and others approved.

    Main moves only from the base that the gate checked. Checkouts of main follow if no
    unsaved change is lost. Safe to repeat: an earlier merge is found again, and the
    work of a process that died during another merge is finished first.
    """
    checkout_sync.finish(workspace)
    try:
        return _promote(workspace, number, now)
    except ConflictError:
        proposal = workspace.forge.get(number)
        trees = [f"{commit}^{{tree}}" for commit in (proposal.merge, proposal.head)]
        merged, judged = workspace.repo.names_of(trees)
        if proposal.state is State.MERGED and merged == judged:
            return _finished(workspace, proposal, again=True)  # others were faster
        raise


def _promote(workspace: Workspace, number: int, now: bool) -> MergeResult:
    library, forge = workspace.library, workspace.forge
    proposal = _current(workspace, number)
    if proposal.state is State.MERGED:
        return _finished(workspace, proposal, again=True)
    _refuse_unready(workspace, proposal, now)
    # Not under the lock: checks may take long, and others want to work meanwhile.
    proposal = review.check(workspace, proposal)
    if proposal.verdict is None or not proposal.verdict.passed:
        return MergeResult(proposal)
    with forge.exclusive():
        current = _current(workspace, number)
        if current.state is State.MERGED:
            return _finished(workspace, current, again=True)
        current = replace(current, verdict=proposal.verdict)
        approvals = _refuse_unready(workspace, current, now)
        if (current.head, current.base) != (proposal.head, proposal.base):
            raise ConflictError(
                f"proposal {number} changed during the gate run", hint="try again"
            )
        if not library.is_elsewhere:
            checkout_sync.prepare(library, Move(proposal.base, number), proposal.head)
        by = str(workspace.by) if now else ""
        message = _message(proposal, proposal.verdict, approvals, by)
        return _finished(workspace, forge.merge(current, message, workspace.by))


def _finished(
    workspace: Workspace, proposal: Proposal, *, again: bool = False
) -> MergeResult:
    """The result of a merge, after the checkouts of main have followed."""
    library, left = workspace.library, list[Path]()
    with workspace.forge.exclusive():
        if library.is_elsewhere:
            left = checkout_sync.catch_up(library)
        elif library.tip == proposal.merge:
            left = checkout_sync.bring_along(
                library, proposal.base, proposal.merge, is_prepared=not again
            )
    return MergeResult(proposal, again, tuple(left))


def _current(workspace: Workspace, number: int) -> Proposal:
    """A proposal as it is now; a merge that a crash left unrecorded is recorded."""
    repo, tip = workspace.repo, workspace.library.tip
    proposal = workspace.forge.get(number)
    if not proposal.is_open or proposal.base == tip:
        return proposal
    tree = repo.name_of(f"{proposal.head}^{{tree}}")
    for commit in repo.log("--first-parent", f"{proposal.base}..{tip}"):
        is_named = trailers.read(commit.message).get("Proposal") == [str(number)]
        is_exact = (commit.tree, commit.parents) == (
            tree,
            (proposal.base, proposal.head),
        )
        if is_named and is_exact:
            return workspace.forge.mark_merged(proposal, commit.name, workspace.by)
    return proposal


def _refuse_unready(
    workspace: Workspace, proposal: Proposal, now: bool
) -> list[Approval]:
    """Raise if a proposal can't be promoted now; else its valid approvals."""
    library, number = workspace.library, proposal.number
    policy = library.policy(library.tip)
    review.require_open(proposal)
    refresh_hint = f"skillforge refresh {number}, and have it reviewed again"
    if proposal.is_draft:
        raise ConflictError(
            f"proposal {number} is a draft",
            hint="propose it again without --draft when it is ready",
        )
    if proposal.base != library.tip:
        raise ConflictError(
            f"{library.main} has moved since proposal {number} was made",
            hint=refresh_hint,
        )
    if is_old(proposal, policy, workspace.by):
        raise ConflictError(
            f"proposal {number} is older than {policy.days_limit} days",
            hint=refresh_hint,
        )
    if proposal.objections:
        raise ConflictError(
            f"{', '.join(proposal.objections)} asks for changes to proposal {number}",
            hint="change the draft and propose it again with --supersede",
        )
    approvals = review.valid_approvals(library, proposal)
    if now:
        _refuse_now(proposal, policy)
    elif len(approvals) < review.needed(policy, proposal):
        raise _unapproved(proposal, policy, len(approvals))
    return approvals


def _unapproved(proposal: Proposal, policy: Policy, count: int) -> ConflictError:
    void = len(proposal.approvals) - count
    needed = review.needed(policy, proposal)
    note = f"; {void} for other content not counted" if void else ""
    if needed > policy.approvals:
        note += "; one more than usual because of the scan verdict caution"
    return ConflictError(
        f"proposal {proposal.number} has {count} of {needed} approvals{note}",
        hint=f"skillforge review {proposal.number} --approve, by someone other than "
        f"{proposal.author}",
    )


def _refuse_now(proposal: Proposal, policy: Policy) -> None:
    if proposal.action is not Action.ROLLBACK:
        raise RequestError(
            "only a rollback can be promoted immediately", hint="have it reviewed"
        )
    if not policy.lets_roll_back(proposal.origin):
        raise ConflictError(
            f"the policy lets {policy.rollback_now} roll back without an approval",
            hint=f"proposal {proposal.number} needs an approval: skillforge review "
            f"{proposal.number} --approve, then skillforge promote {proposal.number}",
        )


def _message(
    proposal: Proposal, verdict: Verdict, approvals: list[Approval], now_by: str
) -> str:
    named = trailers.read(proposal.message).get("Proposed-By", [])
    lines = [
        ("Proposal", str(proposal.number)),
        ("Opened-By", "" if proposal.author in named else proposal.author),
        *(("Approved-By", approval.by) for approval in approvals),
        (NOW, now_by),
        ("Approved-Tree", verdict.tree),
        ("Checks-Digest", f"sha256:{verdict.digest}"),
        ("Scan", verdict.danger or ""),
        ("Policy", verdict.policy or "none"),
    ]
    title = f"Merge proposal {proposal.number}: {proposal.title}"
    return trailers.message(title, "", lines)


def refresh(workspace: Workspace, number: int) -> Proposal:
    """Rebase a proposal onto today's main; its approvals are void."""
    library, forge, by = workspace.library, workspace.forge, workspace.by
    with forge.exclusive():
        proposal = _current(workspace, number)
        review.require_open(proposal)
        tip = library.tip
        if proposal.base == tip and not is_old(proposal, library.policy(tip), by):
            return proposal
        try:
            tree = review.merged_tree(library, proposal, tip)
        except ConflictError as err:
            raise ConflictError(
                f"proposal {number} conflicts with {library.main}: {err.message}",
                hint="resolve it in the draft, and propose that with --supersede; or "
                f"skillforge close {number}",
            ) from err
        changes = list(_rebased_changes(workspace, proposal, tip, tree))
        if all(change.data is not None for change in changes):  # at most a new version
            raise ConflictError(
                f"proposal {number} changes nothing on {library.main}: its change was "
                "merged or rolled back, or the skill was moved",
                hint=f"skillforge close {number}, and propose it again",
            )
        # Authors remain authors, so that none of them can approve the new commit.
        authors = [("Proposed-By", who) for who in review.authors(library, proposal)]
        message = proposal.message or trailers.message(proposal.title, "", ())
        commit = NewCommit([tip], trailers.added(message, authors), by, changes)
        refreshed = forge.update(proposal, commit, tip, by)
    forge.describe(refreshed, partial(review_page.of, workspace))
    return refreshed


def _rebased_changes(
    workspace: Workspace, proposal: Proposal, tip: str, tree: str
) -> Iterator[TreeChange]:
    """What a proposal changes on another base, limited to what it may touch."""
    repo = workspace.repo
    if proposal.action is Action.WAIVE:
        merged = repo.name_of(f"{tree}:{WAIVERS_FILE}")
        if merged != repo.name_of(f"{tip}:{WAIVERS_FILE}"):
            yield TreeChange(WAIVERS_FILE, object=merged)
        return
    path_of = workspace.library.path_of
    beside = (f"{top}/{n}" for n in proposal.skills for top in (EVIDENCE, ARCHIVE))
    for path in (*map(path_of, proposal.skills), *beside):
        merged, current = repo.names_of([f"{tree}:{path}", f"{tip}:{path}"])
        if merged != current:
            yield TreeChange(path, mode="040000", object=merged)
    if proposal.action is Action.ROLLBACK:
        return
    path = f"{path_of(proposal.skill)}/{SKILL_FILE}"
    before, after = repo.find(f"{tip}:{path}"), repo.find(f"{tree}:{path}")
    if before and after:
        old, own = readable_version.of(before.data), readable_version.of(after.data)
        version = readable_version.raised(old, own, None)
        data = readable_version.stamped(after.data, version)
        if data != after.data:
            yield TreeChange(path, data)


def expire(workspace: Workspace) -> list[Proposal]:
    """Close proposals that are older than the policy allows."""
    library, forge, by = workspace.library, workspace.forge, workspace.by
    policy = library.policy(library.tip)
    comment = Comment(str(by), f"older than {policy.days_limit} days", by.seconds)
    return [
        forge.close(proposal, State.EXPIRED, comment, by)
        for proposal in forge.proposals(only_open=True)
        if is_old(proposal, policy, by)
    ]
