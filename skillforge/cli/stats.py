"""`skillforge stats`: success rates of skills, as text, JSON or a page."""

from pathlib import Path

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.cli.skill_name import skill_argument
from skillforge.render import data, text


@click.command()
@skill_argument(required=False, default="")
@click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write an HTML page with plots: one file that needs no network.",
)
@forge_options
@click.pass_obj
def stats(settings: GlobalOptions, name: str, page: Path | None) -> CommandResult:
    """Show uses, success rates and their intervals.

    The rate is a moving average of all outcomes, for display only. To decide, use the
    95% interval, which counts verified outcomes only. Each bar is a week.

    \b
    skillforge stats
    skillforge stats csv-tables         its versions, time and tokens
    skillforge stats --html stats.html
    """
    workspace = settings.workspace()
    if page is None:
        report = workflows.stats.stats(workspace, name)
        return CommandResult({**data.stats.stats(report)}, text.stats.stats(report))
    report = workflows.stats.write_dashboard(workspace, page, name)
    return CommandResult(
        {**data.stats.stats(report), "path": str(page)}, f"wrote {page}"
    )
