"""Refinements as the `data` of `--json`."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

from skillforge.render.data.offers import OfferRow, offers

if TYPE_CHECKING:
    from skillforge.operate.refine import Refinement
    from skillforge.workflows.refine import RefineReport


class PitfallRow(TypedDict):
    """A pitfall that is added to a skill, and how many keys reported it."""

    text: str
    reports: int


class WaitingPitfall(PitfallRow):
    """A pitfall that is not added."""

    why: str


class RefinementRow(TypedDict):
    """What the uses of a skill suggest to change."""

    skill: str
    failing: bool
    verified: int
    interval: list[float]
    added: list[PitfallRow]
    waiting: list[WaitingPitfall]


class RefineData(TypedDict):
    """The answer of `refine`; `proposals` with --propose, if there are drafts."""

    refinements: list[RefinementRow]
    proposals: NotRequired[list[OfferRow]]


class BriefsData(TypedDict):
    """The answer of `refine --brief`: instructions for an agent, by skill."""

    briefs: dict[str, str]


def refine(report: "RefineReport") -> RefineData:
    data: RefineData = {
        "refinements": [_row(refinement) for refinement in report.refinements]
    }
    if report.offers:
        data["proposals"] = offers(report.offers)
    return data


def _row(refinement: "Refinement") -> RefinementRow:
    return {
        "skill": refinement.skill,
        "failing": refinement.is_failing,
        "verified": refinement.uses.verified,
        "interval": [round(bound, 4) for bound in refinement.uses.interval],
        "added": [
            {"text": lesson.text, "reports": lesson.reports}
            for lesson in refinement.added
        ],
        "waiting": [
            {"text": lesson.text, "reports": lesson.reports, "why": why}
            for lesson, why in refinement.waiting
        ],
    }
