"""`skillforge import-pending`: propose the changes that Hermes holds back."""

from pathlib import Path

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
)
from skillforge.render import data, text


@click.command("import-pending")
@click.argument(
    "folder", required=False, type=click.Path(file_okay=False, path_type=Path)
)
@click.option("--clear", is_flag=True, help="Remove records of closed proposals.")
@as_option
@forge_options
@click.pass_obj
def import_pending(
    settings: GlobalOptions, folder: Path | None, clear: bool, speaks_for: str | None
) -> CommandResult:
    """Turn changes pending approval in Hermes into proposals.

    Hermes with `skills.write_approval: true` stores them in ~/.hermes/pending/skills.
    Each record becomes one proposal, also if this runs again. A record whose proposal
    was merged or closed is reported, and --clear removes it.

    \b
    skillforge import-pending
    skillforge import-pending --clear

    Exits 1 if a record could not be proposed; the others were.
    """
    workflow = workflows.import_pending
    workspace = settings.workspace(speaks_for or workflow.USER)
    result = workflow.import_pending(workspace, folder, clear=clear)
    return CommandResult(
        {**data.proposals.import_pending(result)},
        text.proposals.import_pending(result),
        result.ok,
    )
