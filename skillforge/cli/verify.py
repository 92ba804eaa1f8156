"""`skillforge verify`: how skills on disk differ from the lock."""

from typing import Any

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.install import install_target, target_options
from skillforge.render import data, text


@click.command()
@target_options
@common_options
@click.pass_obj
def verify(_settings: GlobalOptions, /, **options: Any) -> CommandResult:
    """Show how the skills on disk differ from skills-lock.json.

    Lists every file that is missing, changed or extra. Fetches nothing. Exits 1 if
    anything differs.
    """
    result = workflows.install.verify(install_target(options))
    return CommandResult(
        data.install.verify(result), text.install.verify(result), result.ok
    )
