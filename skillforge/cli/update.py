"""`skillforge update`: newer versions of installed skills."""

from typing import Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
)
from skillforge.cli.install import caution_option, place_options, target_folder
from skillforge.cli.output import use_colour


@click.command()
@click.argument("names", nargs=-1, metavar="[SKILL]...")
@click.option("--yes", is_flag=True, help="Take it; without, it is only shown.")
@caution_option
@place_options
@common_options
@click.pass_obj
def update(
    _settings: GlobalOptions, /, names: tuple[str, ...], **given: Any
) -> CommandResult:
    """Show what is new at the sources of installed skills; --yes takes it.

    What you changed yourself is never overwritten. A skill that was installed from a
    tag stays at it: install SOURCE#TAG again to move on.

    \b
    skillforge update                 show what is new, as a diff
    skillforge update csv-tables --yes

    Exits 1 if something new is refused, 4 if only skills changed here are left.
    """
    from skillforge.errors import ConflictError
    from skillforge.share import install_words as words
    from skillforge.share import update

    place = target_folder(given)
    _, found = update.updates(place, names)
    if update.stuck(found):
        edited = ", ".join(it.name for it in found if it.state == "edited")
        raise ConflictError(
            f"changed here, and not overwritten: {edited}",
            hint="skillforge verify shows what; move a folder away to install it anew",
            facts=words.update_data(found, None, place),
        )
    if not given["yes"] or not any(it.state == "new" for it in found):
        data = words.update_data(found, None, place)
        return CommandResult(data, words.update_text(found, is_applied=False))
    done = update.apply(place, found, accept_caution=given["accept_caution"])
    shown = words.update_text(found, is_applied=True)
    text = f"{shown}\n{words.done_text(done, place, colour=use_colour())}"
    return CommandResult(words.update_data(found, done, place), text, ok=done.ok)
