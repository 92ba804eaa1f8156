"""`skillforge refresh`: rebase a proposal onto the current main."""

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.review import decided


@click.command()
@click.argument("number", type=int, shell_complete=completions.proposals)
@as_option
@forge_options
@click.pass_obj
def refresh(
    settings: GlobalOptions, number: int, speaks_for: str | None
) -> CommandResult:
    """Rebase a stale proposal onto the current main; this voids its approvals."""
    workspace = settings.workspace(speaks_for, will_write=True)
    proposal = workflows.review.refresh(workspace, number)
    main = workspace.library.main
    return decided(
        proposal,
        f"rebased proposal {number} onto {main}\nnext: skillforge review {number}",
    )
