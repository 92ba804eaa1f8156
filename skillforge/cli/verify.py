"""`skillforge verify`: how files on disk differ from the lock."""

from typing import Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
)
from skillforge.cli.install import place_options, target_folder


@click.command()
@place_options
@common_options
@click.pass_obj
def verify(_settings: GlobalOptions, /, **given: Any) -> CommandResult:
    """Tell what differs between skills-lock.json and the skills on disk.

    Names every file that is missing, changed or not from there. Nothing is fetched.
    Exits 0 if all is as it was installed, 1 if anything differs.
    """
    from skillforge.share import install_words as words
    from skillforge.share import update

    lock, found = update.verify(target_folder(given))
    data = words.verify_data(lock, found)
    return CommandResult(data, words.verify_text(lock, found), ok=not found)
