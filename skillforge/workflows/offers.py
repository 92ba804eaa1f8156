"""What became of drafts that nobody wrote: one proposal each, or why there is none."""

from typing import TYPE_CHECKING, Any

from skillforge.render.text.proposals import with_note

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillforge.model import Draft
    from skillforge.propose.submit_batch import Offer
    from skillforge.propose.workspace import Workspace


def offered(
    desk: "Workspace",
    drafts: "Iterable[Draft]",
    data: dict[str, Any],
    text: str,
    *,
    again: bool,
) -> tuple[dict[str, Any], str]:
    """Put drafts up for review, and add to an answer what became of them."""
    from skillforge.propose.submit_batch import offer, offer_again

    put_up = offer_again if again else offer
    offers = put_up(desk.library, desk.forge, desk.base, desk.by, drafts)
    rows = [offer_row(one) for one in offers]
    lines = [offer_line(one) for one in offers]
    return data | {"proposals": rows}, with_note(
        "\n".join([text, *lines]), desk.forge.note
    )


def offer_row(one: "Offer") -> dict[str, Any]:
    return {
        "skill": one.draft.skill,
        "proposal": one.number,
        "created": one.created,
        "why_not": one.why_not or None,
        "refused": one.refused,
    }


def offer_line(one: "Offer") -> str:
    from skillforge.report import printable

    if one.number is None:
        return printable(f"{one.draft.skill} is not proposed: {one.why_not}")
    how = "" if one.created else ", open already"
    return printable(
        f"{one.draft.skill}: proposal {one.number}{how}; skillforge review {one.number}"
    )
