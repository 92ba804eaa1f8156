"""The descendants of a process, found without a namespace.

The ancestor adopts orphans, so none can leave the tree, which is read from /proc.
"""

import os
import resource
import signal
import stat
import time
from contextlib import suppress

from skillforge.sandbox import Limits
from skillforge.sandbox.resource_usage import MOST_MAPS, ResourceUsage

_PATIENCE = 10  # seconds, for a process that the kernel cannot end at once
_MOST_MOVED = 10  # checks in a row that miss a folder; cleaning up takes fewer
_USUAL_BUFFER = 212_992


def _numbers(pid: str) -> list[bytes]:
    """The fields of a process's `stat` from its state on; none if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The program's name can contain anything; the fields follow its bracket.
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def parent(pid: int) -> int:
    """The parent of a process or thread; 0 if there is none."""
    numbers = _numbers(str(pid))
    return int(numbers[1]) if numbers else 0


def descends(pid: int, ancestor: int) -> bool:
    """Whether a process is below another one."""
    while pid > 1:
        pid = parent(pid)
        if pid == ancestor:
            return True
    return False


def descendants(ancestor: int) -> list[int]:
    """All descendants of a process, including zombies."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (numbers := _numbers(name)):
            children.setdefault(int(numbers[1]), []).append(int(name))
    found: list[int] = []
    waiting = [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def group(number: int) -> list[int]:
    """All processes of a process group."""
    names = (name for name in os.listdir("/proc") if name.isdigit())
    numbers = ((name, _numbers(name)) for name in names)
    return [int(name) for name, of in numbers if of and int(of[2]) == number]


def tasks_of(user: int) -> int:
    """The number of threads of a user."""
    count = 0
    for name in os.listdir("/proc"):
        with suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                numbers = _numbers(name)
                count += int(numbers[17]) if numbers else 0
    return count


def reap(but: int = 0) -> None:
    """Reap our dead children, except one."""
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    with suppress(ChildProcessError):
        while (ended := os.waitid(os.P_ALL, 0, options)) and ended.si_pid != but:
            os.waitpid(ended.si_pid, 0)


def kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(OSError):
            resource.prlimit(pid, resource.RLIMIT_NPROC, (0, 0))  # it can't fork
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def has_children() -> bool:
    """Whether there is a child, dead or alive; without one, no descendant."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def end_all() -> None:
    """Kill all descendants; OSError if one survives.

    Zombies count toward the limit on processes, and are only reaped when no new process
    appears. That stops a process that forks and exits faster than we kill.
    """
    deadline = time.monotonic() + _PATIENCE
    known: list[int] = []
    reap()
    while has_children():
        pids = descendants(os.getpid())
        kill(pids)
        if pids == known:
            reap()
        known = pids
        if time.monotonic() > deadline:
            raise OSError(f"{len(pids)} processes of the job cannot be ended")
        time.sleep(0.001)


class TreeUsage(ResourceUsage):
    """What all descendants use together, and the size of the work directory."""

    own = 0

    def __init__(self, proc: int, work: str, limits: Limits) -> None:
        super().__init__(proc, (), limits)
        self.work = work
        self._pids: list[str] = []
        self._sockets: set[int] = set()
        self._buffer = _socket_buffer()
        self._moved = 0  # how often in a row a folder disappeared before it was read

    def pids(self) -> list[str]:
        return self._pids

    def spent(self) -> int:
        """Processor time of reaped processes, in ticks."""
        times = os.times()
        seconds = times.children_user + times.children_system
        return int(seconds * os.sysconf("SC_CLK_TCK"))

    def space(self) -> str:
        size, count, is_whole = _measure(self.work, self.limits.work_files)
        if count > self.limits.work_files:
            return self.limits.over("work_files")
        self._moved = 0 if is_whole else self._moved + 1
        if size < 0 or self._moved > _MOST_MOVED:
            return "it closed, nested or moved folders: their files can't be counted"
        size += sum(self._deleted().values())
        return self.limits.over("work_size") if size > self.limits.work_size else ""

    def excess(self) -> str:
        self.is_hidden = False
        self._pids = [str(pid) for pid in descendants(os.getpid())]
        if len(self._pids) > self.limits.processes:
            return self.limits.over("processes")
        limit = super().excess()
        return limit or ("its memory can't be measured" if self.is_hidden else "")

    def _deleted(self) -> dict[tuple[int, int], int]:
        """The sizes of deleted files that still use disk space, by device and inode."""
        sizes: dict[tuple[int, int], int] = {}
        self._sockets.clear()
        for pid in self.pids():
            place, names = pid, _open_files(pid)
            if not names:  # its first thread has ended
                names = _open_files(place := self._thread(pid))
            mapped = self._mapped(place)
            for name in ("exe", *names):
                with suppress(OSError):
                    facts = os.stat(f"/proc/{place}/{name}")
                    where = (facts.st_dev, facts.st_ino)
                    if stat.S_ISSOCK(facts.st_mode):
                        self._sockets.add(facts.st_ino)
                    elif facts.st_nlink == 0 and facts.st_blocks:
                        sizes[where] = facts.st_blocks * 512
                    mapped.discard(facts.st_ino)
            if mapped:  # unless the process ended before its files were read
                mapped &= self._mapped(place)
            # Files that are only mapped: their size on disk is unknown.
            sizes |= {(0, number): self.limits.file_size for number in mapped}
        return sizes

    def _memory(self, living: list[str]) -> int:
        """Memory, with full buffers for all sockets."""
        return super()._memory(living) + len(self._sockets) * self._buffer

    def _mapped(self, place: str) -> set[int]:
        """The inodes of deleted files of the work directory that a process maps."""
        lines = self.read(f"{place}/maps", MOST_MAPS).split(b"\n")
        work = os.fsencode(self.work)
        gone = [line for line in lines if line.endswith(b" (deleted)") and work in line]
        return {int(line.split(None, 5)[4]) for line in gone}


def _open_files(place: str) -> list[str]:
    try:
        return [f"fd/{name}" for name in os.listdir(f"/proc/{place}/fd")]
    except OSError:
        return []


def _socket_buffer() -> int:
    """The default send buffer of a socket, in bytes."""
    try:
        with open("/proc/sys/net/core/wmem_default", "rb") as file:
            return int(file.read())
    except (OSError, ValueError):
        return _USUAL_BUFFER


def _measure(folder: str, most: int) -> tuple[int, int, bool]:
    """The size of a folder, its number of files, and whether that is complete.

    It stops at too many files. The size is -1 if a folder cannot be read.
    """
    size = count = 0
    is_whole = True
    waiting = [folder]
    while waiting and count <= most:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            is_whole = False  # it was there a moment ago
        except OSError:
            return -1, count, False
    return size, count, is_whole
