"""`skillforge unpin`: let the curator change a skill again."""

from typing import Any

import click

from skillforge.cli.base import CommandResult, GlobalOptions
from skillforge.cli.pin import pin_options, pinned


@click.command()
@pin_options
@click.pass_obj
def unpin(settings: GlobalOptions, /, name: str, **given: Any) -> CommandResult:
    """Propose to unpin a skill, so that the curator may change it again.

    Exits 0 with a proposal, or if the skill is not pinned.
    """
    return pinned(settings, name, given, is_pinned=False)
