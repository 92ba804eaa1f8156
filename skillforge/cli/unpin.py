"""`skillforge unpin`: let the curator change a skill again."""

from typing import Any

import click

from skillforge.cli.base import CommandResult, GlobalOptions
from skillforge.cli.pin import pin_options, pinned


@click.command()
@pin_options
@click.pass_obj
def unpin(settings: GlobalOptions, /, name: str, **options: Any) -> CommandResult:
    """Propose to unpin a skill: the curator may change it again.

    Also exits 0 if the skill is not pinned.
    """
    return pinned(settings, name, options, is_pinned=False)
