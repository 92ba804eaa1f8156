"""`skillforge new`: create a skill from a template."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.render import data, text


@click.command()
@click.argument("name")
@click.option("--description", default="", help="What it does, and when to use it.")
@common_options
@click.pass_obj
def new(settings: GlobalOptions, name: str, description: str) -> CommandResult:
    """Create a skill from a template: skills/NAME/SKILL.md."""
    library = settings.open_library()
    result = workflows.scaffold.new_skill(library, name, description)
    return CommandResult({**data.setup.new(result)}, text.setup.new(result))
