"""The start of every command, as `skillforge` and as `python -m skillforge`."""

# Built in: `signal` imports more, and Ctrl-C may come meanwhile.
import _signal  # type: ignore[import-not-found]

# Until `cli.main` can say so, Ctrl-C ends the process without a traceback of imports.
if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import os
import sys

from skillforge import hook_run


def main() -> None:
    """Run a command and exit with its code; `hook run` exits with 0, always."""
    is_utf8 = sys.getfilesystemencoding() == "utf-8"
    if not is_utf8:
        os.environ["PYTHONUTF8"] = "1"  # for every Python that is started from here
    if hook_run.is_asked_for(sys.argv[1:]):
        hook_run.main(sys.argv[1:])
    if not is_utf8 and "utf8" not in sys._xoptions:
        _start_again()
    from skillforge.cli import main as run_command

    run_command()


def _start_again() -> None:
    """Start this process again with names of files in UTF-8, as git has them.

    Python takes them, once and for all, to be in the encoding of the locale.
    """
    line = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    try:
        os.execv(sys.executable, line)  # noqa: S606
    except OSError:
        return  # most commands work as it is


if __name__ == "__main__":
    main()
