"""Jobs without namespaces: Landlock, a filter on system calls, and a supervisor.

For machines without namespaces, such as most containers. The job runs in a scratch
folder with the layout of other sandboxes, and paths in its output are translated, so
results are the same everywhere. Landlock lets it read the system and its skill, and
write its work directory. `launcher` runs it.

The package sandlock (0.9) is not enough. With its virtual paths, a link in the work
directory lets a job change mode, owner, times and length of its user's files; without
them, a job can set modes and times of all files of its user.
"""

import json
import os
import platform
import select
import sys
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from skillforge import processes
from skillforge.sandbox import (
    Job,
    JobResult,
    SandboxError,
    WorkFile,
    launcher,
    process_tree,
    traps,
    work_files,
)
from skillforge.sandbox.file_watch import FileWatch
from skillforge.sandbox.job_monitor import JobRun, JobTraces, attend, conclude
from skillforge.sandbox.scratch_root import (
    ScratchRoot,
    interpreter,
    is_root,
    scratch_folder,
    sweep,
)

_PACKAGE = Path(__file__).parents[2]  # where the launcher finds this package
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_PATIENCE = 15_000  # milliseconds for the launcher to kill all processes
_TIMES = 5  # how often processes are killed that may start others
WEAKNESSES = (
    "a job runs as your own user, or as nobody (65534) if you are root",
    "a job can find out whether a file exists, its size, its times and its link target",
    "a job can find out the host name and the process ids in use",
    "a job can't use sockets (not even its own), terminals or /dev/shm",
    "a job can't write to /tmp; TMPDIR is the work directory",
    "a job can read the packages of the system's Python by their full path",
    "a job can read all of /usr, except sources, your home, the current repository, "
    "and files in /usr/local that belong to no program",
)


class Landlock:
    """The sandbox for machines without namespaces; tests lower `most`."""

    name = "landlock"

    def __init__(self, most: int = 1000) -> None:
        self.most = most

    @cached_property
    def abi(self) -> int:
        """The usable Landlock version; 0 for none."""
        from skillforge.sandbox import confine

        return min(confine.landlock_version(), self.most)

    def about(self) -> str:
        return f"landlock {self.abi}, {_python_version()}"

    def gaps(self) -> list[str]:
        """What Landlock cannot do on this machine, by trying it."""
        from skillforge.sandbox import landlock_probe

        if not sys.platform.startswith("linux"):
            return ["it needs Linux"]
        if platform.machine() not in ("x86_64", "aarch64"):
            return [f"it doesn't support {platform.machine()}"]
        if self.abi < 1:
            return [
                "the kernel has no Landlock; it needs Linux 5.13, with lsm=landlock"
            ]
        sweep()
        return landlock_probe.gaps(self)

    def weaknesses(self) -> list[str]:
        return list(WEAKNESSES)

    def run(self, job: Job) -> JobResult:
        with ExitStack() as stack:
            scratch = stack.enter_context(scratch_folder())
            return _LandlockJob(self.abi, job.at(scratch), scratch, stack).run()


@cache
def _python_version() -> str:
    """The version of the jobs' Python: other users may be unable to run root's."""
    result = processes.run([interpreter() or "python3", "-I", "-S", "-V"], env={})
    return result.out.decode("utf-8", "replace").strip()


@dataclass
class _LandlockJob:
    """One job in its scratch folder; `stack` closes the handles."""

    abi: int
    job: Job
    scratch: str
    stack: ExitStack

    def run(self) -> JobResult:
        job, limits = self.job, self.job.limits
        root = self._furnish()
        planted = traps.Traps() if job.has_traps else None
        home = self._hold(work_files.open_folder(root.home))
        marks = traps.plant(home, planted) if planted else {}
        os.fchmod(home, 0o555)
        watch = self._watch(root, marks)
        attended, report = self._attend(root, planted)
        touched = watch.touched() | set(traps.touched(home, marks))
        files = work_files.take_all(
            self._hold(work_files.open_folder(root.work)), job.collect, limits.output
        )
        ended = conclude(
            attended, JobTraces(files, sorted(touched), ""), planted, limits
        )
        return _translated(replace(ended, tried_to_connect=report["connects"]), root)

    def _watch(self, root: ScratchRoot, marks: Iterable[str]) -> FileWatch:
        """Watch the planted keys. The number of watches per user is limited."""
        try:
            watch = self.stack.enter_context(FileWatch())
            for path in marks:
                watch.add(f"{root.home}/{path}", f"~/{path}")
        except OSError as err:
            raise SandboxError(
                f"planted keys cannot be watched: {err.strerror}",
                hint="raise fs.inotify.max_user_instances and max_user_watches",
            ) from err
        return watch

    def _hold(self, fd: int) -> int:
        self.stack.callback(os.close, fd)
        return fd

    def _furnish(self) -> ScratchRoot:
        root = ScratchRoot(self.job, self.scratch)
        try:
            root.build()
        except OSError as err:
            raise SandboxError(
                f"the files of the case cannot be written: {err.strerror}"
            ) from err
        return root

    def _spec(self, root: ScratchRoot, planted: traps.Traps | None) -> str:
        """Write the specification of the job for the launcher; its path."""
        env = {**root.variables(), **(planted.variables if planted else {})}
        spec = {
            "argv": self.job.argv,
            "env": {**env, **self.job.env},
            "work": root.work,
            "stdin": root.stdin,
            "reads": root.reads,
            "devices": _DEVICES,
            "limits": asdict(self.job.limits),
            "abi": self.abi,
            "is_root": is_root(),
        }
        path = f"{self.scratch}/job.json"
        with open(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w"
        ) as to:
            json.dump(spec, to)
        return path

    def _attend(
        self, root: ScratchRoot, planted: traps.Traps | None
    ) -> tuple[JobRun, dict[str, Any]]:
        receive, send = os.pipe()
        self._hold(receive)
        words = ["-I", "-S", "-c", launcher.CALL, str(_PACKAGE)]
        words += [self._spec(root, planted), str(send)]
        try:
            process = processes.start(
                [sys.executable, *words], env={}, stdin=True, handed=[send]
            )
        finally:
            os.close(send)
        with processes.running(process):
            _wait(receive)
            attended = attend(
                process, self.job.limits, lambda: "", lambda: _end(process)
            )
        report = _read_report(receive)
        if report["error"]:
            words = attended.err.decode("utf-8", "replace").splitlines()[-1:]
            why = ": ".join((report["error"], *words))
            raise SandboxError(f"Landlock cannot confine the job: {why}")
        return attended._replace(limit=attended.limit or report["limit"]), report


def _wait(report: int) -> None:
    """Wait until the job has started or failed to start: its time begins then."""
    waiting = select.poll()
    waiting.register(report, select.POLLIN)
    waiting.poll(_PATIENCE)


def _end(process: processes.Process) -> None:
    """Have the launcher kill all processes and exit."""
    assert process.stdin is not None
    with suppress(OSError):
        os.write(process.stdin.fileno(), b"\n")
    waiting = select.poll()
    waiting.register(held := os.pidfd_open(process.pid), select.POLLIN)
    is_over = waiting.poll(_PATIENCE)
    os.close(held)
    if not is_over:  # it hangs in the kernel: kill its processes from here
        for _ in range(_TIMES):
            process_tree.kill(process_tree.descendants(process.pid))
        process.kill()
        raise SandboxError("the launcher of the job doesn't respond")


def _read_report(fd: int) -> dict[str, Any]:
    with open(fd, "rb", closefd=False) as file:
        data = file.read()
    try:
        report = json.loads(data)
    except ValueError:
        report = {"error": "the launcher crashed"}
    return {"limit": "", "connects": False, "error": "", **report}


def _translated(ended: JobResult, root: ScratchRoot) -> JobResult:
    """The result with the paths of other sandboxes."""
    files = {
        path: WorkFile(file.kind, root.translate(file.data))
        for path, file in ended.files.items()
    }
    out, err = root.translate(ended.out), root.translate(ended.err)
    return replace(ended, out=out, err=err, files=files)
