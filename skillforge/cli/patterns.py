"""`skillforge patterns`: what repeats in approved examples."""

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    SuggestingGroup,
    common_options,
)
from skillforge.render import data, text


@click.group(cls=SuggestingGroup, invoke_without_command=True)
@click.option("--rebuild", is_flag=True, help="Forget earlier patterns; cluster again.")
@common_options
@click.pass_context
def patterns(context: click.Context, rebuild: bool) -> CommandResult | None:
    """List what repeats in approved examples.

    A pattern is a group of examples with the same intent: similar words in their tasks
    and similar tools in their order. A single example makes no pattern. A pattern keeps
    its id when examples join it. `skillforge patterns show ID` explains one.
    """
    if context.invoked_subcommand is not None:
        return None

    settings = context.find_object(GlobalOptions)
    assert settings is not None
    result = workflows.patterns.list_patterns(settings.open_library(), rebuild=rebuild)
    return CommandResult(
        data.patterns.pattern_list(result), text.patterns.pattern_list(result)
    )


@patterns.command()
@click.argument("number", metavar="ID")
@common_options
@click.pass_obj
def show(settings: GlobalOptions, number: str) -> CommandResult:
    """Explain a pattern: its members, what they share, and what varies."""
    result = workflows.patterns.show(settings.open_library(), number)
    return CommandResult(data.patterns.detail(result), text.patterns.detail(result))
