"""`skillforge search`: find skills for a task."""

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    revision_option,
)
from skillforge.render import data, text


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Maximum number of skills to show.",
)
@revision_option
@common_options
@click.pass_obj
def search(
    settings: GlobalOptions, query: tuple[str, ...], limit: int, rev: str | None
) -> CommandResult:
    """Find skills for a task, the best first, with the words that matched.

    Searches names, descriptions, example requests (evals/eval_queries.json) and
    instructions. Any text is a query; it has no operators.

    \b
    skillforge search merge two spreadsheets
    skillforge search "flaky tests" --limit 3 --json

    Promoted changes are searchable immediately.
    """
    library = settings.main_library()
    result = workflows.skills.search(library, " ".join(query), limit, rev)
    return CommandResult({**data.skills.search(result)}, text.skills.search(result))
