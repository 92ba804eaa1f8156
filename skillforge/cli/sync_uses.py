"""`skillforge sync-uses`: exchange uses and rollouts with other machines."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.render import data, text


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

    Each clone writes its own log (refs/skillforge/uses/<node>) and reads the logs of
    all others; a use counts once. Outcomes, versions, times, digests of keys and
    redacted pitfalls are pushed; notes stay in this clone.
    """
    result = workflows.sync_uses.sync_uses(settings.workspace(), remote)
    return CommandResult({**data.uses.sync_uses(result)}, text.uses.sync_uses(result))
