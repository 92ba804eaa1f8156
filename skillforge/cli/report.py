"""`skillforge report`: a gate's report on its pull request."""

from pathlib import Path

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    host_option,
)
from skillforge.cli.hosted_workspace import hosted_workspace
from skillforge.errors import RequestError


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--head", required=True, metavar="SHA", help="What the gate ran on.")
@click.option("--run", default="", metavar="URL", help="The page of that run.")
@host_option
@common_options
@click.pass_obj
def report(settings: GlobalOptions, file: str, head: str, run: str) -> CommandResult:
    """Show a gate's report on its pull request: one comment, kept up to date.

    FILE is the gate.json of a run that could not write itself. Nothing in it is taken
    on trust: it has to be about SHA, and only words and numbers of it are shown.
    """
    from skillforge.forge.proposal_record import load_verdict
    from skillforge.propose import review_page

    workspace, forge = hosted_workspace(settings)
    try:
        verdict = load_verdict(Path(file).read_bytes())
    except OSError as err:
        raise RequestError(
            f"{file} cannot be read: {err.strerror}", hint="name the gate.json of a run"
        ) from err
    if verdict.head != head:
        raise RequestError(
            f"the report is of {verdict.head[:12]}, not of {head[:12]}",
            hint="--head is the commit that the gate's run was started for",
        )
    if run and not forge.has_page(run):
        raise RequestError(
            f"{run!r} is no page of {forge.address}", hint="leave --run away"
        )
    found = forge.proposals_at(head)
    numbers = [proposal.number for proposal in found]
    for proposal in found:
        doubts = review_page.doubts(workspace.library, proposal, verdict)
        forge.report(proposal.number, review_page.report(verdict, doubts, run))
    lines = [f"pull request {number} shows the report" for number in numbers]
    data = {"proposals": numbers, "passed": verdict.passed}
    return CommandResult(
        data, "\n".join(lines) or "no open pull request about skills is at it"
    )
