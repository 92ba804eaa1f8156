"""`skillforge report`: post a gate's report on its pull request."""

from pathlib import Path

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
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--head", required=True, metavar="SHA", help="The commit of the gate's run."
)
@click.option("--run", default="", metavar="URL", help="The page of that run.")
@host_option
@common_options
@click.pass_obj
def report(settings: GlobalOptions, file: Path, head: str, run: str) -> CommandResult:
    """Post a gate's report on its pull request: one comment, kept up to date.

    FILE is the gate.json of a run that had no permission to comment. It is not trusted:
    it must be about SHA, and only its text and numbers are shown.
    """
    workspace, forge = workflows.workspaces.open_hosted(settings.start, settings.host)
    result = workflows.gate_report.post(workspace, forge, file, head, run)
    return CommandResult({**data.hosted.report(result)}, text.hosted.report(result))
