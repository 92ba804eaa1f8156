"""`skillforge close`: close a proposal without merging it."""

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.review import decided
from skillforge.propose.workspace import Workspace
from skillforge.workflows import review


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
    workspace = Workspace.at_work(settings.start, speaks_for, settings.choice)
    return decided(review.close(workspace, number, why), f"closed proposal {number}")
