"""`skillforge refine`: propose edits from reported uses."""

from typing import Any

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.skill_name import skill_argument
from skillforge.render import data, text


@click.command()
@skill_argument("names", nargs=-1, metavar="[SKILL]...")
@click.option("--propose", "is_proposed", is_flag=True, help="Open the proposals.")
@click.option(
    "--agent",
    default="",
    metavar="CMD",
    help="Let a command rewrite skills that usually fail.",
)
@click.option("--retire", is_flag=True, help="Archive such skills instead.")
@click.option(
    "--brief", "is_brief", is_flag=True, help="Print the instructions for CMD."
)
@as_option
@forge_options
@click.pass_obj
def refine(
    settings: GlobalOptions, /, names: tuple[str, ...], **options: Any
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

    Without --propose, this only reports.
    """
    if options["agent"] and options["retire"]:
        raise click.UsageError("use either --agent or --retire")
    workflow = workflows.refine
    workspace = settings.workspace(options["speaks_for"])
    if options["is_brief"]:
        briefs = workflow.briefs(workspace, names)
        return CommandResult({"briefs": briefs}, "\n".join(briefs.values()).rstrip())
    request = workflow.RefineOptions(
        options["is_proposed"], options["agent"], options["retire"]
    )
    report = workflow.refine_skills(workspace, names, request)
    return CommandResult(
        {**data.refine.refine(report)}, text.refine.refine(report), report.ok
    )
