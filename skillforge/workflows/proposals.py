"""List proposals, show one, and close those that are too old."""

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
    expired = promote.expire(workspace) if expire else []
    rows = [
        proposal_row(proposal, review.conflicts(library, proposal))
        for proposal in forge.detailed(forge.proposals(only_open=only_open))
    ]
    unreadable = tuple(forge.unreadable.values())
    return ProposalList(tuple(rows), tuple(expired), unreadable, forge.note)


def find_proposal(workspace: Workspace, number: int) -> tuple[Proposal, bool | None]:
    """A proposal with its approvals and checks, and whether it conflicts with main."""
    forge = workspace.forge
    proposal = forge.get(number)
    forge.look()
    [detailed] = forge.detailed([proposal])
    return detailed, review.conflicts(workspace.library, detailed)
