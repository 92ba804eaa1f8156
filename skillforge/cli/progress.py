"""Progress bars on stderr, for what can take long."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from skillforge.worker_pool import Progress


@contextmanager
def progress(is_quiet: bool) -> Iterator["Progress"]:
    """A bar for each stage of the work, on a terminal; nothing in a pipe."""
    from skillforge.worker_pool import Progress

    if is_quiet or sys.stderr is None or not sys.stderr.isatty():
        yield Progress()
        return
    bars: list[Any] = []

    def start(what: str, count: int) -> None:
        finish()
        if count:
            bars.append(click.progressbar(length=count, label=what, file=sys.stderr))
            bars[-1].render_progress()

    def finish() -> None:
        if bars:
            bars.pop().render_finish()

    try:
        yield Progress(start, lambda _item: bars[-1].update(1) if bars else None)
    finally:
        finish()
