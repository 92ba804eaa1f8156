"""Print results and errors: text for people, JSON for scripts."""

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


def show(settings: GlobalOptions, result: CommandResult | int | None) -> int:
    """Print the result of a command, and return the exit code."""
    if not isinstance(result, CommandResult):
        return int(result or 0)  # --help and --version have printed already
    if settings.json:
        emit(envelope(settings.command, result.ok, result.data, None))
    elif result.document is not None:
        emit(result.document)
    elif result.text:
        emit(result.text)
    if result.code is not None:
        return result.code
    return Exit.DONE if result.ok else Exit.NO


def emit(content: str | bytes) -> None:
    """Write to standard output, all of it or an error; bytes exactly as they are."""
    if sys.stdout is None:
        return
    try:
        click.echo(content, nl=isinstance(content, str))
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        raise
    except OSError as err:
        _discard_stdout()
        raise ToolError(
            f"standard output cannot be written: {err.strerror}",
            hint="is the disk full?",
        ) from err


def _discard_stdout() -> None:
    """Write no more: Python's flush at exit must not fail a second time."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tolerate_encodings() -> None:
    """Escape what the terminal's encoding lacks."""
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

    if settings.json or _is_json(arguments):
        error = {"message": message, "hint": hint, "exit": int(code), **(facts or {})}
        command = settings.command or _command_name(arguments)
        with suppress(ToolError, BrokenPipeError):
            emit(envelope(command, False, None, error))
    click.echo(f"error: {printable(message)}", err=True)
    if hint:
        click.echo(f"    {printable(hint)}", err=True)
    return int(code)


def fail_unexpectedly(
    settings: GlobalOptions, arguments: list[str], err: BaseException
) -> int:
    """Print an error that no code expected: a full disk, else a bug."""
    if not isinstance(err, OSError) or not (_is_full(err) or _is_denied(err)):
        return _fail_with_bug(settings, arguments, err)
    where = f" in {err.filename}" if err.filename else ""
    message = f"cannot write{where}: {err.strerror}"
    hint = "is the disk full? TMPDIR names another folder for temporary files"
    if _is_denied(err):
        message = f"cannot use {err.filename}: {err.strerror}"
        hint = "check its owner and its permissions"
    return fail(settings, arguments, message, hint, Exit.TOOL_FAILED)


def _is_full(err: OSError) -> bool:
    import errno

    is_full = err.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
    return is_full or "temporary directory" in str(err.strerror)


def _is_denied(err: OSError) -> bool:
    return isinstance(err, PermissionError) and bool(err.filename)


def _fail_with_bug(
    settings: GlobalOptions, arguments: list[str], err: BaseException
) -> int:
    if os.environ.get("SKILLFORGE_DEBUG"):
        import traceback

        traceback.print_exception(err)
    what = f"{type(err).__name__}: {err}" if str(err) else type(err).__name__
    hint = "this is a bug; please report it with the output of SKILLFORGE_DEBUG=1"
    return fail(settings, arguments, f"internal error: {what}", hint, Exit.BUG)


def fail_usage(
    settings: GlobalOptions, arguments: list[str], err: click.ClickException
) -> int:
    """Print an error in the arguments; for a group without a command, its help."""
    message, hint = usage_message(err), usage_hint(err)
    if type(err).__name__ == "NoArgsIsHelpError":  # from click 8.2 on
        if not (settings.json or _is_json(arguments)):
            click.echo(err.format_message(), err=True)
            return err.exit_code
        message = "no command given"
    return fail(settings, arguments, message, hint, err.exit_code)


def usage_hint(err: click.ClickException) -> str:
    """The help of the command that was misused."""
    context = getattr(err, "ctx", None)
    return f"{context.command_path} --help" if context is not None else ""


def usage_message(err: click.ClickException) -> str:
    """What is wrong with the arguments: click's message, except for options."""
    if not isinstance(err, click.NoSuchOption):
        return " ".join(err.format_message().split())
    similar = err.possibilities[0] if err.possibilities else ""
    hint = f"; did you mean `{similar}`?" if similar else ""
    return f"no such option: {err.option_name}{hint}"


def use_colour() -> bool:
    """Whether to use colours: on a terminal, unless NO_COLOR is set."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
    )


def _is_json(arguments: list[str]) -> bool:
    """Whether JSON was requested, as far as arguments that failed to parse say so."""
    options = list(takewhile(lambda argument: argument != "--", arguments))
    by_format = ("--format", "json") in pairwise(options)
    return by_format or "--json" in options or "--format=json" in options


def _command_name(arguments: list[str]) -> str:
    rest = iter(arguments)
    for argument in rest:
        if argument == "--library":
            next(rest, None)  # its value
        elif not argument.startswith("-"):
            return argument
    return ""
