"""`skillforge verify`: how skills on disk differ from the lock."""

from typing import Any

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.install import install_target, target_options


@click.command()
@target_options
@common_options
@click.pass_obj
def verify(_settings: GlobalOptions, /, **options: Any) -> CommandResult:
    """Show how the skills on disk differ from skills-lock.json.

    Lists every file that is missing, changed or extra. Fetches nothing. Exits 0 if
    everything is as it was installed, 1 if anything differs.
    """
    from skillforge.render.data import install as install_data
    from skillforge.render.text import install as install_text
    from skillforge.workflows.install import verify as verify_lock

    result = verify_lock(install_target(options))
    return CommandResult(
        install_data.verify(result), install_text.verify(result), ok=result.ok
    )
