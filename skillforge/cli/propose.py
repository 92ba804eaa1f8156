"""The commands of the Propose stage."""

import click

from skillforge.cli.base import Answer, Settings, common_options


@click.command()
@click.argument("name")
@click.option("--description", default="", help="What it does and when to use it.")
@common_options
@click.pass_obj
def new(settings: Settings, name: str, description: str) -> Answer:
    """Make a skill from a template: skills/NAME/SKILL.md."""
    from skillforge.library import Library
    from skillforge.scaffold import new_skill

    library = Library.open(settings.start)
    path = new_skill(library, name, description).relative_to(library.root)
    data = {"skill": name, "path": path.as_posix()}
    words = (
        f"wrote {path.as_posix()}\nnext: fill it in, then skillforge validate {name}"
    )
    return Answer(data, words)
