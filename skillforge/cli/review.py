"""`skillforge review`: show a proposal, approve it or reject it."""

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, as_option, forge_options
from skillforge.cli.output import use_colour
from skillforge.model import Proposal
from skillforge.render import data, text


@click.command()
@click.argument("number", type=int, shell_complete=completions.proposals)
@click.option("--approve", is_flag=True, help="Approve these exact bytes.")
@click.option("--reject", is_flag=True, help="Reject and close it, with --why.")
@click.option("--why", default="", help="The reason for a rejection.")
@click.option("--comment", metavar="TEXT", help="Add a comment.")
@click.option("--full", is_flag=True, help="Show the whole diff.")
@click.option("--head", default="", metavar="COMMIT", help="The commit you reviewed.")
@as_option
@forge_options
@click.pass_obj
def review(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    number: int,
    approve: bool,
    reject: bool,
    why: str,
    comment: str | None,
    full: bool,
    head: str,
    speaks_for: str | None,
) -> CommandResult:
    """Show what a reviewer needs on one screen; approve or reject.

    An approval covers exact bytes: it names the head, its tree, its base and its
    evidence, and any change voids it. Nobody can approve their own proposal.
    """
    workspace = settings.workspace(speaks_for)
    if approve and reject:
        raise click.UsageError("use either --approve or --reject")
    if comment is not None and not comment.strip():
        raise click.UsageError("--comment is empty")
    if comment:
        workflows.review.comment(workspace, number, comment)
    if approve:
        decision = workflows.review.approve(workspace, number, head)
        return decided(decision.proposal, text.proposals.approval(decision))
    if reject:
        proposal = workflows.review.reject(workspace, number, why)
        return decided(proposal, f"rejected and closed proposal {number}")
    brief = workflows.review.brief(workspace, number)
    shown = text.proposals.review(brief, full=full, colour=use_colour())
    return CommandResult(data.proposals.review(brief), shown)


def decided(proposal: Proposal, message: str) -> CommandResult:
    """The result of each command that decides on a proposal."""
    return CommandResult(data.proposals.decision(proposal), message)
