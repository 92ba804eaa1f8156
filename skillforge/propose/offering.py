"""Offer many drafts of the curator's: one proposal each, whatever becomes of others."""

from collections.abc import Iterable
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Forge
from skillforge.gitrepo.writing import Who
from skillforge.library import Library
from skillforge.model import Draft, Proposal, Severity, State
from skillforge.propose.admission import Request, is_old
from skillforge.propose.opening import propose


class Offer(NamedTuple):
    """What became of a draft: a proposal, or why there is none."""

    draft: Draft
    number: int | None = None
    created: bool = False
    why_not: str = ""
    refused: int | None = None  # the proposal of the same that was closed


def offer(  # noqa: PLR0913 - what a proposal takes, and how to ask
    library: Library,
    forge: Forge,
    drafts: Iterable[Draft],
    base: str,
    by: Who,
    *,
    again: bool = False,
) -> list[Offer]:
    """Open a proposal for each draft whose skills have none.

    What a reviewer has refused is not asked a second time, unless `again`.
    """
    return [_offer(library, forge, draft, base, by, again) for draft in drafts]


def _offer(  # noqa: PLR0913, PLR0917 - as above
    library: Library, forge: Forge, draft: Draft, base: str, by: Who, again: bool
) -> Offer:
    policy = library.policy(base)
    for proposal in forge.waiting():
        is_rival = not set(draft.skills).isdisjoint(proposal.skills)
        if is_rival and not is_old(proposal, policy, by):
            return Offer(draft, proposal.number)
    if not again and (refused := _refused(forge, draft)):
        why = f"proposal {refused.number}, the same as this, was not wanted"
        return Offer(draft, why_not=why, refused=refused.number)
    try:
        [outcome] = propose(library, forge, [Request(draft, base)], by)
    except (ConflictError, RequestError) as err:
        return Offer(draft, why_not=err.message)
    if outcome.proposal is None:
        errors = (f for f in outcome.report.findings if f.severity is Severity.ERROR)
        return Offer(draft, why_not=f"it is not valid: {next(errors).message}")
    return Offer(draft, outcome.proposal.number, outcome.created)


def _refused(forge: Forge, draft: Draft) -> Proposal | None:
    """The last proposal of the same draft, if somebody closed it."""
    same = [p for p in forge.proposals() if p.digest == draft.digest]
    return same[-1] if same and same[-1].state is State.CLOSED else None
