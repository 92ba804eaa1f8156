"""Answers and errors on their way out: words for people, JSON for scripts."""

import io
import os
import sys
from contextlib import suppress
from itertools import pairwise, takewhile
from typing import Any

import click

from skillforge.cli.base import CommandResult, GlobalOptions
from skillforge.errors import Exit, ToolError

FORMAT = "skillforge/1"


def show(settings: GlobalOptions, answer: CommandResult | int | None) -> int:
    """Print a command's answer; the exit code says whether it was a yes."""
    if not isinstance(answer, CommandResult):
        return int(answer or 0)  # --help and --version have printed already
    if answer.document is not None and not settings.json:
        emit(answer.document)
    elif settings.json:
        emit(envelope(settings.command, answer.ok, answer.data, None))
    elif answer.words:
        emit(answer.words)
    return Exit.DONE if answer.ok else Exit.NO


def emit(words: str | bytes) -> None:
    """Write to standard output, all of it or a clear error; bytes just as they are."""
    if sys.stdout is None:
        return
    try:
        click.echo(words, nl=isinstance(words, str))
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_stdout()
        raise
    except OSError as err:
        _let_go_of_stdout()
        raise ToolError(
            f"standard output cannot be written: {err.strerror}",
            hint="is the disk full?",
        ) from err


def _let_go_of_stdout() -> None:
    """Write no more: Python's own flush at the end must not fail a second time."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tolerate_encodings() -> None:
    """Escape what the terminal's encoding lacks instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def envelope(command: str, ok: bool, data: Any, error: dict[str, Any] | None) -> str:
    """The one object that `--json` prints, for success and for failure."""
    from skillforge.report import to_json

    return to_json(
        {"format": FORMAT, "command": command, "ok": ok, "data": data, "error": error}
    )


def fail(  # noqa: PLR0913, PLR0917 - the parts of an error
    settings: GlobalOptions,
    arguments: list[str],
    message: str,
    hint: str,
    code: int,
    facts: dict[str, Any] | None = None,
) -> int:
    """Print an error: to people on standard error, to scripts as the envelope."""
    from skillforge.report import printable

    if settings.json or _asks_for_json(arguments):
        error = {"message": message, "hint": hint, "exit": int(code), **(facts or {})}
        command = settings.command or _first_word(arguments)
        with suppress(ToolError, BrokenPipeError):
            emit(envelope(command, False, None, error))
    click.echo(f"error: {printable(message)}", err=True)
    if hint:
        click.echo(f"    {printable(hint)}", err=True)
    return int(code)


def surprise(settings: GlobalOptions, arguments: list[str], err: BaseException) -> int:
    """An error that nobody foresaw: a disk that takes nothing more, else a bug."""
    if not isinstance(err, OSError) or not _is_full(err):
        return bug(settings, arguments, err)
    where = f" in {err.filename}" if err.filename else ""
    words = f"cannot write{where}: {err.strerror}"
    hint = "is the disk full? TMPDIR names another place for temporary files"
    return fail(settings, arguments, words, hint, Exit.TOOL_FAILED)


def _is_full(err: OSError) -> bool:
    import errno

    is_full = err.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
    return is_full or "temporary directory" in str(err.strerror)


def bug(settings: GlobalOptions, arguments: list[str], err: BaseException) -> int:
    """An error that nobody foresaw: say so, and how to help."""
    if os.environ.get("SKILLFORGE_DEBUG"):
        import traceback

        traceback.print_exception(err)
    what = f"{type(err).__name__}: {err}" if str(err) else type(err).__name__
    hint = "this is a bug; SKILLFORGE_DEBUG=1 shows where, which helps a report"
    return fail(
        settings, arguments, f"stopped by an error of its own: {what}", hint, Exit.BUG
    )


def usage_hint(err: click.ClickException) -> str:
    """The help to read after a mistake in the command's words."""
    context = getattr(err, "ctx", None)
    return f"{context.command_path} --help" if context is not None else ""


def usage_words(err: click.ClickException) -> str:
    """What is wrong with the command's words; click's own, but for its names."""
    if not isinstance(err, click.NoSuchOption):
        return " ".join(err.format_message().split())
    meant = err.possibilities[0] if err.possibilities else ""
    hint = f"; did you mean `{meant}`?" if meant else ""
    return f"there is no option {err.option_name}{hint}"


def use_colour() -> bool:
    """Colour on a terminal, unless the user has asked for none."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
    )


def _asks_for_json(arguments: list[str]) -> bool:
    words = list(takewhile(lambda word: word != "--", arguments))
    by_format = ("--format", "json") in pairwise(words)
    return by_format or "--json" in words or "--format=json" in words


def _first_word(arguments: list[str]) -> str:
    words = iter(arguments)
    for word in words:
        if word == "--library":
            next(words, None)  # its value is no command
        elif not word.startswith("-"):
            return word
    return ""
