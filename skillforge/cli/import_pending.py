"""`skillforge import-pending`: proposals from the changes that Hermes holds back."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
)

if TYPE_CHECKING:
    from skillforge.workflows.import_pending import ImportedRecord


@click.command("import-pending")
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--clear", is_flag=True, help="Remove records that were decided on.")
@as_option
@forge_options
@click.pass_obj
def import_pending(
    settings: GlobalOptions, folder: str | None, clear: bool, speaks_for: str | None
) -> CommandResult:
    """Turn what Hermes holds back for approval into proposals.

    Hermes with `skills.write_approval: true` keeps writes in ~/.hermes/pending/skills.
    Each becomes a proposal, once, however often this runs; one that was merged or
    closed is reported, and --clear removes its record.

    \b
    skillforge import-pending
    skillforge import-pending --clear

    Exits 1 if a record could not be proposed; the others were.
    """
    from pathlib import Path

    from skillforge.agents import skills_folder
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows import import_pending as imports

    place = skills_folder("hermes").parent / "pending" / "skills"
    who = speaks_for or "hermes (agent) <hermes@agents.invalid>"
    workspace = Workspace.at(settings.start, who, settings.choice)
    done = imports.import_pending(workspace, Path(folder) if folder else place)
    gone = imports.remove_decided(done) if clear else []
    return _imported(done, [path.name for path in gone])


def _imported(done: "list[ImportedRecord]", gone: list[str]) -> CommandResult:
    from skillforge.render.data.proposals import opened
    from skillforge.report import printable

    rows, lines = [], []
    for it in done:
        row: dict[str, Any] = {"id": it.id, "proposal": None, "why_not": it.why_not}
        if it.proposal is None:
            lines.append(f"{it.id}: not proposed: {it.why_not}")
        else:
            row |= opened(it.proposal, it.created) | {"why_not": None}
            how = "opened" if it.created else it.proposal.state
            lines.append(f"{it.id}: proposal {it.proposal.number}, {how}")
        rows.append(row)
    lines += [f"removed {name}" for name in gone]
    if any(it.is_decided for it in done) and not gone:
        lines.append("--clear removes the records of what was merged or closed")
    text = "\n".join(map(printable, lines or ["Hermes holds nothing back"]))
    is_fine = all(it.proposal for it in done)
    return CommandResult({"records": rows, "cleared": gone}, text, ok=is_fine)
