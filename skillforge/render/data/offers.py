"""Drafts that a command proposed, as the `data` of `--json`."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from skillforge.workflows.offers import OfferBatch


class OfferRow(TypedDict):
    """A draft: its proposal, or why there is none.

    `refused` is the proposal of the same draft that a reviewer closed.
    """

    skill: str
    proposal: int | None
    created: bool
    why_not: str | None
    refused: int | None


def offers(batch: "OfferBatch") -> list[OfferRow]:
    return [
        {
            "skill": offer.draft.skill,
            "proposal": offer.number,
            "created": offer.created,
            "why_not": offer.why_not or None,
            "refused": offer.refused,
        }
        for offer in batch.offers
    ]
