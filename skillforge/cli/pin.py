"""`skillforge pin`: protect a skill from the curator."""

from typing import Any

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    F,
    GlobalOptions,
    as_option,
    forge_options,
    origin_option,
)
from skillforge.cli.propose import submitted
from skillforge.model import Origin
from skillforge.propose.workspace import Workspace
from skillforge.workflows.curate import PinRequest
from skillforge.workflows.curate import pin as workflow_pin

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
    return click.argument("name", shell_complete=completions.skills)(rest)


@click.command()
@pin_options
@click.pass_obj
def pin(settings: GlobalOptions, /, name: str, **given: Any) -> CommandResult:
    """Propose to pin a skill (`metadata.pinned`), so that the curator leaves it alone.

    \b
    skillforge pin csv-tables --why "Needed for the yearly audit"

    Exits 0 with a proposal, or if the skill is already pinned.
    """
    return pinned(settings, name, given, is_pinned=True)


def pinned(
    settings: GlobalOptions, name: str, given: dict[str, Any], *, is_pinned: bool
) -> CommandResult:
    """The answer of `pin` and `unpin`."""
    workspace = Workspace.at_work(settings.start, given["speaks_for"], settings.choice)
    origin = Origin(given["origin"] or Origin.HUMAN)
    request = PinRequest(name, is_pinned, given["why"], origin, given["supersede"])
    batch = workflow_pin(workspace, request)
    if batch is not None:
        return submitted(batch, skill=name, pinned=is_pinned)
    return CommandResult(
        {"skill": name, "pinned": is_pinned, "proposal": None, "created": False},
        f"{name} is already pinned" if is_pinned else f"{name} is not pinned",
    )
