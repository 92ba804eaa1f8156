"""Measures a running job's processes and files, and compares them with its limits."""

import io
import os
import re
from collections.abc import Sequence

from skillforge.sandbox import Limits

_TICKS = os.sysconf("SC_CLK_TCK")
MOST_MAPS = 1 << 20  # bytes that we read of a process's maps
_SCARCE = 25  # the machine must have at least 1/25 of its memory free


class ResourceUsage:
    """The usage of all processes of a job, read from its /proc."""

    own = 1  # processes of the sandbox itself
    is_hidden = False  # whether one of them could not be read

    def __init__(self, proc: int, places: Sequence[int], limits: Limits) -> None:
        self.proc = proc
        self.places = places  # writable folders, the work directory first
        self.limits = limits

    def excess(self) -> str:
        """The message about an exceeded limit, or empty."""
        return self.space() or self._processes()

    def space(self) -> str:
        rooms = [os.fstatvfs(place) for place in self.places]
        if rooms[0].f_bavail == 0:
            return self.limits.over("work_size")
        if sum(room.f_files - room.f_ffree for room in rooms) > self.limits.work_files:
            return self.limits.over("work_files")
        return ""

    def pids(self) -> list[str]:
        """All processes of the job; none once it is gone."""
        try:
            return [name for name in os.listdir(self.proc) if name.isdigit()]
        except OSError:
            return []

    def spent(self) -> int:
        """Processor time of ended processes, in ticks."""
        return 0

    def _processes(self) -> str:
        tasks = -self.own
        ticks = self.spent()
        living: list[str] = []
        for pid in self.pids():
            if not (stat := self.read(f"{pid}/stat")):
                continue
            # The program's name can contain anything; the fields follow its bracket.
            numbers = stat.rpartition(b")")[2].split()
            ticks += sum(map(int, numbers[11:15]))
            tasks += int(numbers[17])
            living.append(pid if numbers[0] != b"Z" else self._thread(pid))
        if living and _is_scarce():
            return "the machine is almost out of memory"
        if tasks > self.limits.processes:
            return self.limits.over("processes")
        if ticks > self.limits.cpu_seconds * _TICKS:
            return self.limits.over("cpu_seconds")
        if self._memory(living) > self.limits.memory:
            return self.limits.over("memory")
        return ""

    def _thread(self, pid: str) -> str:
        """A thread that outlives the first of its process, whose files are empty."""
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
        """The private memory of all processes, and all shared memory."""
        own = 0
        shared: dict[bytes, int] = {}
        for place in living:
            own += _held(self.read(f"{place}/status"))
            maps = self.read(f"{place}/maps", MOST_MAPS)
            if len(maps) == MOST_MAPS:  # too many pieces to count
                return self.limits.memory + 1
            shared |= _shared_maps(maps)
        if own + sum(shared.values()) > self.limits.memory:
            own = self._shares(living, own)  # slower to read
        return own + sum(shared.values())

    def _shares(self, living: list[str], own: int) -> int:
        """Private memory, with pages inherited by fork counted once."""
        lines = [
            line
            for place in living
            for line in self.read(f"{place}/smaps_rollup").split(b"\n")
            if line.startswith(b"Pss_Anon:")
        ]
        return sum(int(line.split()[1]) * 1024 for line in lines) if lines else own

    def read(self, path: str, most: int = -1) -> bytes:
        """A file of /proc, or its start; empty once its process is gone."""
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc)
            with open(fd, "rb", buffering=0) as file:
                return file.read() if most < 0 else _start_of(file, most)
        except OSError as err:
            self.is_hidden |= isinstance(err, PermissionError)
            return b""


def _held(status: bytes) -> int:
    """The private pages and page tables of a process, in bytes."""
    sizes = re.findall(rb"^(?:RssAnon|VmPTE):\s+(\d+) kB$", status, re.MULTILINE)
    return sum(map(int, sizes)) * 1024


def _shared_maps(maps: bytes) -> dict[bytes, int]:
    """The sizes of shared memory, by inode."""
    sizes: dict[bytes, int] = {}
    if b"/dev/zero" not in maps and b"/SYSV" not in maps:
        return sizes
    for line in maps.split(b"\n"):
        if b"/dev/zero (deleted)" in line or b"/SYSV" in line:
            span, _perms, _offset, _device, number, *_ = line.split()
            start, end = (int(part, 16) for part in span.split(b"-"))
            sizes[number] = sizes.get(number, 0) + end - start
    return sizes


def _start_of(file: io.FileIO, most: int) -> bytes:
    """The first bytes of a file that returns a page per read."""
    data = b""
    while len(data) < most and (part := file.read(most - len(data))):
        data += part
    return data


def _is_scarce() -> bool:
    """Whether the machine is almost out of memory."""
    try:
        with open("/proc/meminfo", encoding="utf-8") as file:
            facts = dict(
                re.findall(r"^(MemTotal|MemAvailable):\s+(\d+)", file.read(), re.M)
            )
    except OSError:
        return False
    return int(facts.get("MemAvailable", 1)) * _SCARCE < int(facts.get("MemTotal", 1))
