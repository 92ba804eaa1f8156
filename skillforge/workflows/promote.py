"""Promote a proposal and start the rollout that follows; take a skill back."""

from typing import NamedTuple

from skillforge.errors import SkillforgeError
from skillforge.model import SKILLS, Action, Proposal, Rollout
from skillforge.propose import checkout_sync, rollback
from skillforge.propose import promote as promotes
from skillforge.propose.admission import ProposalRequest
from skillforge.propose.promote import Promoted
from skillforge.propose.rollback import RollbackRequest as RollbackRequest
from skillforge.propose.submit import propose
from skillforge.propose.workspace import Workspace
from skillforge.workflows.rollout_start import MergedChange, start_rollout


class Promotion(NamedTuple):
    """What became of a promotion; its merge is empty if the gate refused it.

    `version` is the skill's tree on main now, empty where it is gone. `problem` tells
    why a rollout that the policy wants was not started.
    """

    done: Promoted
    version: str = ""
    rollout: Rollout | None = None
    problem: str = ""

    @property
    def proposal(self) -> Proposal:
        return self.done.proposal

    @property
    def merge(self) -> str:
        return self.done.proposal.merge


def promote(workspace: Workspace, number: int, *, now: bool = False) -> Promotion:
    """Merge a proposal; `now` is a rollback's, where the policy allows it."""
    done = promotes.promote(
        workspace.library, workspace.forge, number, workspace.by, now=now
    )
    proposal = done.proposal
    if not proposal.merge:
        return Promotion(done)
    path = f"{proposal.merge}:{SKILLS}/{proposal.skill}"
    version = workspace.library.repository().name_of(path)
    merged = MergedChange(
        proposal.skill, proposal.action, proposal.merge, proposal.number
    )
    return Promotion(done, version, *start_rollout(workspace, merged))


class Rollback(NamedTuple):
    """The proposal that restores a version, and its promotion if that was wished."""

    proposal: Proposal
    created: bool
    version: str
    promotion: Promotion | None = None


def roll_back(
    workspace: Workspace, wish: rollback.RollbackRequest, *, supersede: bool = False
) -> Rollback:
    """Propose an earlier version again; merge it if the wish is for at once."""
    base = workspace.base
    if wish.at_once and (again := _unfinished(workspace, wish)):
        return again
    draft = rollback.draft_of(workspace.library, wish)
    request = ProposalRequest(draft, base, supersede=supersede)
    [outcome] = propose(workspace.library, workspace.forge, [request], workspace.by)
    proposal = outcome.proposal
    assert proposal is not None
    promotion = promote(workspace, proposal.number, now=True) if wish.at_once else None
    version = draft.restores[wish.name]
    return Rollback(proposal, outcome.created, version, promotion)


def _unfinished(
    workspace: Workspace, wish: rollback.RollbackRequest
) -> Rollback | None:
    """Finish what a process left that died while it moved main.

    If that was a rollback of the same skill, the answer is that rollback: the caller is
    trying again.
    """
    move = checkout_sync.finish(workspace.library, workspace.forge)
    if move is None or not move.proposal or wish.to:
        return None
    try:
        proposal = workspace.forge.get(move.proposal)
    except SkillforgeError:
        return None  # a damaged record stops nothing else
    if (proposal.skill, proposal.action) != (wish.name, Action.ROLLBACK):
        return None
    made = promote(workspace, move.proposal, now=True)
    return Rollback(made.proposal, False, made.version, made)
