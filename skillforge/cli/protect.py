"""`skillforge protect`: repository settings that let only approved skills merge."""

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    host_option,
)
from skillforge.render import data, text


@click.command()
@click.option("--dry-run", is_flag=True, help="Print the calls without making them.")
@click.option(
    "--owner",
    "owners",
    multiple=True,
    metavar="@NAME",
    help="An approver of policy and workflow changes [default: the owner of the "
    "repository; in an organisation, you].",
)
@host_option
@common_options
@click.pass_obj
def protect(
    settings: GlobalOptions, dry_run: bool, owners: tuple[str, ...]
) -> CommandResult:
    """Set up the repository on GitHub so that only approved proposals reach main.

    A ruleset for main (pull request, the policy's approvals, stale ones dismissed, the
    last push approved by another user, the check skill-gate, no force push, no
    deletion), one for release tags, merge commits only, CODEOWNERS for policy and
    workflows, labels, topic. Safe to repeat: only settings that differ are changed.

    \b
    skillforge protect --dry-run
    skillforge protect --owner @acme/reviewers
    """
    if any(not owner.startswith("@") for owner in owners):
        raise click.UsageError("--owner is @LOGIN or @ORGANISATION/TEAM")
    workspace, forge = workflows.workspaces.open_hosted(settings.start, settings.host)
    result = workflows.protect.protect(workspace, forge, owners, dry_run=dry_run)
    return CommandResult(
        {**data.hosted.protection(result)}, text.hosted.protection(result)
    )
