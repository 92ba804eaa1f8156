"""`skillforge update`: newer versions of installed skills."""

from typing import Any

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.install import caution_option, install_target, target_options
from skillforge.cli.output import use_colour
from skillforge.errors import ConflictError
from skillforge.render import data, text


@click.command()
@click.argument("names", nargs=-1, metavar="[SKILL]...")
@click.option("--yes", is_flag=True, help="Install the updates.")
@caution_option
@target_options
@common_options
@click.pass_obj
def update(
    _settings: GlobalOptions, /, names: tuple[str, ...], **options: Any
) -> CommandResult:
    """Show updates of installed skills; --yes installs them.

    Local changes are never overwritten. A skill that was installed from a tag stays at
    it: install SOURCE#TAG again to move to another.

    \b
    skillforge update                 show the updates as a diff
    skillforge update csv-tables --yes

    Exits 1 if an update is refused, 4 if local changes block all of them.
    """
    result = workflows.install.update(
        install_target(options),
        names,
        apply=options["yes"],
        accept_caution=options["accept_caution"],
    )
    if result.is_blocked:
        edited = ", ".join(update.name for update in result.edited)
        raise ConflictError(
            f"local changes would be overwritten: {edited}",
            hint="skillforge verify lists them; to update anyway, move the folder away "
            "and install the skill again",
            facts={**data.install.update(result)},
        )
    return CommandResult(
        data.install.update(result),
        text.install.update(result, colour=use_colour()),
        result.ok,
    )
