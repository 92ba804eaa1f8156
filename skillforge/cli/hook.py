"""The commands that have agents call us when a session ends: hook."""

import os
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    SuggestingGroup,
    common_options,
)

if TYPE_CHECKING:
    from skillforge.workflows.hooks import ConfigChange

_MOST_BYTES = 1 << 20  # that are read of an agent's message to its hook
_LONGEST = 10  # seconds that an agent may take to write it
_AGENTS = ("claude-code", "codex", "hermes")  # a test holds it to `hooks`
agent_argument = click.argument("agent", type=click.Choice(_AGENTS))
dry_option = click.option(
    "--dry-run", is_flag=True, help="Only show what would change."
)


@click.group(cls=SuggestingGroup)
@common_options
def hook() -> None:
    """Have an agent's sessions captured when they end.

    Each agent has hooks of its own; ours runs `capture` in the background, once ten
    calls of tools have come since the last time. The agent never waits for it.

    \b
    skillforge hook install claude-code --dry-run
    skillforge hook install codex
    skillforge hook install hermes --layout     its skills as external_dirs, too
    skillforge hook remove claude-code
    skillforge hook status
    """


@hook.command()
@agent_argument
@click.option(
    "--layout", is_flag=True, help="Hermes: lay skills out, and name the folder to it."
)
@click.option("--tap", is_flag=True, help="Hermes: make this library one of its taps.")
@dry_option
@common_options
@click.pass_obj
def install(
    settings: GlobalOptions, agent: str, layout: bool, tap: bool, dry_run: bool
) -> CommandResult:
    """Put our hook into an agent's configuration, beside what is there.

    The file is backed up first. A second time changes nothing; another library takes
    the place of the first.
    """
    from skillforge.learn.hooks import AGENTS
    from skillforge.library import Library
    from skillforge.workflows import hooks

    if (layout or tap) and agent != "hermes":
        raise click.UsageError("--layout and --tap are for hermes")
    library = Library.open(settings.start)
    extras = hooks.Extras(layout, tap)
    changes = hooks.installed(AGENTS[agent], library, extras)
    if layout and not dry_run:
        hooks.lay_out(library, os.environ.get("SKILLFORGE_KEY") or "hermes")
    return _changed(changes, AGENTS[agent].note, dry_run)


@hook.command()
@agent_argument
@dry_option
@common_options
@click.pass_obj
def remove(settings: GlobalOptions, agent: str, dry_run: bool) -> CommandResult:
    """Take our hook out of an agent's configuration; the rest stays as it is."""
    from skillforge.learn.hooks import AGENTS
    from skillforge.library import Library
    from skillforge.workflows import hooks

    library = Library.open(settings.start)
    return _changed(hooks.removed(AGENTS[agent], library), "", dry_run)


def _changed(changes: "list[ConfigChange]", note: str, is_dry: bool) -> CommandResult:
    from difflib import unified_diff

    from skillforge.report import printable
    from skillforge.text import lines_of
    from skillforge.workflows import hooks

    needed = [change for change in changes if change.is_needed]
    backups = [] if is_dry else hooks.apply(changes)
    lines = []
    for change in needed:
        texts = lines_of(change.before), lines_of(change.after)
        names = str(change.path), str(change.path)
        lines += list(unified_diff(*texts, *names, lineterm="")) if is_dry else []
        lines.append(f"{'would change' if is_dry else 'changed'} {change.path}")
    lines += [f"the file as it was: {path}" for path in backups]
    lines += [note] if needed and note and not is_dry else []
    data = {
        "changed": [str(change.path) for change in needed],
        "backups": [str(path) for path in backups],
        "dry_run": is_dry,
        "note": note or None,
    }
    words = "\n".join(map(printable, lines or ["nothing to change"]))
    return CommandResult(data, words)


@hook.command()
@agent_argument
@click.option(
    "--now",
    is_flag=True,
    expose_value=False,
    help="Work in the foreground, not in the background.",
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
    from skillforge.learn.hooks import AGENTS
    from skillforge.library import Library
    from skillforge.workflows import hooks

    library = Library.open(settings.start)
    call = hooks.HookCall(session, transcript)
    if not any(call):
        call = hooks.HookCall.of(_read_stdin())
    outcome = hooks.see_to(AGENTS[agent], library, call)
    if debug:
        click.echo(_last_words(outcome), err=True)
    return CommandResult(outcome, ok="error" not in outcome)


def _read_stdin() -> str:
    """An agent's message, within limits: it may be endless, or never be closed."""
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
    """Tell which agents call us, and what came of the last call."""
    from skillforge.errors import ConfigError
    from skillforge.learn.hooks import AGENTS
    from skillforge.library import Library
    from skillforge.report import printable
    from skillforge.workflows import hooks

    library = Library.open(settings.start)
    rows: dict[str, bool | None] = {}
    lines = []
    for name, agent in AGENTS.items():
        try:
            rows[name] = hooks.is_installed(agent)
            lines.append(f"{name:<12} {'installed' if rows[name] else 'not installed'}")
        except ConfigError as err:
            rows[name] = None
            lines.append(f"{name:<12} {err.message}")
    last = hooks.last_outcome(library)
    lines.append(_last_words(last))
    data = {"agents": rows, "last": last}
    return CommandResult(data, "\n".join(map(printable, lines)))


def _last_words(last: dict[str, Any] | None) -> str:
    if last is None:
        return "no session has ended yet"
    what = f"last: {last['agent'] or '-'}, session {last['session'] or '-'}"
    if "error" in last:
        return f"{what}: {last['error']}"
    if last["kept"] is None:
        return f"{what}: {last['since']} calls since the last look, 10 are needed"
    from skillforge.report import plural

    kept = plural(last["kept"], "example")
    return f"{what}: kept {kept} of {last['calls']} calls"
