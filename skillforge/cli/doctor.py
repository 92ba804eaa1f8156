"""`skillforge doctor`: check this machine's setup and the repository."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.render import data, text


@click.command()
@click.option("--fix", is_flag=True, help="Repair what can be repaired without loss.")
@common_options
@click.pass_obj
def doctor(settings: GlobalOptions, fix: bool) -> CommandResult:
    """Check this machine's setup and the repository, and suggest fixes.

    In the repository: HEAD, packed-refs, damaged refs, missing objects, stale locks,
    branches without a proposal and proposals without a branch, outdated checkouts.

    Exits 1 if something required is missing or the repository has a fault.
    """
    result = workflows.diagnosis.diagnose(settings.start, fix=fix)
    return CommandResult(
        {**data.setup.diagnosis(result)},
        text.setup.diagnosis(result, is_fixed=fix),
        result.ok,
    )
