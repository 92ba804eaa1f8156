"""A progress bar for fetch and push, on standard error if that is a terminal."""

import io
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Protocol, TextIO, cast

from skillforge import processes

_DELAY = 0.5  # seconds before a bar appears: most transfers are over by then
_WIDTH = 20
# Stages by GitPython's codes for them.
_STAGES = {
    4: "Counting objects",
    8: "Compressing objects",
    16: "Writing objects",
    32: "Receiving objects",
    64: "Resolving deltas",
    128: "Finding sources",
}
# The rest of a message may come from the other side: it could control the terminal.
_AMOUNT = re.compile(r"[0-9.]+ [KMGT]?i?(?:B|bytes)(?: \| [0-9.]+ [KMGT]?i?B/s)?")
_CLEAR = "\r\x1b[K"


class Parser(Protocol):
    """What GitPython's `RemoteProgress` offers."""

    error_lines: list[str]
    other_lines: list[str]

    def new_message_handler(self) -> Callable[[str], None]: ...


class ProgressBar:
    """One line of a terminal, drawn again at each update."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._start = time.monotonic() + _DELAY
        self._drawn = ""

    def __call__(
        self, code: int, count: float, maximum: float | None, message: str = ""
    ) -> None:
        stage = next((name for bit, name in _STAGES.items() if code & bit), "")
        share = count / maximum if maximum else 0.0
        if not stage or not math.isfinite(share) or time.monotonic() < self._start:
            return
        share = min(share, 1.0)
        amount = message if _AMOUNT.fullmatch(message) else ""
        bar = f"{'#' * int(share * _WIDTH):<{_WIDTH}}"
        line = f"{stage:<20} [{bar}] {share:4.0%} {amount}".rstrip()
        if line != self._drawn:
            self._drawn = line
            self._write(f"{_CLEAR}{line}")

    def clear(self) -> None:
        if self._drawn:
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a closed terminal must not end a transfer
            self._stream.write(text)
            self._stream.flush()


@contextmanager
def bar() -> Iterator[ProgressBar]:
    """A bar on standard error, which is erased in the end."""
    drawn = ProgressBar(sys.stderr)
    try:
        yield drawn
    finally:
        drawn.clear()


def is_shown() -> bool:
    """Whether standard error is a terminal that can redraw a line."""
    with suppress(AttributeError, ValueError):
        return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    return False


def follow(
    process: processes.Process,
    stdin: bytes,
    parser: Parser,
    pump: Callable[..., None],
) -> processes.ProcessResult:
    """The result of a git that reports progress, which is not in its complaint.

    `pump` is GitPython's `handle_process_output`.
    """
    out: list[bytes] = []
    stderr = cast("IO[bytes]", process.stderr)
    # As text: a carriage return ends a line, too.
    cast("Any", process).stderr = io.TextIOWrapper(stderr, "utf-8", "replace")
    with processes.running(process), processes.fed(process, stdin):
        handler = parser.new_message_handler()
        pump(process, out.append, handler, decode_streams=False)
        code = process.wait()
    complaint = "\n".join([*parser.other_lines, *parser.error_lines])
    return processes.ProcessResult(code, b"".join(out), complaint.encode())
