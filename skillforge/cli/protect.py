"""`skillforge protect`: repository settings that let only approved skills merge."""

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    host_option,
)
from skillforge.cli.hosted_workspace import hosted_workspace


@click.command()
@click.option("--dry-run", is_flag=True, help="Print the calls, and make none.")
@click.option(
    "--owner",
    "owners",
    multiple=True,
    metavar="@NAME",
    help="Who has to approve changes of policy and workflows [default: the owner of "
    "the repository, or you for one of an organisation].",
)
@host_option
@common_options
@click.pass_obj
def protect(
    settings: GlobalOptions, dry_run: bool, owners: tuple[str, ...]
) -> CommandResult:
    """Set the repository on GitHub up so that only judged proposals reach main.

    A ruleset for main (pull request, approvals of the policy, stale ones dismissed, the
    last push approved by another, the check skill-gate, no force push, no deletion),
    one for release tags, merge commits only, CODEOWNERS for what judges, labels, topic.
    Run it again whenever you like: what is as it should be is left alone.

    \b
    skillforge protect --dry-run
    skillforge protect --owner @acme/reviewers
    """
    from skillforge.report import plural, to_json

    if any(not owner.startswith("@") for owner in owners):
        raise click.UsageError("--owner is @LOGIN or @ORGANISATION/TEAM")
    workspace, forge = hosted_workspace(settings)
    forge.fetch_main()
    policy = workspace.library.policy(workspace.library.tip)
    calls = forge.wrong_settings(policy, owners or None)
    if not dry_run:
        forge.change_settings(calls)
    lines = []
    for call in calls:
        lines.append(f"{call.verb} {call.path}: {call.why}")
        if dry_run:
            lines += [f"    {line}" for line in to_json(call.body).split("\n")]
    if not dry_run and any("/contents/" in call.path for call in calls):
        lines.append(f"CODEOWNERS is new on {workspace.library.main}: git pull")
    done = "would be changed" if dry_run else "changed"
    end = (
        f"{plural(len(calls), 'setting')} {done}" if calls else "all is as it should be"
    )
    data = {
        "repository": forge.address,
        "calls": [call._asdict() for call in calls],
        "applied": not dry_run,
    }
    return CommandResult(data, "\n".join([*lines, f"{forge.address}: {end}"]))
