"""`skillforge hook`: agents capture their sessions when these end."""

import os

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    SuggestingGroup,
    common_options,
)
from skillforge.render import data, text

_MOST_BYTES = 1 << 20  # that are read of an agent's message to its hook
_LONGEST = 10  # seconds that an agent may take to write it
_AGENTS = ("claude-code", "codex", "hermes")  # a test compares it to `hooks`
agent_argument = click.argument("agent", type=click.Choice(_AGENTS))
dry_option = click.option(
    "--dry-run", is_flag=True, help="Only show what would change."
)


@click.group(cls=SuggestingGroup)
@common_options
def hook() -> None:
    """Capture an agent's sessions when they end.

    Our hook runs `capture` in the background if the session has ten new tool calls.
    The agent does not wait for it.

    \b
    skillforge hook install claude-code --dry-run
    skillforge hook install codex
    skillforge hook install hermes --layout     also add our skills to external_dirs
    skillforge hook remove claude-code
    skillforge hook status
    """


@hook.command()
@agent_argument
@click.option(
    "--layout", is_flag=True, help="Hermes: write skills to a folder that it reads."
)
@click.option("--tap", is_flag=True, help="Hermes: add this library to its taps.")
@dry_option
@common_options
@click.pass_obj
def install(
    settings: GlobalOptions, agent: str, layout: bool, tap: bool, dry_run: bool
) -> CommandResult:
    """Add our hook to an agent's configuration, beside its other hooks.

    The file is backed up first. Installing twice changes nothing; installing for
    another library replaces the first.
    """
    if (layout or tap) and agent != "hermes":
        raise click.UsageError("--layout and --tap are for hermes")
    library, extras = settings.open_library(), workflows.hooks.Extras(layout, tap)
    result = workflows.hook_setup.install(library, agent, extras, dry_run=dry_run)
    return CommandResult(data.hook.change(result), text.hook.change(result))


@hook.command()
@agent_argument
@dry_option
@common_options
@click.pass_obj
def remove(settings: GlobalOptions, agent: str, dry_run: bool) -> CommandResult:
    """Remove our hook from an agent's configuration; the rest stays unchanged."""
    result = workflows.hook_setup.remove(
        settings.open_library(), agent, dry_run=dry_run
    )
    return CommandResult(data.hook.change(result), text.hook.change(result))


@hook.command()
@agent_argument
@click.option(
    "--now",
    is_flag=True,
    expose_value=False,
    help="Run in the foreground, not in the background.",
)
@click.option("--session", default="", metavar="ID", help="The session that ended.")
@click.option("--transcript", default="", metavar="FILE", help="Its transcript.")
@click.option(
    "--debug", is_flag=True, help="The same as --now, with errors on standard error."
)
@common_options
@click.pass_obj
def run(
    settings: GlobalOptions, agent: str, session: str, transcript: str, debug: bool
) -> CommandResult:
    """Capture a session that has ended. Agents call this; people use --debug.

    The agent's JSON comes on standard input, unless options name the session. The work
    is done in the background: `hook status` shows the outcome, and `doctor` reports a
    failure. Always exits 0 and prints nothing, because agents act on anything else;
    only --debug, --json and --help print.

    \b
    echo '{"session_id": "ID"}' | skillforge hook run codex --debug
    """
    library = settings.open_library()
    message = "" if session or transcript else _read_stdin()
    entry = workflows.hook_setup.run(library, agent, session, transcript, message)
    if debug:
        click.echo(text.hook.last_run(entry), err=True)
    return CommandResult(data.hook.run(entry), ok="error" not in entry)


def _read_stdin() -> str:
    """An agent's message, up to a size and a time: it may never end."""
    import select
    import time
    from contextlib import suppress

    deadline = time.monotonic() + _LONGEST
    message = b""
    with suppress(OSError, ValueError):  # closed
        while not os.isatty(0) and len(message) < _MOST_BYTES:
            left = max(0, deadline - time.monotonic())
            is_ready = select.select([0], [], [], left)[0]
            if not is_ready or not (part := os.read(0, 1 << 16)):
                break
            message += part
    return message.decode("utf-8", "replace")


@hook.command()
@common_options
@click.pass_obj
def status(settings: GlobalOptions) -> CommandResult:
    """Show which agents have our hook, and the outcome of its last run."""
    result = workflows.hook_setup.status(settings.open_library())
    return CommandResult(data.hook.status(result), text.hook.status(result))
