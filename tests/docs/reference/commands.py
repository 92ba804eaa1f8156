"""Every command: its usage, help, options and the JSON that it answers with."""

import inspect
from collections.abc import Iterator

import click

from skillforge.cli import COMMANDS, cli
from skillforge.errors import Exit
from tests.docs.reference.keys import KEYS
from tests.docs.reference.markdown import block, code, document, table

_EXITS = {
    Exit.DONE: "success",
    Exit.NO: "no: findings, failed trials, a refused gate",
    Exit.NOT_UNDERSTOOD: "the request or the library cannot be understood",
    Exit.TOOL_FAILED: "a tool that Skillforge runs is missing or failed",
    Exit.NOT_NOW: "conflict: the library's state does not allow it",
    Exit.BUG: "a bug in Skillforge",
}
_LEAD = """\
Every command, in the order of `skillforge --help`. For a mistyped name,
the error suggests the nearest one."""
_JSON = """\
With `--json`, a command prints one object on standard output, also on failure:
`format`, `command`, `ok`, `data` and `error` (`message`, `hint`, `exit`). Messages for
people go to standard error. The keys of `data` that are listed below are stable; more
may be added."""
_EVERYWHERE = ("--library", "--json", "--help")
_ON_PROPOSALS = ("--forge", "--host")


def render() -> str:
    context = click.Context(cli, info_name="skillforge", **cli.context_settings)
    parts = [_contents(), *_shared(context)]
    for stage, names in COMMANDS.items():
        parts.append(f"## {stage}")
        for name in names:
            parts.extend(_command(_found(context, name), context, name))
    return document("Commands", _LEAD, parts)


def _contents() -> str:
    """One line for each stage, one link for each command."""
    return "\n".join(
        f"- {stage}: {', '.join(f'[{name}](#skillforge-{name})' for name in names)}"
        for stage, names in COMMANDS.items()
    )


def _found(context: click.Context, name: str) -> click.Command:
    command = cli.get_command(context, name)
    assert command is not None, name
    return command


def _shared(context: click.Context) -> Iterator[str]:
    """Options, exit codes and JSON that all commands share."""
    propose = _found(context, "propose")
    inner = click.Context(propose, context, "propose")
    known = {param.opts[0]: param for param in _options(propose, inner)}
    known |= {param.opts[-1]: param for param in known.values()}
    yield "## Common to all commands"
    yield _table([known[name] for name in _EVERYWHERE], inner)
    yield "Commands that work with proposals also have"
    yield _table([known[name] for name in _ON_PROPOSALS], inner)
    exits = [(code(str(int(exit_))), words) for exit_, words in _EXITS.items()]
    yield table(("exit code", "meaning"), exits)
    yield _JSON


def _command(
    command: click.Command, parent: click.Context, name: str, depth: int = 3
) -> Iterator[str]:
    context = click.Context(command, parent, name)
    path = context.command_path
    yield f"{'#' * depth} {path}"
    pieces = " ".join(command.collect_usage_pieces(context))
    yield block(f"{path} {pieces}")
    yield from _help(command)
    own = _own(command, context)
    if own:
        yield _table(own, context)
    if on_proposals := _forge(command, context):
        yield f"Also {on_proposals}."
    if keys := KEYS.get(path.removeprefix("skillforge ")):
        yield "JSON: " + "; ".join(_key(key, below) for key, below in keys.items())
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from _command(command.commands[inner], context, inner, depth + 1)


def _help(command: click.Command) -> Iterator[str]:
    """The paragraphs of a help text; preformatted ones become blocks."""
    text = inspect.cleandoc(command.help or "")
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield block(paragraph.removeprefix("\b\n"))
        elif paragraph.strip():
            yield paragraph.replace("<", "&lt;")


def _options(command: click.Command, context: click.Context) -> list[click.Option]:
    return [p for p in command.get_params(context) if isinstance(p, click.Option)]


def _own(command: click.Command, context: click.Context) -> list[click.Option]:
    """The options that not every command has."""
    shared = {*_EVERYWHERE, *_ON_PROPOSALS}
    return [
        option
        for option in _options(command, context)
        if not option.hidden and shared.isdisjoint(option.opts)
    ]


def _forge(command: click.Command, context: click.Context) -> str:
    options = _options(command, context)
    has = [
        name for name in _ON_PROPOSALS if any(name in option.opts for option in options)
    ]
    return ", ".join(map(code, has))


def _table(options: list[click.Option], context: click.Context) -> str:
    return table(("option", "meaning"), (_row(option, context) for option in options))


def _row(option: click.Option, context: click.Context) -> tuple[str, str]:
    record = option.get_help_record(context)
    assert record is not None, option.name
    names, words = record
    meaning = words.replace("<", "&lt;")
    return code(names), meaning + (" Required." if option.required else "")


def _key(key: str, inner: tuple[str, ...]) -> str:
    return f"{code(key)} ({', '.join(map(code, inner))})" if inner else code(key)
