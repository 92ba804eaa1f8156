"""`skillforge list`: the skills of main."""

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    revision_option,
)
from skillforge.render import data, text


@click.command("list")
@revision_option
@common_options
@click.pass_obj
def list_(settings: GlobalOptions, rev: str | None) -> CommandResult:
    """List the skills of main: name and description.

    Reads commits, not the checkout; works in a bare repository too.

    \b
    skillforge list
    skillforge list --rev v1.0.0      as of a release
    """
    result = workflows.skills.list_skills(settings.main_library(), rev)
    return CommandResult({**data.skills.list_(result)}, text.skills.list_(result))
