"""`skillforge waive`: accept a finding of the scan, with a reviewer."""

from typing import Any

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.propose import submitted
from skillforge.cli.skill_name import skill_argument
from skillforge.workflows.waive import DAYS


@click.command()
@click.argument("rule", shell_complete=completions.rules)
@skill_argument("skill")
@click.option(
    "--why", default="", help="Why the finding is acceptable; the site shows it."
)
@click.option("--path", default="", metavar="FILE", help="Only in this file.")
@click.option(
    "--until",
    default="",
    metavar="DATE",
    help=f"The last day of the waiver [default: in {DAYS} days].",
)
@click.option(
    "--rev",
    "revision",
    default="",
    metavar="REV",
    help="Read the skill there, such as the branch of a proposal [default: main].",
)
@click.option(
    "--supersede", is_flag=True, help="Close another waiver proposal for the skill."
)
@as_option
@forge_options
@click.pass_obj
def waive(
    settings: GlobalOptions, /, speaks_for: str | None, **options: Any
) -> CommandResult:
    """Propose to accept a finding of the scan: a waiver, with the file's hash.

    Adds an entry to waivers.yaml for each file of SKILL in which the scan reports RULE,
    on a branch: your checkout stays as it is. Somebody else reviews and promotes it,
    like any proposal; agents can't propose one. When the file changes or the date has
    passed, the finding is back.

    \b
    skillforge waive nameless-host wireguard --why "The DNS service is the topic"
    skillforge waive fetch-and-run setup --rev skill/setup/1b2c3d4e --why "..."
    """
    workspace = settings.workspace(speaks_for, will_write=True)
    request = workflows.waive.WaiveRequest(**options)
    return submitted(workflows.waive.waive(workspace, request))
