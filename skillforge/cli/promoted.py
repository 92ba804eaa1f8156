"""`skillforge promoted`: record the approvals of merges made on GitHub."""

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
@click.argument("span", required=False, metavar="[RANGE]", default="")
@host_option
@common_options
@click.pass_obj
def promoted(settings: GlobalOptions, span: str) -> CommandResult:
    """Record who approved the merges that were made on GitHub's pages.

    A merge by `skillforge promote` records its approvals itself. For other merges, this
    asks GitHub, runs the gate again on what was merged, and stores the answer as a git
    note for `log`, `why` and `audit` (refs/notes/skillforge, which is pushed). With a
    range, it also starts the rollouts that the policy asks for after an edit.

    Exits 1 if a change reached main without the required approvals or against the gate.
    """
    workspace, forge = workflows.workspaces.open_hosted(settings.start, settings.host)
    result = workflows.promoted.record_merges(workspace, forge, span)
    return CommandResult(
        {**data.hosted.promoted(result)}, text.hosted.promoted(result), result.ok
    )
