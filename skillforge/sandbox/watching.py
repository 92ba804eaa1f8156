"""Attend a running job: cut what it writes, count what it uses, say when to end it."""

import io
import os
import re
import selectors
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from skillforge.proc import Process
from skillforge.sandbox import Ended, Found, Limits, traps

_TICKS = os.sysconf("SC_CLK_TCK")
_MOST_MAPS = 1 << 20  # bytes of a list of what a process has mapped
_SCARCE = 25  # of its memory, the part that a machine has to have left
_FIRST_LOOK, _LAST_LOOK = 0.01, 0.1  # seconds between two looks at what it uses


class Attended(NamedTuple):
    """What was seen of a job while it ran, and how it ended."""

    code: int
    out: bytes
    err: bytes
    seconds: float
    limit: str
    is_timeout: bool


class Seen(NamedTuple):
    """What was seen of a job when it was gone: its files, touched keys, counters."""

    found: Mapping[str, Found]
    touched: list[str]
    counters: str


def conclude(
    attended: Attended, seen: Seen, planted: traps.Traps | None, limits: Limits
) -> Ended:
    """All that was seen of a job, put together."""
    texts = (attended.out, attended.err, *(it.data for it in seen.found.values()))
    leaked = planted is not None and planted.is_in(texts)
    return Ended(
        *attended[:4],
        attended.limit or limits.of_code(attended.code),
        attended.is_timeout,
        seen.found,
        traps.describe(seen.touched, leaked),
        traps.tried_to_connect(seen.counters),
    )


def attend(
    process: Process, limits: Limits, look: Callable[[], str], end: Callable[[], None]
) -> Attended:
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
    with _Watched(process, streams) as watched:
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
    return Attended(process.wait(), out, err, seconds, limit, is_timeout)


def _look_at_end(look: Callable[[], str]) -> str:
    """What can be seen of a job that is gone: its work directory, if not more."""
    try:
        return look()
    except OSError:
        return ""


def _flood(streams: dict[int, bytearray], limits: Limits) -> str:
    is_fine = all(len(data) <= limits.output for data in streams.values())
    return "" if is_fine else limits.over("output")


class _Watched:
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

    def __enter__(self) -> "_Watched":
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


class Usage:
    """What all processes of a job use together, read from its own /proc."""

    def __init__(self, proc: int, places: Sequence[int], limits: Limits) -> None:
        self.proc = proc
        self.places = places  # where it may write, the work directory first
        self.limits = limits

    def excess(self) -> str:
        """Which limit the job is over; empty if none."""
        return self._space() or self._processes()

    def _space(self) -> str:
        rooms = [os.fstatvfs(place) for place in self.places]
        if rooms[0].f_bavail == 0:
            return self.limits.over("work_size")
        if sum(room.f_files - room.f_ffree for room in rooms) > self.limits.work_files:
            return self.limits.over("work_files")
        return ""

    def _processes(self) -> str:
        try:
            pids = [name for name in os.listdir(self.proc) if name.isdigit()]
        except OSError:
            return ""  # the room is gone, and all that was in it
        tasks = -1  # the first is the sandbox's own
        ticks = 0
        living: list[str] = []
        for pid in pids:
            if not (stat := self._read(f"{pid}/stat")):
                continue
            # The name of a program may hold anything; the numbers follow its bracket.
            numbers = stat.rpartition(b")")[2].split()
            ticks += sum(map(int, numbers[11:15]))
            tasks += int(numbers[17])
            living.append(pid if numbers[0] != b"Z" else self._thread(pid))
        if living and _is_scarce():
            return "the machine has hardly any memory left"
        if tasks > self.limits.processes:
            return self.limits.over("processes")
        if ticks > self.limits.cpu_seconds * _TICKS:
            return self.limits.over("cpu_seconds")
        if self._memory(living) > self.limits.memory:
            return self.limits.over("memory")
        return ""

    def _thread(self, pid: str) -> str:
        """A thread that outlives the first one of its process, which says nothing."""
        try:
            fd = os.open(f"{pid}/task", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc)
        except OSError:
            return pid
        try:
            others = [task for task in os.listdir(fd) if task != pid]
        except OSError:
            others = []
        finally:
            os.close(fd)
        return f"{pid}/task/{others[0]}" if others else pid

    def _memory(self, living: list[str]) -> int:
        """What all hold of their own, and what they share, touched or not."""
        own = 0
        shared: dict[bytes, int] = {}
        for place in living:
            own += _held(self._read(f"{place}/status"))
            maps = self._read(f"{place}/maps", _MOST_MAPS)
            if len(maps) == _MOST_MAPS:  # so many pieces that nobody could count them
                return self.limits.memory + 1
            shared |= _shared_maps(maps)
        if own + sum(shared.values()) > self.limits.memory:
            own = self._shares(living, own)  # which takes longer to find out
        return own + sum(shared.values())

    def _shares(self, living: list[str], own: int) -> int:
        """The same, where what a process has from its parent counts once."""
        lines = [
            line
            for place in living
            for line in self._read(f"{place}/smaps_rollup").split(b"\n")
            if line.startswith(b"Pss_Anon:")
        ]
        return sum(int(line.split()[1]) * 1024 for line in lines) if lines else own

    def _read(self, path: str, most: int = -1) -> bytes:
        """A file of /proc, or its start; empty once its process is gone."""
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc)
        except OSError:
            return b""
        with open(fd, "rb", buffering=0) as file:
            try:
                return file.read() if most < 0 else _start_of(file, most)
            except OSError:
                return b""


def _held(status: bytes) -> int:
    """What a process holds of its own: pages, and the tables to find them."""
    found = re.findall(rb"^(?:RssAnon|VmPTE):\s+(\d+) kB$", status, re.MULTILINE)
    return sum(map(int, found)) * 1024


def _shared_maps(maps: bytes) -> dict[bytes, int]:
    """The sizes of memory that processes share, by the number that tells them apart."""
    found: dict[bytes, int] = {}
    if b"/dev/zero" not in maps and b"/SYSV" not in maps:
        return found
    for line in maps.split(b"\n"):
        if b"/dev/zero (deleted)" in line or b"/SYSV" in line:
            span, _perms, _offset, _device, number, *_ = line.split()
            start, end = (int(part, 16) for part in span.split(b"-"))
            found[number] = found.get(number, 0) + end - start
    return found


def _start_of(file: io.FileIO, most: int) -> bytes:
    """The first bytes of a file that gives them a page at a time."""
    data = b""
    while len(data) < most and (part := file.read(most - len(data))):
        data += part
    return data


def _is_scarce() -> bool:
    """Whether the machine itself has hardly any memory left."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            facts = dict(
                re.findall(r"^(MemTotal|MemAvailable):\s+(\d+)", file.read(), re.M)
            )
    except OSError:
        return False
    return int(facts.get("MemAvailable", 1)) * _SCARCE < int(facts.get("MemTotal", 1))
