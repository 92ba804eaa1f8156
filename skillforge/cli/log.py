"""`skillforge log`: the versions of a skill."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.skill_name import skill_argument
from skillforge.render import data, text


@click.command()
@skill_argument()
@common_options
@click.pass_obj
def log(settings: GlobalOptions, name: str) -> CommandResult:
    """List the versions of a skill on main, newest first.

    Each entry has the readable version, tree, date, proposal, author and approvers,
    and the commit that reverted it, if any. Works for a removed skill, too.
    """
    versions = workflows.history.log(settings.workspace(), name)
    return CommandResult(data.history.log(name, versions), text.history.log(versions))
