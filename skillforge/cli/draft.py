"""`skillforge draft`: a skill written from a pattern."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
)
from skillforge.cli.output import use_colour

if TYPE_CHECKING:
    from skillforge.learn.draft import Drafted
    from skillforge.library import Library
    from skillforge.model import Report


@click.command()
@click.argument("number", metavar="PATTERN")
@click.option("--name", default="", help="Call the skill so [default: by the task].")
@click.option(
    "--into",
    default="",
    metavar="SKILL",
    help="Edit a skill instead.",
    shell_complete=completions.skills,
)
@click.option(
    "--agent", default="", metavar="CMD", help="Let an agent rewrite the draft."
)
@click.option("--propose", "is_proposed", is_flag=True, help="Put it up for review.")
@click.option("--why", default="", help="The reason, for the reviewer and history.")
@click.option("--dry-run", is_flag=True, help="Show the draft; write nothing.")
@as_option
@forge_options
@click.pass_obj
def draft(settings: GlobalOptions, /, number: str, **given: Any) -> CommandResult:
    """Write a skill from a pattern: skills/NAME/ and its evidence/NAME/.

    No model is needed: inputs are what varies between the examples, steps what at least
    half of them did, with how many; errors and what cured them, what was checked last,
    and what failing runs did differently. One example in three is held out: the draft
    does not know it.

    \b
    skillforge draft 4f2a --propose
    skillforge draft 4f2a --agent claude
    skillforge draft 4f2a --into csv-tables

    --agent takes the name of an agent (claude, codex, or a plugin's) or a command line.
    It runs without a shell in a folder with the draft, with a brief on standard input.
    What it leaves there is checked like any draft, and refused if it touches anything
    else or contains text of a held-out example.

    Exits 0 with a draft, 1 if a check has something against it, 4 if there are not
    enough verified successes, or the skill is there already.
    """
    from skillforge.learn import draft
    from skillforge.learn import patterns as learned
    from skillforge.learn.draft_checks import doubles, proven
    from skillforge.library import Library

    if given["name"] and given["into"]:
        raise click.UsageError(
            "--name is for a new skill, --into for one that is there"
        )
    library = Library.open(settings.start)
    pattern = learned.one(library, number)
    made = draft.drafted(library, pattern, given["name"], given["into"])
    if given["agent"]:
        from skillforge.learn.agent_rewrite import rewritten

        before, made = made, rewritten(made, given["agent"])
        if made.draft.digest == before.draft.digest:
            click.echo("the agent changed nothing", err=True)
    report = proven(library, made)
    if given["agent"] and not report.ok:
        return _refused(made, report)
    if given["is_proposed"] and not given["dry_run"]:
        return _propose(settings, made, given)
    for near in doubles(library, made):
        said = f"{made.draft.skill} says {near.similarity:.0%} the same as {near.name}"
        hint = f"skillforge draft {number} --into {near.name}"
        click.echo(f"{said}; to edit that one instead: {hint}", err=True)
    return _written(library, made, report, is_rehearsal=given["dry_run"])


def _refused(made: "Drafted", report: "Report") -> CommandResult:
    from skillforge import report as reports
    from skillforge.learn.words import draft_data

    found = [reports.finding_data(it) for it in report.findings]
    text = reports.text(report, colour=use_colour())
    data = draft_data(made) | {"path": None, "findings": found}
    return CommandResult(data, f"{text}\nthe agent's draft is refused", ok=False)


def _written(
    library: "Library", made: "Drafted", report: "Report", *, is_rehearsal: bool
) -> CommandResult:
    from skillforge import report as reports
    from skillforge.learn import write_checkout
    from skillforge.learn.words import draft_data, draft_text
    from skillforge.model import SKILL_FILE
    from skillforge.render.text.proposals import finding_lines
    from skillforge.report import printable

    found = [reports.finding_data(it) for it in report.findings]
    data = draft_data(made) | {"findings": found}
    lines = finding_lines(report.findings, colour=use_colour())
    if is_rehearsal:
        text = made.draft.files[SKILL_FILE].data.decode("utf-8", "replace")
        shown = map(printable, text.rstrip().split("\n"))
        words = "\n".join([*shown, *lines])
        return CommandResult(data | {"text": text}, words, ok=report.ok)
    write_checkout.place(library, made.draft, is_edit=made.is_edit)
    words = "\n".join([*lines, draft_text(made)])
    return CommandResult(data, words, ok=report.ok)


def _propose(
    settings: GlobalOptions, made: "Drafted", given: dict[str, Any]
) -> CommandResult:
    from dataclasses import replace

    from skillforge.cli.propose import submitted
    from skillforge.learn.words import draft_data
    from skillforge.propose.proposal_request import ProposalRequest
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows.submit import submit

    workspace = Workspace.at_work(settings.start, given["speaks_for"], settings.choice)
    wanted = replace(made.draft, why=given["why"] or made.draft.why)
    result = submit(workspace, [ProposalRequest(wanted, workspace.base)])
    return submitted(result, **draft_data(made))
