"""`skillforge proposals`: what waits for review."""

import click

from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows.proposals import list_proposals


@click.command()
@click.option("--all", "show_all", is_flag=True, help="Show closed ones, too.")
@click.option("--expire", is_flag=True, help="Close those past the policy's age limit.")
@as_option
@forge_options
@click.pass_obj
def proposals(
    settings: GlobalOptions, show_all: bool, expire: bool, speaks_for: str | None
) -> CommandResult:
    """List proposals: state, age, skill, checks, conflicts with main, author.

    Text shows open proposals; --json lists all of them.
    """
    workspace = Workspace.at(settings.start, speaks_for, settings.choice)
    only_open = not (show_all or settings.json or expire)
    found = list_proposals(workspace, only_open=only_open, expire=expire)
    shown = text.proposals.proposals(found, show_all=show_all)
    return CommandResult(data.proposals.proposals(found), shown)
