"""`skillforge why`: the reasons behind a skill."""

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
def why(settings: GlobalOptions, name: str) -> CommandResult:
    """Explain why a skill is what it is: from examples to releases and reverts.

    Follows a skill through renames and consolidations, and after its removal.
    """
    found = history.why(Workspace.at(settings.start), name)
    return CommandResult(data.history.why(found), text.history.why(found))
