"""Refinements as text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillforge.render.text.offers import with_offers
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.operate.refine import Refinement
    from skillforge.workflows.refine import RefineReport


def refine(report: "RefineReport") -> str:
    """The changes that uses suggest, and the proposals for them."""
    lines = [line for refinement in report.refinements for line in _lines(refinement)]
    if report.is_dry and any(refinement.draft for refinement in report.refinements):
        lines.append("next: skillforge refine --propose")
    text = "\n".join(map(printable, lines)) or "nothing to refine"
    return with_offers(text, report.offers)


def _lines(refinement: "Refinement") -> Iterator[str]:
    if refinement.is_failing:
        yield f"{refinement.summary}; rewrite it (--agent CMD) or archive it (--retire)"
    for lesson in refinement.added:
        count = plural(lesson.reports, "report")
        yield f'{refinement.skill}: add "{lesson.text}" ({count})'
    for lesson, why in refinement.waiting:
        yield f'{refinement.skill}: skip "{lesson.text}": {why}'
