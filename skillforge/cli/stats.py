"""`skillforge stats`: how skills do in use, as text, JSON or a page."""

from pathlib import Path

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.library import replace_file
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows import stats as workflow


@click.command()
@click.argument("name", required=False, default="", shell_complete=completions.skills)
@click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page with plots: one file that needs no network.",
)
@forge_options
@click.pass_obj
def stats(settings: GlobalOptions, name: str, page: Path | None) -> CommandResult:
    """Show how skills do in use: uses, success rate and its interval.

    The rate is a moving average of all outcomes, for display only. Use the interval
    (95 %), which counts verified outcomes only. Each bar is a week.

    \b
    skillforge stats
    skillforge stats csv-tables         its versions, time and tokens
    skillforge stats --html stats.html
    """
    workspace = Workspace.at(settings.start, None, settings.choice)
    if page is None:
        report = workflow.stats(workspace, name)
        return CommandResult({**data.stats.stats(report)}, text.stats.stats(report))
    report, document = workflow.dashboard(workspace, name)
    replace_file(page, document.encode())
    answer = data.stats.stats(report)
    answer["path"] = str(page)
    return CommandResult({**answer}, f"wrote {page}")
