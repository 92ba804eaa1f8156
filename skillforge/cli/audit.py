"""`skillforge audit`: prove that nothing reached main unreviewed."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.render import data, text


@click.command()
@click.argument("span", required=False, metavar="[RANGE]", default="")
@click.option("--since", default="", metavar="DATE", help="Only commits after DATE.")
@click.option("--remote", is_flag=True, help="Also check with GitHub.")
@forge_options
@click.pass_obj
def audit(
    settings: GlobalOptions, span: str, since: str, remote: bool
) -> CommandResult:
    """Prove from git alone that every skill change on main was checked and approved.

    With --remote, GitHub must confirm the approvals, and its settings must be those of
    `skillforge protect`.

    \b
    skillforge audit                    all of main
    skillforge audit v1.0.0..main       since a release
    skillforge audit --remote           also check with GitHub

    Exits 1 if there is an exception: a direct push, a missing approval, a tree other
    than the approved one, or missing evidence.
    """
    workspace = settings.workspace()
    result = workflows.history.audit(workspace, span, since, remote=remote)
    shown = text.history.audit(result, is_local=workspace.forge.is_local)
    return CommandResult(data.history.audit(result), shown, ok=not result.exceptions)
