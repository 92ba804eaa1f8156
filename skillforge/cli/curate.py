"""`skillforge curate`: find skills that are stale, duplicate or broken."""

from typing import TYPE_CHECKING, Any

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.pin import propose_option, why_option
from skillforge.cli.propose import submitted
from skillforge.cli.skill_name import skill_argument
from skillforge.render import data, text

if TYPE_CHECKING:
    from skillforge.workflows.curate import Restoration


@click.command()
@skill_argument("names", nargs=-1, metavar="[SKILL]...")
@propose_option
@click.option(
    "--restore", default="", metavar="SKILL", help="Restore a skill from the archive."
)
@why_option
@as_option
@forge_options
@click.pass_obj
def curate(
    settings: GlobalOptions, /, names: tuple[str, ...], **options: Any
) -> CommandResult:
    """Find skills that are stale, superseded, duplicate or broken.

    \b
    superseded        `metadata.superseded-by` names a skill of the library
    archive, stale    unused for 90 or 30 days, while other skills are used
    overlap           75% similar to another; from 90% on it can be absorbed
    broken-reference  SKILL.md links to a missing file
    never-loaded      offered to agents at least ten times, and never loaded
    catalog           the names and descriptions of all skills take too many tokens

    Only skills by agents are changed, and none that is pinned or that changed within a
    week. With --propose, each draft becomes a proposal: archive (move to archive/NAME),
    consolidate, or repair. A draft that a reviewer closed is proposed again only if you
    name the skill.

    \b
    skillforge curate                        report only
    skillforge curate --propose              one proposal for each finding
    skillforge curate --restore csv-tables --propose

    Exits 1 if a draft could not be proposed.
    """
    workspace = settings.workspace(options["speaks_for"])
    is_proposed = options["is_proposed"]
    if name := options["restore"]:
        if names:
            raise click.UsageError("--restore takes the skill's name; omit the others")
        return _restored(
            workflows.curate.restore(
                workspace, name, options["why"], propose=is_proposed
            )
        )
    result = workflows.curate.curate_skills(workspace, names, propose=is_proposed)
    return CommandResult(
        {**data.curate.curate(result)}, text.curate.curate(result), result.ok
    )


def _restored(result: "Restoration") -> CommandResult:
    if result.submission:
        return submitted(result.submission, version=result.version)
    return CommandResult(
        {**data.curate.restorable(result)}, text.curate.restorable(result)
    )
