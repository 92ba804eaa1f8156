"""`skillforge hook run`, which agents call: it exits 0 and prints nothing, always.

Agents take exit codes and output as orders: Codex calls its model again if a Stop hook
exits with 2. So the process that an agent waits for only starts another one in the
background, and ends. Errors are logged for `skillforge doctor`.

Imports here are few, and the others wait for their function: a broken installation must
not reach the agent either, and every import delays it.
"""

import os
import signal

TYPE_CHECKING = False  # `typing` would delay the agent by 6 ms
if TYPE_CHECKING:
    from typing import NoReturn

_GUARD = "SKILLFORGE_HOOK"  # set where a hook is at work: it causes no other
_LONGEST = 600  # seconds that the background process may take
_SHOWN = {"--debug", "--help", "-h", "--json"}
_HERE = {"--now", *_SHOWN}
_FLAGS = {"--", "--version", *_HERE}  # options without a value


class _Stopped(BaseException):
    """A signal has come."""


def is_asked_for(arguments: list[str]) -> bool:
    """Whether these arguments are those of `hook run`, wherever the options are."""
    return _after_run(arguments) > 0


def main(arguments: list[str]) -> "NoReturn":
    """Do what `hook run` is asked for, and exit with 0 whatever happens."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, _stop)
        if not _SHOWN.intersection(arguments):
            _close_output()
        if _HERE.intersection(arguments):
            _work(arguments)
        elif not os.environ.get(_GUARD):
            _start_background(arguments)
    except BaseException as err:  # noqa: BLE001 - whatever it is, the agent goes on
        _fail(arguments, err)
    finally:
        # Not sys.exit: Python would flush its output once more, and fail at that.
        os._exit(0)


def _after_run(arguments: list[str]) -> int:
    """The index after `run` in `hook run`, or 0."""
    hook = _after("hook", arguments, 0)
    return _after("run", arguments, hook) if hook else 0


def _after(name: str, arguments: list[str], start: int) -> int:
    """The index after a command's name, if only options are before it; else 0.

    An option that we don't know may have a value: the error that it deserves is one
    for the log, not for the agent.
    """
    option = ""
    for place, argument in enumerate(arguments[start:], start):
        if argument == name and option != "--library":
            return place + 1
        if not argument.startswith("-") and not option:
            return 0
        takes_value = argument.startswith("-") and argument not in _FLAGS
        option = argument if takes_value and "=" not in argument else ""
    return 0


def _stop(number: int, _frame: object) -> "NoReturn":
    raise _Stopped(f"stopped by {signal.Signals(number).name}")


def _close_output() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def _start_background(arguments: list[str]) -> None:
    """Have the same call worked on by a process that the agent does not wait for.

    It reads what the agent writes, so that nobody waits for an agent that is slow to
    write, or that never closes the pipe.
    """
    from skillforge import processes
    from skillforge.installation import program

    # Not at the end: it would be taken for the value of an option that lacks one.
    after = _after_run(arguments)
    line = [*program(), *arguments[:after], "--now", *arguments[after:]]
    processes.leave(line, env=os.environ, stdin=_readable_input())


def _readable_input() -> int | None:
    try:
        return None if os.isatty(0) or not os.fstat(0) else 0
    except OSError:  # closed
        return None


def _work(arguments: list[str]) -> None:
    os.environ[_GUARD] = "1"
    signal.alarm(_LONGEST)
    from skillforge import cli
    from skillforge.cli.base import GlobalOptions

    settings = GlobalOptions()
    try:
        cli.call(settings, arguments)
    except BaseException as err:
        if "--debug" in arguments:
            os.environ["SKILLFORGE_DEBUG"] = "1"
        if _SHOWN.intersection(arguments) and not isinstance(err, _Stopped):
            cli.show_failure(settings, arguments, err)
        raise


def _fail(arguments: list[str], err: BaseException) -> None:
    """Log an error; there is no one to tell if that fails as well."""
    try:
        from skillforge.store import hook_log

        rest = arguments[_after_run(arguments) :]
        agent = next((word for word in rest if not word.startswith("-")), "")
        hook_log.append(hook_log.entry(agent, "", error=_described(err)))
    except BaseException:  # noqa: BLE001
        return


def _described(err: BaseException) -> str:
    """An error of ours or of click's by its message, a bug with its type."""
    if callable(say := getattr(err, "format_message", None)):
        return str(say())
    if isinstance(err, _Stopped):
        return str(err)
    return str(getattr(err, "message", "") or f"{type(err).__name__}: {err}")
