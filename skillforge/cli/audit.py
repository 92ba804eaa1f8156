"""`skillforge audit`: proof that nothing reached main unreviewed."""

import click

from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows import history


@click.command()
@click.argument("span", required=False, metavar="[RANGE]", default="")
@click.option("--since", default="", metavar="DATE", help="Only commits after a date.")
@click.option("--remote", is_flag=True, help="Ask GitHub to confirm, too.")
@forge_options
@click.pass_obj
def audit(
    settings: GlobalOptions, span: str, since: str, remote: bool
) -> CommandResult:
    """Prove from git alone that every skill change on main was checked and approved.

    With --remote, GitHub has to confirm the approvals, and its settings have to be
    those that `skillforge protect` makes.

    \b
    skillforge audit                    all of main
    skillforge audit v1.0.0..main       since a release
    skillforge audit --remote           and ask GitHub

    Exits 1 if there is an exception: a direct push, a missing approval, a tree that is
    not the approved one, or missing evidence.
    """
    workspace = Workspace.at(settings.start, None, settings.choice)
    result = history.audit(workspace, span, since, remote=remote)
    shown = text.history.audit(result, is_local=workspace.forge.is_local)
    return CommandResult(data.history.audit(result), shown, ok=not result.exceptions)
