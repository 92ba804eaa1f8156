"""`skillforge rollback`: an earlier version of a skill, byte for byte."""

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
    origin_option,
)
from skillforge.cli.output import use_colour
from skillforge.model import Origin
from skillforge.propose.rollback import RollbackRequest
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows import promote


@click.command()
@click.argument("name", shell_complete=completions.skills)
@click.option("--to", default="", metavar="VERSION", help="Version, tree, or commit.")
@click.option("--why", default="", help="The reason, for the reviewer and history.")
@click.option("--now", is_flag=True, help="Promote it at once, if the policy allows.")
@click.option("--supersede", is_flag=True, help="Close another proposal for the skill.")
@origin_option
@as_option
@forge_options
@click.pass_obj
def rollback(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    name: str,
    to: str,
    why: str,
    now: bool,
    supersede: bool,
    origin: str | None,
    speaks_for: str | None,
) -> CommandResult:
    """Propose an earlier version of a skill again, byte for byte.

    Without --to, this is the version before the current one. A consolidation is rolled
    back as a whole: the skills that it absorbed return.

    \b
    skillforge rollback csv-tables --why "Wrong on merged cells" --now
    skillforge rollback csv-tables --to 1.2.0 --why "..."
    """
    if not why.strip():
        raise click.UsageError("give a reason: --why TEXT")
    workspace = Workspace.at_work(settings.start, speaks_for, settings.choice)
    request = RollbackRequest(name, to, why, Origin(origin or Origin.HUMAN), now)
    result = promote.roll_back(workspace, request, supersede=supersede)
    if promotion := result.promotion:
        return CommandResult(
            data.proposals.promotion(promotion, result.created),
            text.proposals.promotion(
                promotion, workspace.library.main, colour=use_colour()
            ),
            ok=bool(promotion.merge),
        )
    return CommandResult(
        data.proposals.rollback(result),
        text.proposals.opened(result.proposal, result.created),
    )
