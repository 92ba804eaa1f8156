"""What a shell completes: skills, proposals and rules, quickly and silently."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from skillforge.cli.base import GlobalOptions

if TYPE_CHECKING:
    from skillforge.library import Library

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_SKILLFORGE_COMPLETE"


def skills(
    context: click.Context, _param: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Skills of the checkout, or those of main where there is none."""
    found: list[CompletionItem] = []
    with suppress(Exception):  # a shell shows nothing rather than an error
        names = _names(_library(context))
        found = [CompletionItem(name) for name in names if name.startswith(typed)]
    return found


def _names(library: "Library") -> list[str]:
    if library.repo is not None and library.repo.is_bare:
        return sorted(library.skill_trees(library.main))
    return [entry.name for entry in library.folders() if entry.is_dir()]


def targets(
    context: click.Context, param: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Skills by name; what looks like a path is left to the shell."""
    named = [] if "/" in typed else skills(context, param, typed)
    return named or [CompletionItem(typed, type="dir")]


def proposals(
    context: click.Context, _param: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Open proposals of this clone; no network is asked for those on GitHub."""
    found: list[CompletionItem] = []
    with suppress(Exception):
        found = [item for item in _open(context) if item.value.startswith(typed)]
    return found


def _open(context: click.Context) -> Iterator[CompletionItem]:
    from skillforge.forge.local import LocalForge

    library = _library(context)
    forge = LocalForge(library.repository(), library.main, "")
    for proposal in forge.proposals(only_open=True):
        yield CompletionItem(str(proposal.number), help=proposal.title)


def rules(
    _context: click.Context, _param: click.Parameter, typed: str
) -> list[CompletionItem]:
    found: list[CompletionItem] = []
    with suppress(Exception):
        from skillforge.checks.rule_manual import every_rule

        found = [
            CompletionItem(rule.id, help=rule.summary)
            for rule in every_rule()
            if rule.id.startswith(typed)
        ]
    return found


def _library(context: click.Context) -> "Library":
    from skillforge.library import Library

    settings = context.find_object(GlobalOptions) or GlobalOptions()
    return Library.open(settings.start)
