"""`skillforge pin`: a skill that the curator must not change."""

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

why_option = click.option(
    "--why", default="", help="The reason, for the reviewer and history."
)


propose_option = click.option(
    "--propose", "is_proposed", is_flag=True, help="Put what follows up for review."
)


def pin_options(command: F) -> F:
    """Give a command what it takes to pin a skill or to unpin it."""
    supersede = click.option(
        "--supersede", is_flag=True, help="Close another proposal for the skill."
    )
    rest = why_option(supersede(origin_option(as_option(forge_options(command)))))
    return click.argument("name", shell_complete=completions.skills)(rest)


@click.command()
@pin_options
@click.pass_obj
def pin(settings: GlobalOptions, /, name: str, **given: Any) -> CommandResult:
    """Propose to pin a skill: `metadata.pinned: "true"`. The curator leaves it alone.

    \b
    skillforge pin csv-tables --why "For the audit once a year"

    Exits 0 with a proposal, and if it is pinned already.
    """
    return pinned(settings, name, given, is_wanted=True)


def pinned(
    settings: GlobalOptions, name: str, given: dict[str, Any], *, is_wanted: bool
) -> CommandResult:
    from dataclasses import replace

    from skillforge.operate.skill_edits import pinned
    from skillforge.propose.admission import ProposalRequest
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows.submit import submit

    desk = Workspace.at_work(settings.start, given["speaks_for"], settings.choice)
    base = desk.base
    draft = pinned(desk.library, base, name, is_wanted=is_wanted)
    data = {"skill": name, "pinned": is_wanted}
    if draft is None:
        so = "is pinned already" if is_wanted else "is not pinned"
        none = {"proposal": None, "created": False}
        return CommandResult(data | none, f"{name} {so}")
    why = given["why"] or f"{'Pin' if is_wanted else 'Unpin'} {name}"
    origin = Origin(given["origin"] or Origin.HUMAN)
    wanted = replace(draft, why=why, origin=origin)
    request = ProposalRequest(wanted, base, supersede=given["supersede"])
    return submitted(submit(desk, [request]), **data)
