"""`skillforge why`: the reasons behind a skill."""

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.render import data, text


@click.command()
@click.argument("name", shell_complete=completions.skills)
@common_options
@click.pass_obj
def why(settings: GlobalOptions, name: str) -> CommandResult:
    """Explain why a skill is what it is: from examples to releases and reverts.

    Follows a skill through renames and consolidations, and after its removal.
    """
    history = workflows.history.why(settings.workspace(), name)
    return CommandResult(data.history.why(history), text.history.why(history))
