"""Progress bars on stderr, for what can take long."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from skillforge.worker_pool import Progress

_DELAY = 0.5  # seconds before a bar appears: most stages are over by then


@contextmanager
def progress(is_quiet: bool) -> Iterator["Progress"]:
    """A bar for each stage of the work, on a terminal; nothing in a pipe."""
    from skillforge.worker_pool import Progress

    if is_quiet or sys.stderr is None or not sys.stderr.isatty():
        yield Progress()
        return
    stages = _Stages()
    try:
        yield Progress(stages.start, stages.done)
    finally:
        stages.finish()


class _Stages:
    """The bar of the current stage, once that takes long."""

    def __init__(self) -> None:
        self._bar: Any = None
        self.start("", 0)

    def start(self, what: str, count: int) -> None:
        self.finish()
        self._what, self._count = what, count
        self._began, self._waiting = time.monotonic(), 0

    def done(self, _item: object) -> None:
        self._waiting += 1
        if self._bar is None and time.monotonic() - self._began >= _DELAY:
            self._bar = click.progressbar(
                length=self._count, label=self._what, file=sys.stderr
            )
        if self._bar is not None:
            self._bar.update(self._waiting)
            self._waiting = 0

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None
