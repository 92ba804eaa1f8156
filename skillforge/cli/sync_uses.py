"""`skillforge sync-uses`: exchange uses and rollouts with other machines."""

import click

from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows.sync_uses import sync_uses as exchange


@click.command("sync-uses")
@click.option(
    "--remote",
    default="",
    metavar="NAME|URL",
    help="The repository to exchange with [default: origin].",
)
@forge_options
@click.pass_obj
def sync_uses(settings: GlobalOptions, remote: str) -> CommandResult:
    """Exchange recorded uses and rollouts with other machines, through git refs.

    Each clone writes a log of its own (refs/skillforge/uses/<node>) and reads those of
    all others; a use counts once, however often it comes. What is pushed: outcomes,
    versions, times and redacted pitfalls. Keys are digests, and notes stay here.
    """
    workspace = Workspace.at(settings.start, None, settings.choice)
    done = exchange(workspace, remote)
    return CommandResult({**data.uses.sync_uses(done)}, text.uses.sync_uses(done))
