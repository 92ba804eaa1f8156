"""Check a proposal or a branch with the gate; approve, reject, comment, refresh."""

from dataclasses import dataclass

from skillforge.model import Proposal, Verdict
from skillforge.propose import gate, promote, review, review_page
from skillforge.propose.candidate import Candidate
from skillforge.propose.review import ReviewBrief
from skillforge.propose.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """A proposal after an approval, and the next step."""

    proposal: Proposal
    is_refused: bool  # by the gate
    next_step: str


def check_proposal(workspace: Workspace, number: int) -> Verdict:
    """Run the gate on a proposal; the verdict is stored with it."""
    checked = review.check(workspace, workspace.forge.get(number))
    assert checked.verdict is not None
    workspace.forge.report(checked.number, review_page.report(checked.verdict))
    return checked.verdict


def check_branch(workspace: Workspace, base: str, head: str) -> Verdict:
    """Run the gate on a branch, by the policy and rules of its base."""
    library = workspace.library
    return gate.judge(library, Candidate.between(library, base, head))


def brief(workspace: Workspace, number: int) -> ReviewBrief:
    """What a reviewer needs to decide."""
    return review.brief(workspace, number)


def comment(workspace: Workspace, number: int, text: str) -> None:
    review.comment(workspace, number, text)


def approve(workspace: Workspace, number: int, head: str = "") -> ReviewDecision:
    """Approve exactly what is proposed now; it must be `head`, if that is given."""
    proposal = review.approve(workspace, number, head)
    is_refused = review.is_refused(proposal)
    next_step = review.next_step(workspace.library, proposal, not is_refused)
    return ReviewDecision(proposal, is_refused, next_step)


def reject(workspace: Workspace, number: int, why: str) -> Proposal:
    """Reject a proposal, which closes it."""
    return review.reject(workspace, number, why)


def refresh(workspace: Workspace, number: int) -> Proposal:
    """Rebase a proposal onto today's main; its approvals are void."""
    return promote.refresh(workspace, number)


def close(workspace: Workspace, number: int, why: str) -> Proposal:
    """Close a proposal without merging it."""
    return review.close(workspace, number, why or "closed")
