"""`skillforge unpin`: a skill that the curator may change again."""

from typing import Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
)
from skillforge.cli.pin import pin_options, pinned


@click.command()
@pin_options
@click.pass_obj
def unpin(settings: GlobalOptions, /, name: str, **given: Any) -> CommandResult:
    """Propose to take a pin out: the curator may propose to archive the skill again.

    Exits 0 with a proposal, and if it is not pinned.
    """
    return pinned(settings, name, given, is_wanted=False)
