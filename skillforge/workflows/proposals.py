"""List proposals, and close those that are too old."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillforge.errors import SkillforgeError
from skillforge.model import Proposal
from skillforge.propose import promote, review
from skillforge.propose.workspace import Workspace
from skillforge.render.data.proposals import proposal_row

if TYPE_CHECKING:
    from skillforge.render.data.proposals import ProposalRow


@dataclass(frozen=True, slots=True)
class ProposalList:
    """Proposals, those that this call expired, and records that can't be read."""

    rows: "tuple[ProposalRow, ...]"
    expired: tuple[Proposal, ...]
    unreadable: tuple[SkillforgeError, ...]
    note: str = ""


def list_proposals(
    workspace: Workspace, *, only_open: bool, expire: bool = False
) -> ProposalList:
    """The proposals of the forge; `expire` closes those past the policy's age limit."""
    library, forge = workspace.library, workspace.forge
    expired = promote.expire(library, forge, workspace.by) if expire else []
    found = forge.detailed(forge.proposals(only_open=only_open))
    rows = [
        proposal_row(proposal, review.conflicts(library, proposal))
        for proposal in found
    ]
    unreadable = tuple(forge.unreadable.values())
    return ProposalList(tuple(rows), tuple(expired), unreadable, forge.note)
