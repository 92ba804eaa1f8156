"""`skillforge close`: close a proposal without merging it."""

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.review import decided


@click.command()
@click.argument("number", type=int, shell_complete=completions.proposals)
@click.option("--why", default="", help="The reason, for history.")
@as_option
@forge_options
@click.pass_obj
def close(
    settings: GlobalOptions, number: int, why: str, speaks_for: str | None
) -> CommandResult:
    """Close a proposal without merging it; its record and commits are kept."""
    workspace = settings.workspace(speaks_for, will_write=True)
    proposal = workflows.review.close(workspace, number, why)
    return decided(proposal, f"closed proposal {number}")
