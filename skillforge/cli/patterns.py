"""`skillforge patterns`: what repeats in approved examples."""

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    SuggestingGroup,
    common_options,
)


@click.group(cls=SuggestingGroup, invoke_without_command=True)
@click.option("--rebuild", is_flag=True, help="Forget earlier patterns; find all anew.")
@common_options
@click.pass_context
def patterns(context: click.Context, rebuild: bool) -> CommandResult | None:
    """Tell what repeats in approved examples.

    Examples of the same intent, by the words of their tasks and the tools in their
    order, are a pattern; what happened once waits for another like it. A pattern keeps
    its id when examples join it. `skillforge patterns show ID` explains one.
    """
    if context.invoked_subcommand is not None:
        return None
    from skillforge.learn import patterns as learned
    from skillforge.learn.words import pattern_row, patterns_text
    from skillforge.library import Library

    settings = context.find_object(GlobalOptions)
    assert settings is not None
    library = Library.open(settings.start)
    found = learned.find(library, is_rebuilt=rebuild)
    near = learned.nearest_skills(library, found.patterns)
    rows = [pattern_row(pattern, *near[pattern.id]) for pattern in found.patterns]
    data = {"patterns": rows, "unclustered": [it.id for it in found.waiting]}
    return CommandResult(data, patterns_text(rows, len(found.waiting)))


@patterns.command()
@click.argument("number", metavar="ID")
@common_options
@click.pass_obj
def show(settings: GlobalOptions, number: str) -> CommandResult:
    """Explain a pattern: its members, what they share, and what varies."""
    from skillforge.learn import patterns as learned
    from skillforge.learn.words import pattern_data, pattern_text
    from skillforge.library import Library

    library = Library.open(settings.start)
    pattern = learned.one(library, number)
    near = learned.nearest_skills(library, [pattern])[pattern.id]
    data = pattern_data(pattern, *near)
    return CommandResult(data, pattern_text(data))
