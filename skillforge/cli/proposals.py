"""`skillforge proposals`: the proposals that wait for review."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.render import data, text


@click.command()
@click.option("--all", "show_all", is_flag=True, help="Also show closed proposals.")
@click.option(
    "--expire", is_flag=True, help="Close proposals past the policy's age limit."
)
@as_option
@forge_options
@click.pass_obj
def proposals(
    settings: GlobalOptions, show_all: bool, expire: bool, speaks_for: str | None
) -> CommandResult:
    """List proposals: state, age, skill, checks, conflicts with main, author.

    Text shows open proposals; --json lists all of them.
    """
    only_open = not (show_all or settings.json or expire)
    result = workflows.proposals.list_proposals(
        settings.workspace(speaks_for), only_open=only_open, expire=expire
    )
    return CommandResult(
        data.proposals.proposals(result),
        text.proposals.proposals(result, show_all=show_all),
    )
