"""`skillforge catalog`: all skills within a token budget."""

from typing import TYPE_CHECKING

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    revision_option,
)
from skillforge.cli.output import envelope
from skillforge.render import data

if TYPE_CHECKING:
    from skillforge.workflows.catalog import FittedCatalog

_FORMATS = ("text", "xml", "json", "markdown")
_LEAST = 150  # a test holds it to `share.catalog`


@click.command()
@click.option(
    "--budget",
    type=click.IntRange(min=_LEAST),
    default=3000,
    show_default=True,
    help="Token limit, at four bytes per token.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="xml is the format of `skills-ref to-prompt`.",
)
@click.option("--for", "task", default="", metavar="TASK", help="Rank for a task.")
@revision_option
@common_options
@click.pass_obj
def catalog(
    settings: GlobalOptions, budget: int, format_: str, task: str, rev: str | None
) -> CommandResult:
    """Print all skills within a token budget: for the prompt of an agent.

    The catalog always fits: full descriptions, else shortened ones, else names, else
    groups. It says what was left out.

    \b
    skillforge catalog --format xml
    skillforge catalog --for "convert a PDF" --budget 500
    """
    settings.json = settings.json or format_ == "json"
    request = workflows.catalog.CatalogRequest(budget, task, rev, format_)
    render = _envelope if settings.json else None
    result = workflows.catalog.catalog(settings.main_library(), request, render)
    return CommandResult(data.skills.catalog(result), document=result.text)


def _envelope(result: "FittedCatalog") -> str:
    """The JSON of a catalog, whose size counts."""
    return envelope("catalog", True, data.skills.catalog(result), None)
