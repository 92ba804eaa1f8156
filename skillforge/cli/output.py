"""Answers and errors on their way out: words for people, JSON for scripts."""

import os
import sys
from typing import Any

import click

from skillforge.cli.base import Answer, Settings
from skillforge.errors import Exit

FORMAT = "skillforge/1"


def show(settings: Settings, answer: Answer | int | None) -> int:
    """Print a command's answer; the exit code says whether it was a yes."""
    if not isinstance(answer, Answer):
        return int(answer or 0)  # --help and --version have printed already
    if answer.document is not None and not settings.json:
        click.echo(answer.document)
    elif settings.json:
        click.echo(envelope(settings.command, answer.ok, answer.data, None))
    elif answer.words:
        click.echo(answer.words)
    return Exit.DONE if answer.ok else Exit.NO


def envelope(command: str, ok: bool, data: Any, error: dict[str, Any] | None) -> str:
    """The one object that `--json` prints, for success and for failure."""
    from skillforge.report import to_json

    return to_json(
        {"format": FORMAT, "command": command, "ok": ok, "data": data, "error": error}
    )


def fail(
    settings: Settings, arguments: list[str], message: str, hint: str, code: int
) -> int:
    """Print an error: to people on standard error, to scripts as the envelope."""
    from skillforge.report import printable

    if settings.json or _asks_for_json(arguments):
        error = {"message": message, "hint": hint, "exit": int(code)}
        command = settings.command or _first_word(arguments)
        click.echo(envelope(command, False, None, error))
    click.echo(f"skillforge: {printable(message)}", err=True)
    if hint:
        click.echo(f"    {printable(hint)}", err=True)
    return int(code)


def bug(settings: Settings, arguments: list[str], err: Exception) -> int:
    """An error that nobody foresaw: say so, and how to help."""
    if os.environ.get("SKILLFORGE_DEBUG"):
        import traceback

        traceback.print_exc()
    what = f"{type(err).__name__}: {err}" if str(err) else type(err).__name__
    hint = "this is a bug; SKILLFORGE_DEBUG=1 shows where, which helps a report"
    return fail(
        settings, arguments, f"stopped by an error of its own: {what}", hint, Exit.BUG
    )


def usage_hint(err: click.ClickException) -> str:
    """The help to read after a mistake in the command's words."""
    context = getattr(err, "ctx", None)
    return f"{context.command_path} --help" if context is not None else ""


def use_colour() -> bool:
    """Colour on a terminal, unless the user has asked for none."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _asks_for_json(arguments: list[str]) -> bool:
    before, *_ = " ".join(arguments).split(" -- ")
    words = before.split()
    return "--json" in words or "--format=json" in words or "--format json" in before


def _first_word(arguments: list[str]) -> str:
    return next((word for word in arguments if not word.startswith("-")), "")
