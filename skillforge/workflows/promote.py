"""Promote a proposal and start the rollout that follows; roll back a skill."""

from dataclasses import dataclass
from pathlib import Path

from skillforge.errors import SkillforgeError
from skillforge.model import Action, Proposal, Rollout
from skillforge.propose import checkout_sync, rollback
from skillforge.propose import promote as merges
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.rollback import RollbackRequest as RollbackRequest
from skillforge.propose.submit import propose
from skillforge.propose.workspace import Workspace
from skillforge.workflows.rollout_start import MergedChange, start_rollout


@dataclass(frozen=True, slots=True)
class Promotion:
    """A proposal after its promotion; `merge` is empty if the gate refused it.

    `version` is the skill's tree on main now, empty if it was removed. `problem` says
    why a rollout that the policy asks for was not started.
    """

    proposal: Proposal
    was_merged: bool = False  # before this call
    left_behind: tuple[Path, ...] = ()  # checkouts of main that were not updated
    version: str = ""
    rollout: Rollout | None = None
    problem: str = ""

    @property
    def merge(self) -> str:
        return self.proposal.merge


def promote(workspace: Workspace, number: int, *, now: bool = False) -> Promotion:
    """Merge a proposal; `now` merges a rollback at once, if the policy allows it."""
    result = merges.promote(workspace, number, now=now)
    proposal = result.proposal
    if not proposal.merge:
        return Promotion(*result)
    version = workspace.library.skill_tree(proposal.merge, proposal.skill)
    merged = MergedChange(
        proposal.skill, proposal.action, proposal.merge, proposal.number
    )
    return Promotion(*result, version, *start_rollout(workspace, merged))


@dataclass(frozen=True, slots=True)
class Rollback:
    """The proposal that restores a version, and its promotion if it was at once."""

    proposal: Proposal
    created: bool
    version: str
    promotion: Promotion | None = None


def roll_back(
    workspace: Workspace, request: RollbackRequest, *, supersede: bool = False
) -> Rollback:
    """Propose an earlier version again; merge it if the request is for at once."""
    base = workspace.base
    if request.at_once and (unfinished := _finish(workspace, request)):
        return unfinished
    draft = rollback.draft_of(workspace.library, request)
    proposed = ProposalRequest(draft, base, supersede=supersede)
    [submission] = propose(workspace, [proposed])
    proposal, version = submission.proposal, draft.restores[request.name]
    assert proposal is not None
    at_once = request.at_once
    promotion = promote(workspace, proposal.number, now=True) if at_once else None
    return Rollback(proposal, submission.created, version, promotion)


def _finish(workspace: Workspace, request: RollbackRequest) -> Rollback | None:
    """Finish a move of main that another process left unfinished.

    If that was a rollback of the same skill, the user is trying it again: return it.
    """
    move = checkout_sync.finish(workspace)
    if move is None or not move.proposal or request.to:
        return None
    try:
        proposal = workspace.forge.get(move.proposal)
    except SkillforgeError:
        return None  # a damaged record doesn't stop a new rollback
    if (proposal.skill, proposal.action) != (request.name, Action.ROLLBACK):
        return None
    promotion = promote(workspace, move.proposal, now=True)
    return Rollback(promotion.proposal, False, promotion.version, promotion)
