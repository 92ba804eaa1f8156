"""Propose drafts that a command made: one proposal each, or why there is none."""

from collections.abc import Iterable
from dataclasses import dataclass

from skillforge.model import Draft
from skillforge.propose import submit_batch
from skillforge.propose.submit_batch import Offer
from skillforge.propose.workspace import Workspace


@dataclass(frozen=True, slots=True)
class OfferBatch:
    """What became of each draft; `note` is a remark of the forge."""

    offers: tuple[Offer, ...]
    note: str = ""


def offer_drafts(
    workspace: Workspace, drafts: Iterable[Draft], *, again: bool
) -> OfferBatch:
    """Propose each draft; `again` includes those that a reviewer closed before."""
    offer = submit_batch.offer_again if again else submit_batch.offer
    forge = workspace.forge
    offers = offer(workspace.library, forge, workspace.base, workspace.by, drafts)
    return OfferBatch(tuple(offers), forge.note)
