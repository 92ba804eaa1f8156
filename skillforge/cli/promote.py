"""`skillforge promote`: merge an approved proposal."""

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.output import use_colour
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows import promote as promotions


@click.command()
@click.argument("number", type=int, shell_complete=completions.proposals)
@as_option
@forge_options
@click.pass_obj
def promote(
    settings: GlobalOptions, number: int, speaks_for: str | None
) -> CommandResult:
    """Merge a proposal into main, if its exact bytes were checked and approved.

    The gate runs once more. A clean checkout of main is updated. With uncommitted
    changes in it, nothing is merged; on GitHub, the checkout is left alone.

    Exits 1 if the gate refuses it, 4 if approvals are missing, main has moved or the
    checkout has uncommitted changes.
    """
    workspace = Workspace.at_work(settings.start, speaks_for, settings.choice)
    result = promotions.promote(workspace, number)
    main = workspace.library.main
    return CommandResult(
        data.proposals.promotion(result),
        text.proposals.promotion(result, main, colour=use_colour()),
        ok=bool(result.merge),
    )
