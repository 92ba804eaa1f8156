"""Attend a running job: cut what it writes, say when to end it, and conclude."""

import os
import selectors
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from skillforge.processes import Process
from skillforge.sandbox import JobResult, Limits, WorkFile, traps

_FIRST_LOOK, _LAST_LOOK = 0.01, 0.1  # seconds between two looks at what it uses


class JobRun(NamedTuple):
    """What was seen of a job while it ran, and how it ended."""

    code: int
    out: bytes
    err: bytes
    seconds: float
    limit: str
    is_timeout: bool


class JobTraces(NamedTuple):
    """What was seen of a job when it was gone: its files, touched keys, counters."""

    files: Mapping[str, WorkFile]
    touched: list[str]
    counters: str


def conclude(
    run: JobRun, traces: JobTraces, planted: traps.Traps | None, limits: Limits
) -> JobResult:
    """All that was seen of a job, put together."""
    texts = (run.out, run.err, *(file.data for file in traces.files.values()))
    leaked = planted is not None and planted.is_in(texts)
    return JobResult(
        *run[:4],
        run.limit or limits.of_code(run.code),
        run.is_timeout,
        traces.files,
        traps.describe(traces.touched, leaked),
        traps.tried_to_connect(traces.counters),
    )


def attend(
    process: Process, limits: Limits, look: Callable[[], str], end: Callable[[], None]
) -> JobRun:
    """Read what a job writes until it is over; `look` may say that it has to end.

    `end` leaves no process of it: what it wrote before is then read to the last byte.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    streams = {
        process.stdout.fileno(): bytearray(),
        process.stderr.fileno(): bytearray(),
    }
    start = time.monotonic()
    deadline = start + limits.seconds
    limit, is_timeout = "", False
    with _ProcessPipes(process, streams) as watched:
        pause = _FIRST_LOOK
        looks_at = time.monotonic() + pause
        while not limit and watched.is_running:
            now = time.monotonic()
            if now >= deadline:
                limit, is_timeout = limits.over("seconds"), True
            elif now >= looks_at:
                limit = look()
                pause = min(pause * 1.5, _LAST_LOOK)
                looks_at = now + pause
            else:
                watched.wait(min(deadline, looks_at) - now)
                limit = _flood(streams, limits)
        end()
        watched.drain(limits.output)
    seconds = time.monotonic() - start
    limit = limit or _flood(streams, limits) or _look_at_end(look)
    out, err = (bytes(data[: limits.output]) for data in streams.values())
    return JobRun(process.wait(), out, err, seconds, limit, is_timeout)


def _look_at_end(look: Callable[[], str]) -> str:
    """What can be seen of a job that is gone: its work directory, if not more."""
    try:
        return look()
    except OSError:
        return ""


def _flood(streams: dict[int, bytearray], limits: Limits) -> str:
    is_fine = all(len(data) <= limits.output for data in streams.values())
    return "" if is_fine else limits.over("output")


class _ProcessPipes:
    """The pipes of a process, and whether it is still there."""

    def __init__(self, process: Process, streams: dict[int, bytearray]) -> None:
        self.process = process
        self.streams = streams
        self.is_running = True
        self.selector = selectors.DefaultSelector()
        for fd in streams:
            os.set_blocking(fd, False)
            self.selector.register(fd, selectors.EVENT_READ)
        self.pidfd = -1
        if hasattr(os, "pidfd_open"):  # elsewhere, the end of its pipes is its end
            self.pidfd = os.pidfd_open(process.pid)
            self.selector.register(self.pidfd, selectors.EVENT_READ)

    def __enter__(self) -> "_ProcessPipes":
        return self

    def __exit__(self, *_: object) -> None:
        self.selector.close()
        if self.pidfd >= 0:
            os.close(self.pidfd)

    def wait(self, seconds: float) -> None:
        """Wait for something to happen, and read once what there is."""
        for key, _ in self.selector.select(max(0.0, seconds)):
            if key.fd == self.pidfd:
                self.is_running = False
            else:
                self._read(key.fd)
        if not self.selector.get_map():
            self.is_running = False

    def drain(self, most: int) -> None:
        """Read what is left in the pipes, of which no writer is left."""
        for fd, data in self.streams.items():
            while len(data) <= most and self._read(fd):
                pass

    def _read(self, fd: int) -> bool:
        try:
            part = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        self.streams[fd] += part
        if not part:
            with suppress(KeyError):
                self.selector.unregister(fd)
        return bool(part)
