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
    lines = [line for found in report.refinements for line in _lines(found)]
    if report.is_dry and any(found.draft for found in report.refinements):
        lines.append("next: skillforge refine --propose")
    text = "\n".join(map(printable, lines)) or "nothing to refine"
    return with_offers(text, report.offers)


def _lines(found: "Refinement") -> Iterator[str]:
    if found.is_failing:
        yield f"{found.summary}; rewrite it (--agent CMD) or archive it (--retire)"
    for lesson in found.added:
        count = plural(lesson.reports, "report")
        yield f'{found.skill}: add "{lesson.text}" ({count})'
    for lesson, why in found.waiting:
        yield f'{found.skill}: skip "{lesson.text}": {why}'
