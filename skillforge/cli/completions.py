"""What a shell completes: skills, proposals and rules, quickly and silently."""

from collections.abc import Callable, Iterable
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from skillforge import workflows
from skillforge.cli.base import GlobalOptions

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_SKILLFORGE_COMPLETE"


def skills(
    context: click.Context, _param: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Skills of the checkout, or those of main in a bare repository."""
    start = _options(context).start
    return _matching(typed, lambda: _named(workflows.completion.skill_names(start)))


def targets(
    context: click.Context, param: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Skills by name; the shell completes paths."""
    named = [] if "/" in typed else skills(context, param, typed)
    return named or [CompletionItem(typed, type="dir")]


def proposals(
    context: click.Context, _param: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Open proposals of this clone; the network is not used."""
    start = _options(context).start
    return _matching(
        typed,
        lambda: (
            (str(proposal.number), proposal.title)
            for proposal in workflows.completion.open_proposals(start)
        ),
    )


def rules(
    _context: click.Context, _param: click.Parameter, typed: str
) -> list[CompletionItem]:
    return _matching(typed, workflows.rules.summaries)


def _matching(
    typed: str, items: Callable[[], Iterable[tuple[str, str]]]
) -> list[CompletionItem]:
    """Values with their help; none on an error, which a shell could not show."""
    with suppress(Exception):
        return [
            CompletionItem(value, help=help_ or None)
            for value, help_ in items()
            if value.startswith(typed)
        ]
    return []


def _named(values: Iterable[str]) -> Iterable[tuple[str, str]]:
    return ((value, "") for value in values)


def _options(context: click.Context) -> GlobalOptions:
    return context.find_object(GlobalOptions) or GlobalOptions()
