"""`skillforge refine`: what uses suggest to change in a skill, as proposals."""

from typing import Any

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows import refine as workflow


@click.command()
@click.argument(
    "names", nargs=-1, metavar="[SKILL]...", shell_complete=completions.skills
)
@click.option("--propose", "is_proposed", is_flag=True, help="Open the proposals.")
@click.option(
    "--agent",
    default="",
    metavar="CMD",
    help="Let a command rewrite skills that fail more often than not.",
)
@click.option("--retire", is_flag=True, help="Archive such skills instead.")
@click.option(
    "--brief", "is_brief", is_flag=True, help="Print the instructions for CMD."
)
@as_option
@forge_options
@click.pass_obj
def refine(
    settings: GlobalOptions, /, names: tuple[str, ...], **given: Any
) -> CommandResult:
    """Propose edits from reported pitfalls; find skills that fail.

    A pitfall that three keys reported becomes a line of the skill. One edit changes at
    most a fifth of the text, and all of them together at most three fifths of the last
    version that a person wrote. A skill fails if at least ten of its uses were verified
    and its success rate is significantly below one half: rewrite it (--agent) or
    archive it (--retire).

    \b
    skillforge refine                     report only
    skillforge refine --propose           propose the edits
    skillforge refine csv-tables --brief  instructions for an agent
    skillforge refine csv-tables --agent 'claude -p' --propose

    Nothing is proposed without --propose.
    """
    if given["agent"] and given["retire"]:
        raise click.UsageError("use either --agent or --retire")
    workspace = Workspace.at(settings.start, given["speaks_for"], settings.choice)
    if given["is_brief"]:
        briefs = workflow.briefs(workspace, names)
        return CommandResult({"briefs": briefs}, "\n".join(briefs.values()).rstrip())
    options = workflow.RefineOptions(
        given["is_proposed"], given["agent"], given["retire"]
    )
    report = workflow.refine_skills(workspace, names, options)
    return CommandResult(
        {**data.refine.refine(report)}, text.refine.refine(report), report.ok
    )
