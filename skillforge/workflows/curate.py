"""Find skills that are stale, duplicate or broken; archive, merge or repair them."""

from dataclasses import dataclass, replace

from skillforge.history.lineage import require_skill
from skillforge.model import Draft, Origin
from skillforge.operate import archive, curate, skill_edits
from skillforge.operate.curate import CurationReport
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.workspace import Workspace
from skillforge.workflows.offers import OfferBatch, offer_drafts
from skillforge.workflows.submit import SubmissionBatch, submit


@dataclass(frozen=True, slots=True)
class Curation:
    """The findings, and with `propose` the proposals that follow from them."""

    report: CurationReport
    offers: OfferBatch | None = None

    @property
    def is_dry(self) -> bool:
        return self.offers is None

    @property
    def ok(self) -> bool:
        """Whether every draft has a proposal, or had one that a reviewer closed."""
        offers = self.offers.offers if self.offers else ()
        return all(offer.number or offer.refused for offer in offers)


def curate_skills(
    workspace: Workspace, names: tuple[str, ...] = (), *, propose: bool = False
) -> Curation:
    """Check these skills, or all; with `propose`, act on the findings."""
    library = workspace.library
    tip = workspace.base if propose else library.tip
    for name in names:
        require_skill(library, tip, name)
    report = curate.curate(library, tip, names)
    if not propose:
        return Curation(report)
    drafts = [finding.draft for finding in report.findings if finding.draft]
    return Curation(report, offer_drafts(workspace, drafts, again=bool(names)))


@dataclass(frozen=True, slots=True)
class Restoration:
    """A version that is back from the archive, once its proposal is merged."""

    skill: str
    version: str
    submission: SubmissionBatch | None = None


def restore(
    workspace: Workspace, name: str, why: str = "", *, propose: bool = False
) -> Restoration:
    """Restore a skill from the archive; without `propose`, only check if it works."""
    library = workspace.library
    tip = workspace.base if propose else library.tip
    draft = archive.restored(library, tip, name, why or f"Restore {name}")
    submission = _submit(workspace, draft) if propose else None
    return Restoration(name, draft.restores[name], submission)


@dataclass(frozen=True, slots=True)
class PinRequest:
    """Which skill to pin or unpin, and for whom."""

    skill: str
    is_pinned: bool
    why: str = ""
    origin: Origin = Origin.HUMAN
    supersede: bool = False


def pin(workspace: Workspace, request: PinRequest) -> SubmissionBatch | None:
    """Propose to pin or unpin a skill; None if it already is."""
    name, is_pinned = request.skill, request.is_pinned
    draft = skill_edits.pinned(
        workspace.library, workspace.base, name, is_wanted=is_pinned
    )
    if draft is None:
        return None
    why = request.why or f"{'Pin' if is_pinned else 'Unpin'} {name}"
    wanted = replace(draft, why=why, origin=request.origin)
    return _submit(workspace, wanted, supersede=request.supersede)


def _submit(
    workspace: Workspace, draft: Draft, *, supersede: bool = False
) -> SubmissionBatch:
    request = ProposalRequest(draft, workspace.base, supersede=supersede)
    return submit(workspace, [request])
