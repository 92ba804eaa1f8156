"""Drafts from patterns as text for a terminal."""

from typing import TYPE_CHECKING

from skillforge import report
from skillforge.model import EVIDENCE
from skillforge.render.text.proposals import finding_lines
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillforge.checks.overlap import Neighbour
    from skillforge.workflows.draft import DraftResult


def draft(result: "DraftResult", *, is_dry_run: bool, colour: bool) -> str:
    """A refused draft's findings, a dry run's SKILL.md, or what was written."""
    if result.is_refused:
        return (
            f"{report.text(result.report, colour=colour)}\nthe agent's draft is refused"
        )
    findings = finding_lines(result.report.findings, colour=colour)
    if is_dry_run:
        text = map(printable, result.learned.text.rstrip().split("\n"))
        return "\n".join([*text, *findings])
    return "\n".join([*findings, *map(printable, _written(result))])


def _written(result: "DraftResult") -> list[str]:
    learned = result.learned
    skill, evidence = learned.draft.skill, learned.draft.evidence
    inputs = ", ".join(field.name for field in learned.contract.inputs) or "none"
    held_out = len(learned.held_out.keys() & evidence.keys())
    return [
        f"wrote {result.folder}/ and {plural(len(evidence), 'example')} to "
        f"{EVIDENCE}/{skill}/, {held_out} of them held out",
        f"inputs: {inputs}; {plural(len(learned.contract.steps), 'step')}",
        f"next: read the draft, then skillforge propose {skill}",
    ]


def notes(
    result: "DraftResult", pattern: str, similar: "Sequence[Neighbour]" = ()
) -> list[str]:
    """Remarks for standard error: an idle agent, and skills that are similar."""
    lines = ["the agent changed nothing"] if result.is_unchanged else []
    skill = result.learned.draft.skill
    return lines + [
        f"{skill} is {near.similarity:.0%} similar to {near.name}; to edit that skill "
        f"instead: skillforge draft {pattern} --into {near.name}"
        for near in similar
    ]
