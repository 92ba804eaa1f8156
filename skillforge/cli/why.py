"""`skillforge why`: the reasons behind each version of a skill."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.skill_name import skill_argument
from skillforge.render import data, text


@click.command()
@skill_argument()
@common_options
@click.pass_obj
def why(settings: GlobalOptions, name: str) -> CommandResult:
    """Explain every version of a skill: reasons, examples, releases and reverts.

    Follows renames and consolidations, and works for a removed skill.
    """
    history = workflows.history.why(settings.workspace(), name)
    return CommandResult(data.history.why(history), text.history.why(history))
