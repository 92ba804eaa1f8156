"""`skillforge new`: a skill from a template."""

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.library import Library
from skillforge.scaffold import new_skill


@click.command()
@click.argument("name")
@click.option("--description", default="", help="What it does, and when to use it.")
@common_options
@click.pass_obj
def new(settings: GlobalOptions, name: str, description: str) -> CommandResult:
    """Create a skill from a template: skills/NAME/SKILL.md."""
    library = Library.open(settings.start)
    path = new_skill(library, name, description).relative_to(library.root).as_posix()
    shown = (
        f"wrote {path}\n"
        f"next: edit it, then skillforge validate {name} and skillforge propose {name}"
    )
    return CommandResult({"skill": name, "path": path}, shown)
