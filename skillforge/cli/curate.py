"""`skillforge curate`: find skills that are stale, duplicate or broken."""

from typing import Any

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.pin import propose_option, why_option
from skillforge.cli.propose import submitted
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows import curate as workflow


@click.command()
@click.argument(
    "names", nargs=-1, metavar="[SKILL]...", shell_complete=completions.skills
)
@propose_option
@click.option(
    "--restore", default="", metavar="SKILL", help="Restore a skill from the archive."
)
@why_option
@as_option
@forge_options
@click.pass_obj
def curate(
    settings: GlobalOptions, /, names: tuple[str, ...], **given: Any
) -> CommandResult:
    """Find skills that are stale, superseded, duplicate or broken.

    \b
    superseded        `metadata.superseded-by` names a skill of the library
    archive, stale    unused for 90 or 30 days, while other skills are used
    overlap           75 % similar to another; from 90 % on it can be absorbed
    broken-reference  SKILL.md links to a missing file
    never-loaded      offered to agents at least ten times, and never loaded
    catalog           the names and descriptions of all skills take too many tokens

    Only skills that agents made are touched: never pinned ones, those that people made,
    or those that changed within a week. With --propose, each draft becomes a proposal:
    archive (move to archive/NAME), consolidate, or repair. A draft that a reviewer
    closed is proposed again only if you name the skill.

    \b
    skillforge curate                        report only
    skillforge curate --propose              one proposal for each finding
    skillforge curate --restore csv-tables --propose

    Exits 0 with a report; 1 if a draft could not be proposed.
    """
    workspace = Workspace.at(settings.start, given["speaks_for"], settings.choice)
    is_proposed = given["is_proposed"]
    if given["restore"]:
        if names:
            raise click.UsageError("--restore takes the skill's name; omit the others")
        return _restored(
            workflow.restore(
                workspace, given["restore"], given["why"], propose=is_proposed
            )
        )
    curation = workflow.curate_skills(workspace, names, propose=is_proposed)
    return CommandResult(
        {**data.curate.curate(curation)}, text.curate.curate(curation), curation.ok
    )


def _restored(restoration: workflow.Restoration) -> CommandResult:
    name, version = restoration.skill, restoration.version
    if restoration.submission:
        return submitted(restoration.submission, version=version)
    return CommandResult(
        {"skill": name, "version": version, "proposal": None},
        f"{name} can be restored as version {version[:10]}; to propose it: --propose",
    )
