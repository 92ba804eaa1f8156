"""`skillforge promote`: merge an approved proposal."""

from typing import TYPE_CHECKING

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.gate import exit_code
from skillforge.cli.output import use_colour
from skillforge.render import data, text

if TYPE_CHECKING:
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows.promote import Promotion


@click.command()
@click.argument("number", type=int, shell_complete=completions.proposals)
@as_option
@forge_options
@click.pass_obj
def promote(
    settings: GlobalOptions, number: int, speaks_for: str | None
) -> CommandResult:
    """Merge a proposal into main if its exact bytes were checked and approved.

    The gate runs once more. A checkout of main is updated; if that would lose
    uncommitted changes, nothing is merged. On GitHub, the checkout isn't touched.

    Exits 1 if the gate refuses it, 3 if it could not run here, 4 if approvals are
    missing, main has moved or uncommitted changes are in the way.
    """
    workspace = settings.workspace(speaks_for, will_write=True)
    return promoted(workflows.promote.promote(workspace, number), workspace)


def promoted(
    result: "Promotion", workspace: "Workspace", created: bool = False
) -> CommandResult:
    """The result of each command that promotes a proposal."""
    main = workspace.library.main
    return CommandResult(
        data.proposals.promotion(result, created),
        text.proposals.promotion(result, main, colour=use_colour()),
        ok=bool(result.merge),
        code=None if result.merge else exit_code(result.proposal.verdict),
    )
