"""`skillforge gate`: the required checks on a proposal or a branch."""

from pathlib import Path

import click

from skillforge import report
from skillforge.checks import all_rules
from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
    format_option,
)
from skillforge.cli.output import use_colour
from skillforge.errors import unwritable
from skillforge.forge.proposal_record import dump_verdict
from skillforge.model import SKILLS, Report, Verdict
from skillforge.propose import review_page
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows import review


@click.command()
@click.argument(
    "number", type=int, required=False, shell_complete=completions.proposals
)
@click.option("--base", metavar="REV", help="Check a branch: the revision to merge to.")
@click.option("--head", metavar="REV", help="Check a branch: the revision to merge.")
@format_option
@click.option(
    "--report",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write gate.json, gate.md and gate.sarif there, too.",
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

    Policy and rules come from the base, never from what is checked. The report is
    stored with the proposal; on GitHub, it is the one comment that the gate updates.

    \b
    skillforge gate 3
    skillforge gate --base origin/main --head HEAD
    skillforge gate --base "$BASE" --head "$HEAD" --format github --report out

    Exits 0 if every required check passed, 1 if one failed, crashed or is missing.
    """
    workspace = Workspace.at(settings.start, speaks_for, settings.choice)
    if number is not None and base is None and head is None:
        verdict = review.check_proposal(workspace, number)
    elif number is None and base is not None and head is not None:
        verdict = review.check_branch(workspace, base, head)
    else:
        raise click.UsageError("give the number of a proposal, or --base and --head")
    if folder:
        _write_report(folder, verdict)
    settings.json = settings.json or format_ == "json"
    document = None if format_ in ("text", "json") else _document(format_, verdict)
    return CommandResult(
        {**data.proposals.verdict(verdict), "proposal": number},
        text.proposals.verdict(verdict, colour=use_colour()),
        verdict.passed,
        document,
    )


def _document(format_: str, verdict: Verdict) -> str:
    """The findings of the gate, in a format that other programs read."""
    findings = tuple(f for check in verdict.checks for f in check.findings)
    skills = {f"{SKILLS}/{name}" for check in verdict.checks for name in check.skills}
    return report.FORMATS[format_](Report(findings, tuple(sorted(skills))), all_rules())


def _write_report(folder: Path, verdict: Verdict) -> None:
    files = {
        "gate.json": dump_verdict(verdict),
        "gate.md": review_page.report(verdict).encode(),
        "gate.sarif": _document("sarif", verdict).encode(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as err:
        raise unwritable(folder, err) from err
