"""What commands share: common options, help by stage, lazy imports, the result."""

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from skillforge.model import Origin

if TYPE_CHECKING:
    from pathlib import Path

    from click.shell_completion import CompletionItem

    from skillforge.forge.registry import ForgeChoice
    from skillforge.library import Library
    from skillforge.propose.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])
Stages = Mapping[str, Mapping[str, str]]


class GlobalOptions:
    """The options that every command takes."""

    def __init__(self) -> None:
        self.library: str | None = None
        self.json = False
        self.command = ""
        self.forge = ""
        self.host = ""

    @property
    def folder(self) -> str:
        """The folder whose library, or its parents', is used."""
        return self.library or os.environ.get("SKILLFORGE_LIBRARY") or "."

    @property
    def start(self) -> "Path":
        """The same, as a path."""
        from pathlib import Path

        return Path(self.folder)

    @property
    def choice(self) -> "ForgeChoice":
        """The options --forge and --host."""
        from skillforge.workflows.workspaces import ForgeChoice

        return ForgeChoice(self.forge, self.host)

    def workspace(
        self, user: str | None = None, *, will_write: bool = False
    ) -> "Workspace":
        """The library with its forge and a user, by default git's."""
        from skillforge.workflows.workspaces import open_workspace

        return open_workspace(
            self.start, user, forge=self.forge, host=self.host, will_write=will_write
        )

    def open_library(self) -> "Library":
        """The library as it is checked out."""
        from skillforge.workflows.workspaces import open_library

        return open_library(self.start)

    def main_library(self) -> "Library":
        """The library with main as its forge has it; faster than a workspace."""
        from skillforge.workflows.lookup import library_at

        return library_at(self.start, self.forge, self.host)


class CommandResult(NamedTuple):
    """The result of a command: `data` for scripts, `text` for people.

    `document` replaces the text: a report in another format, or the exact bytes of a
    file.
    """

    data: Mapping[str, Any]
    text: str = ""
    ok: bool = True
    document: str | bytes | None = None
    code: int | None = None  # by default 0, or 1 if it isn't ok


def _set_library(context: click.Context, _option: click.Parameter, value: Any) -> None:
    if value is not None:
        context.find_object(GlobalOptions).library = value  # type: ignore[union-attr]


def _set_json(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        context.find_object(GlobalOptions).json = True  # type: ignore[union-attr]


def _set_forge(context: click.Context, option: click.Parameter, value: Any) -> None:
    setattr(context.find_object(GlobalOptions), str(option.name), value or "")


def forge_options(command: F) -> F:
    """Give a command `--forge` and `--host`, and the common options."""
    forge = click.option(
        "--forge",
        metavar="NAME",
        expose_value=False,
        callback=_set_forge,
        help="Where proposals live: local, github or the name of another forge "
        "[default: by the policy, else by the remote].",
    )
    return forge(host_option(common_options(command)))


def host_option(command: F) -> F:
    """Give a command `--host`, for a GitHub other than github.com."""
    return click.option(
        "--host",
        metavar="HOST",
        expose_value=False,
        callback=_set_forge,
        help="The GitHub host [default: the remote's].",
    )(command)


def common_options(command: F) -> F:
    """Give a command `--library` and `--json`."""
    library = click.option(
        "--library",
        metavar="PATH",
        type=click.Path(exists=True, file_okay=False),
        expose_value=False,
        is_eager=True,  # names of skills are read in it
        callback=_set_library,
        help="The library to work on [default: $SKILLFORGE_LIBRARY, else the "
        "current repository].",
    )
    as_json = click.option(
        "--json",
        is_flag=True,
        expose_value=False,
        callback=_set_json,
        help="Print one JSON object on standard output.",
    )
    return library(as_json(command))


as_option = click.option(
    "--as",
    "speaks_for",
    metavar="'NAME <MAIL>'",
    help="The acting user [default: git's user].",
)
origin_option = click.option(
    "--origin",
    type=click.Choice([origin.value for origin in Origin]),
    help="Who the change comes from [default: human].",
)

FORMATS = ("text", "json", "sarif", "github", "markdown", "junit")
format_option = click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="Format of the report.",
)
revision_option = click.option(
    "--rev", metavar="REV", help="Read a commit, branch or tag [default: main]."
)


def _complete_targets(*arguments: Any) -> Any:
    from skillforge.cli.completions import targets

    return targets(*arguments)


def selection_options(command: F) -> F:
    """Give a command the skills to check and the format of its report."""
    targets = click.argument(
        "targets",
        nargs=-1,
        metavar="[SKILL|FOLDER]...",
        shell_complete=_complete_targets,
    )
    changed = click.option(
        "--changed-since", metavar="REV", help="Only skills that a branch changed."
    )
    revision = click.option(
        "--rev", metavar="REV", help="Read a commit, not the checkout."
    )
    return targets(changed(revision(format_option(common_options(command)))))


class SuggestingGroup(click.Group):
    """A group that suggests the nearest command for a mistyped one."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(context)
        is_typed = bool(args) and not context.resilient_parsing
        if is_typed and args[0] not in names and not args[0].startswith("-"):
            from skillforge.text import nearest

            similar = nearest(args[0], names)
            hint = f"; did you mean `{similar}`?" if similar else ""
            context.fail(f"no such command: {args[0]!r}{hint}")
        return super().resolve_command(context, args)


class LazyGroup(SuggestingGroup):
    """Commands by stage; a command's module is imported when the command runs."""

    def __init__(self, *args: Any, stages: Stages, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stages = stages
        self.summaries = {
            name: summary
            for commands in stages.values()
            for name, summary in commands.items()
        }

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in self.summaries:
            return None
        function = name.replace("-", "_")
        module = import_module(f"skillforge.cli.{function}")
        # A command that would hide a builtin ends in `_`: `list_`.
        command: click.Command = getattr(module, f"{function}_", None) or getattr(
            module, function
        )
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(context, args)
        settings = context.find_object(GlobalOptions)
        if settings is not None and name is not None:
            settings.command = name
        return name, command, rest

    def shell_complete(
        self, context: click.Context, incomplete: str
    ) -> "list[CompletionItem]":
        """Names and summaries, without importing any command."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, context, incomplete)
        return [
            CompletionItem(name, help=help_)
            for name, help_ in self.summaries.items()
            if name.startswith(incomplete)
        ]

    def format_commands(
        self, _context: click.Context, formatter: click.HelpFormatter
    ) -> None:
        for stage, commands in self.stages.items():
            with formatter.section(stage):
                formatter.write_dl(list(commands.items()))


def one_line(value: str | None, option: str) -> str:
    if value is not None and (not value.strip() or not value.isprintable()):
        raise click.UsageError(f"{option} needs printable text")
    return (value or "").strip()
