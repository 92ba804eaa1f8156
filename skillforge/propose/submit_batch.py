"""Offer many drafts of the curator's: one proposal each, whatever becomes of others."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Forge
from skillforge.gitrepo.ref_update import Signature
from skillforge.library import Library
from skillforge.model import Draft, Proposal, Severity, State
from skillforge.propose.admission import ProposalRequest, is_old
from skillforge.propose.submit import propose


class Offer(NamedTuple):
    """What became of a draft: a proposal, or why there is none."""

    draft: Draft
    number: int | None = None
    created: bool = False
    why_not: str = ""
    refused: int | None = None  # the proposal of the same that was closed


@dataclass
class _OpenProposals:
    """What the forge holds, asked for once."""

    library: Library
    forge: Forge
    base: str
    by: Signature
    waiting: list[Proposal]
    every: list[Proposal]


def offer(
    library: Library, forge: Forge, base: str, by: Signature, drafts: Iterable[Draft]
) -> list[Offer]:
    """Open a proposal for each draft whose skills have none.

    What a reviewer has refused is not asked a second time.
    """
    wanted = list(drafts)
    if not wanted:
        return []
    workspace = _OpenProposals(
        library, forge, base, by, forge.blocking_proposals(), forge.proposals()
    )
    return [_refused(workspace, draft) or _opened(workspace, draft) for draft in wanted]


def _refused(workspace: _OpenProposals, draft: Draft) -> Offer | None:
    """What became of the same draft the last time, if somebody closed it."""
    same = [p for p in workspace.every if p.digest == draft.digest]
    if not same or same[-1].state is not State.CLOSED:
        return None
    number = same[-1].number
    why = f"proposal {number}, the same as this, was closed"
    return Offer(draft, why_not=why, refused=number)


def offer_again(
    library: Library, forge: Forge, base: str, by: Signature, drafts: Iterable[Draft]
) -> list[Offer]:
    """The same for one who asks for it by name: it is asked a second time."""
    workspace = _OpenProposals(library, forge, base, by, forge.blocking_proposals(), [])
    return [_opened(workspace, draft) for draft in drafts]


def _opened(workspace: _OpenProposals, draft: Draft) -> Offer:
    policy = workspace.library.policy(workspace.base)
    for proposal in workspace.waiting:
        is_rival = not set(draft.skills).isdisjoint(proposal.skills)
        if is_rival and not is_old(proposal, policy, workspace.by):
            return Offer(draft, proposal.number)
    request = ProposalRequest(draft, workspace.base)
    try:
        [outcome] = propose(workspace.library, workspace.forge, [request], workspace.by)
    except (ConflictError, RequestError) as err:
        return Offer(draft, why_not=err.message)
    if outcome.proposal is None:
        errors = (f for f in outcome.report.findings if f.severity is Severity.ERROR)
        return Offer(draft, why_not=f"it is not valid: {next(errors).message}")
    workspace.waiting.append(outcome.proposal)
    return Offer(draft, outcome.proposal.number, outcome.created)
