"""`skillforge log`: the versions of a skill."""

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows import history


@click.command()
@click.argument("name", shell_complete=completions.skills)
@common_options
@click.pass_obj
def log(settings: GlobalOptions, name: str) -> CommandResult:
    """List the versions of a skill on main, newest first.

    Each entry has the readable version, tree, date, proposal, author and approvers,
    and the commit that reverted it, if any. Also works for a skill that was removed.
    """
    versions = history.log(Workspace.at(settings.start), name)
    return CommandResult(data.history.log(name, versions), text.history.log(versions))
