"""Curation reports as the `data` of `--json`."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

from skillforge.render.data.offers import OfferRow, offers
from skillforge.render.data.proposals import SubmissionData
from skillforge.report import printable
from skillforge.text import CATALOG_TOKENS

if TYPE_CHECKING:
    from skillforge.operate.curate import CurationFinding
    from skillforge.workflows.curate import Curation, Restoration


class RemarkRow(TypedDict):
    """A finding on a skill, and the action that would fix it."""

    kind: str
    skill: str | None
    other: str | None
    message: str
    action: str | None
    left_alone: str | None


class LeftAloneRow(TypedDict):
    """A finding that the curator doesn't act on, and why."""

    skill: str
    kind: str
    reason: str


class CatalogData(TypedDict):
    """The size of all names and descriptions, and its limit, in tokens."""

    tokens: int
    budget: int


class CurateData(TypedDict):
    """The answer of `curate`; `proposals` with --propose."""

    remarks: list[RemarkRow]
    left_alone: list[LeftAloneRow]
    uses_recorded: bool
    catalog: CatalogData
    proposals: NotRequired[list[OfferRow]]


class RestorableData(TypedDict):
    """An archived version that `curate --restore` would restore."""

    skill: str
    version: str
    proposal: None


class RestoredData(SubmissionData):
    """The proposal of `curate --restore --propose`."""

    version: str


class PinnedData(TypedDict):
    """A skill that already is as `pin` or `unpin` would make it."""

    skill: str
    pinned: bool
    proposal: None
    created: bool


class PinProposalData(SubmissionData):
    """The proposal of `pin` or `unpin`."""

    pinned: bool


def curate(curation: "Curation") -> CurateData:
    report = curation.report
    data: CurateData = {
        "remarks": [_row(finding) for finding in report.findings],
        "left_alone": [
            {"skill": finding.skill, "kind": finding.kind, "reason": finding.left_alone}
            for finding in report.findings
            if finding.left_alone
        ],
        "uses_recorded": report.is_recorded,
        "catalog": {"tokens": report.tokens, "budget": CATALOG_TOKENS},
    }
    if curation.offers:
        data["proposals"] = offers(curation.offers)
    return data


def pinned(name: str, is_pinned: bool) -> PinnedData:
    return {"skill": name, "pinned": is_pinned, "proposal": None, "created": False}


def restorable(result: "Restoration") -> RestorableData:
    return {"skill": result.skill, "version": result.version, "proposal": None}


def _row(finding: "CurationFinding") -> RemarkRow:
    return {
        "kind": finding.kind,
        "skill": finding.skill or None,
        "other": finding.other or None,
        "message": printable(finding.message),
        "action": finding.action if finding.draft else None,
        "left_alone": finding.left_alone or None,
    }
