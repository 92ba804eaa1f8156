"""`skillforge gate`: the required checks on a proposal or a branch."""

from pathlib import Path

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
    format_option,
)
from skillforge.cli.output import use_colour
from skillforge.errors import Exit
from skillforge.model import Verdict
from skillforge.render import data, text


@click.command()
@click.argument(
    "number", type=int, required=False, shell_complete=completions.proposals
)
@click.option(
    "--base", metavar="REV", help="Check a branch: the revision to merge into."
)
@click.option("--head", metavar="REV", help="Check a branch: the revision to merge.")
@format_option
@click.option(
    "--report",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also write gate.json, gate.md and gate.sarif to DIR.",
)
@as_option
@forge_options
@click.pass_obj
def gate(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    number: int | None,
    base: str | None,
    head: str | None,
    format_: str,
    folder: Path | None,
    speaks_for: str | None,
) -> CommandResult:
    """Run the required checks on a proposal, or on a branch in CI.

    Policy and rules come from the base, never from the head. The report is stored with
    the proposal; on GitHub, it is one comment that each run updates.

    \b
    skillforge gate 3
    skillforge gate --base origin/main --head HEAD
    skillforge gate --base "$BASE" --head "$HEAD" --format github --report out

    Exits 1 if a required check failed or crashed; 3 if none did, but one could not run
    here, as without a sandbox.
    """
    workspace = settings.workspace(speaks_for)
    if number is not None and base is None and head is None:
        verdict = workflows.review.check_proposal(workspace, number)
    elif number is None and base is not None and head is not None:
        verdict = workflows.review.check_branch(workspace, base, head)
    else:
        raise click.UsageError("give the number of a proposal, or --base and --head")
    if folder:
        workflows.gate_report.write(folder, workspace.library, verdict)
    settings.json = settings.json or format_ == "json"
    return CommandResult(
        {**data.proposals.verdict(verdict), "proposal": number},
        text.proposals.verdict(verdict, colour=use_colour()),
        verdict.passed,
        workflows.documents.of_verdict(format_, verdict, workspace.library),
        exit_code(verdict),
    )


def exit_code(verdict: Verdict | None) -> int | None:
    """3 if the gate lacks something on this machine; else None: the usual code."""
    return Exit.TOOL_FAILED if verdict and verdict.not_run else None
