"""`skillforge draft`: a skill written from a pattern."""

from typing import TYPE_CHECKING, Any

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
)
from skillforge.cli.output import use_colour
from skillforge.cli.skill_name import SkillName
from skillforge.render import data, text

if TYPE_CHECKING:
    from skillforge.workflows.draft import DraftResult


@click.command()
@click.argument("number", metavar="PATTERN")
@click.option("--name", default="", help="The skill's name [default: from the task].")
@click.option(
    "--into",
    default="",
    type=SkillName(),
    metavar="SKILL",
    help="Edit a skill instead.",
    shell_complete=completions.skills,
)
@click.option(
    "--agent", default="", metavar="CMD", help="Let an agent rewrite the draft."
)
@click.option(
    "--propose", "is_proposed", is_flag=True, help="Propose the draft for review."
)
@click.option("--why", default="", help="The reason, for the reviewer and history.")
@click.option("--dry-run", is_flag=True, help="Show the draft; write nothing.")
@as_option
@forge_options
@click.pass_obj
def draft(settings: GlobalOptions, /, number: str, **options: Any) -> CommandResult:
    """Write a skill from a pattern: skills/NAME/ and its evidence/NAME/.

    No model is needed. Inputs are the values that vary between the examples; steps are
    what at least half of the runs did. The draft also lists errors and what resolved
    them, the last check of successful runs, and what failed runs did differently. One
    example in three is held out: it is not used for the draft.

    \b
    skillforge draft 4f2a --propose
    skillforge draft 4f2a --agent claude
    skillforge draft 4f2a --into csv-tables

    --agent takes the name of an agent (claude, codex, or a plugin's) or a command line.
    It runs without a shell in a folder with the draft, with a brief on standard input.
    Its result is checked like any draft, and refused if it changes anything else or
    contains text of a held-out example.

    Exits 0 with a draft, 1 if a check fails, 4 if there are not enough verified
    successes or the skill already exists.
    """
    if options["name"] and options["into"]:
        raise click.UsageError("--name is for a new skill, --into for an existing one")
    library, is_dry_run = settings.open_library(), options["dry_run"]
    chosen = workflows.draft.DraftOptions(
        options["name"], options["into"], options["agent"]
    )
    result = workflows.draft.draft(library, number, chosen)
    is_proposed = options["is_proposed"] and not is_dry_run and not result.is_refused
    is_shown = not is_proposed and not result.is_refused
    similar = workflows.draft.similar_skills(library, result) if is_shown else []
    for note in text.draft.notes(result, number, similar):
        click.echo(note, err=True)
    if is_proposed:
        return _propose(settings, result, options)
    if not is_dry_run and not result.is_refused:
        result = workflows.draft.write(library, result)
    return CommandResult(
        data.draft.draft(result, is_dry_run=is_dry_run),
        text.draft.draft(result, is_dry_run=is_dry_run, colour=use_colour()),
        ok=result.ok,
    )


def _propose(
    settings: GlobalOptions, result: "DraftResult", options: dict[str, Any]
) -> CommandResult:
    workspace = settings.workspace(options["speaks_for"], will_write=True)
    batch = workflows.draft.propose(workspace, result, options["why"])
    return CommandResult(
        data.draft.proposal(result, batch),
        text.proposals.submission(batch, colour=use_colour()),
        ok=batch.ok,
    )
