"""Propose drafts that a command generated: one proposal each, or why there is none."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.model import Draft, State
from skillforge.propose.admission import is_old
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.submit import Submission, propose
from skillforge.propose.workspace import Workspace


class Offer(NamedTuple):
    """What became of a generated draft: a proposal, or why there is none."""

    draft: Draft
    number: int | None = None
    created: bool = False
    why_not: str = ""
    refused: int | None = None  # the closed proposal of the same draft


@dataclass(frozen=True, slots=True)
class OfferBatch:
    """What became of each draft; `note` is a remark of the forge."""

    offers: tuple[Offer, ...]
    note: str = ""


def offer_drafts(
    workspace: Workspace, drafts: Iterable[Draft], *, again: bool
) -> OfferBatch:
    """Propose each draft whose skills have no open proposal.

    A draft that a reviewer closed before is proposed only `again`.
    """
    forge, by = workspace.forge, workspace.by
    policy = workspace.library.policy(workspace.base)
    waiting = forge.blocking_proposals()
    latest = {} if again else {p.digest: p for p in forge.proposals()}
    offers = []
    for draft in drafts:
        previous = latest.get(draft.digest)
        if previous is not None and previous.state is State.CLOSED:
            why = f"the same proposal ({previous.number}) was closed"
            offers.append(Offer(draft, why_not=why, refused=previous.number))
            continue
        rivals = (p for p in waiting if not set(draft.skills).isdisjoint(p.skills))
        open_rival = next((p for p in rivals if not is_old(p, policy, by)), None)
        if open_rival is not None:
            offers.append(Offer(draft, open_rival.number))
            continue
        request = ProposalRequest(draft, workspace.base)
        try:
            [submission] = propose(workspace, [request])
        except (ConflictError, RequestError) as err:
            offers.append(Offer(draft, why_not=err.message))
            continue
        if submission.proposal is not None:
            waiting.append(submission.proposal)
        offers.append(_offer(draft, submission))
    return OfferBatch(tuple(offers), forge.note)


def _offer(draft: Draft, submission: Submission) -> Offer:
    proposal, findings = submission.proposal, submission.report.findings
    if proposal is not None:
        return Offer(draft, proposal.number, submission.created)
    errors = (f for f in findings if f.blocks)
    return Offer(draft, why_not=f"the draft is not valid: {next(errors).message}")
