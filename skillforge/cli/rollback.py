"""`skillforge rollback`: restore an earlier version of a skill."""

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
    origin_option,
)
from skillforge.cli.promote import promoted
from skillforge.cli.skill_name import skill_argument
from skillforge.model import Origin
from skillforge.render import data, text


@click.command()
@skill_argument()
@click.option("--to", default="", metavar="VERSION", help="A version, tree or commit.")
@click.option("--why", default="", help="The reason, for the reviewer and history.")
@click.option(
    "--now", is_flag=True, help="Promote it immediately, if the policy allows that."
)
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
    """Propose to restore an earlier version of a skill, byte for byte.

    Without --to, this is the previous version. A consolidation is rolled back as a
    whole: the skills that it absorbed return.

    \b
    skillforge rollback csv-tables --why "Wrong on merged cells" --now
    skillforge rollback csv-tables --to 1.2.0 --why "..."
    """
    if not why.strip():
        raise click.UsageError("give a reason: --why TEXT")
    workspace = settings.workspace(speaks_for, will_write=True)
    request = workflows.promote.RollbackRequest(
        name, to, why, Origin(origin or Origin.HUMAN), now
    )
    result = workflows.promote.roll_back(workspace, request, supersede=supersede)
    if result.promotion:
        return promoted(result.promotion, workspace, result.created)
    return CommandResult(
        data.proposals.rollback(result),
        text.proposals.opened(result.proposal, result.created),
    )
