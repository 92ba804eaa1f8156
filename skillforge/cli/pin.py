"""`skillforge pin`: protect a skill from the curator."""

from typing import Any

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    F,
    GlobalOptions,
    as_option,
    forge_options,
    origin_option,
)
from skillforge.cli.propose import submitted
from skillforge.cli.skill_name import skill_argument
from skillforge.model import Origin
from skillforge.render import data, text

why_option = click.option(
    "--why", default="", help="The reason, for the reviewer and history."
)


propose_option = click.option(
    "--propose", "is_proposed", is_flag=True, help="Open proposals for the changes."
)


def pin_options(command: F) -> F:
    """The options of `pin` and `unpin`."""
    supersede = click.option(
        "--supersede", is_flag=True, help="Close another proposal for the skill."
    )
    rest = why_option(supersede(origin_option(as_option(forge_options(command)))))
    return skill_argument()(rest)


@click.command()
@pin_options
@click.pass_obj
def pin(settings: GlobalOptions, /, name: str, **options: Any) -> CommandResult:
    """Propose to pin a skill (`metadata.pinned`): the curator won't change it.

    \b
    skillforge pin csv-tables --why "Needed for the yearly audit"

    Also exits 0 if the skill is already pinned.
    """
    return pinned(settings, name, options, is_pinned=True)


def pinned(
    settings: GlobalOptions, name: str, options: dict[str, Any], *, is_pinned: bool
) -> CommandResult:
    """The result of `pin` and `unpin`."""
    workspace = settings.workspace(options["speaks_for"], will_write=True)
    origin = Origin(options["origin"] or Origin.HUMAN)
    request = workflows.curate.PinRequest(
        name, is_pinned, options["why"], origin, options["supersede"]
    )
    if batch := workflows.curate.pin(workspace, request):
        return submitted(batch, skill=name, pinned=is_pinned)
    return CommandResult(
        {**data.curate.pinned(name, is_pinned)}, text.curate.pinned(name, is_pinned)
    )
