"""Drafts that a command proposed, as text."""

from typing import TYPE_CHECKING

from skillforge.render.text.proposals import with_note
from skillforge.report import printable

if TYPE_CHECKING:
    from skillforge.workflows.offers import Offer, OfferBatch


def with_offers(text: str, batch: "OfferBatch | None") -> str:
    """A text, followed by what became of each draft."""
    if batch is None:
        return text
    return with_note("\n".join([text, *map(_line, batch.offers)]), batch.note)


def _line(offer: "Offer") -> str:
    skill, number = offer.draft.skill, offer.number
    if number is None:
        return printable(f"{skill}: not proposed: {offer.why_not}")
    how = "" if offer.created else ", already open"
    return printable(f"{skill}: proposal {number}{how}; skillforge review {number}")
