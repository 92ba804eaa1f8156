"""Jobs without namespaces: Landlock, a filter on system calls, and a supervisor.

For machines where no namespace can be made, which is most containers. The job runs in
a scratch folder that is laid out like the root of other sandboxes, and what it says of
paths there is translated, so that results are the same everywhere. Landlock lets it
read the system and its skill, and write its work directory; `launcher` runs it.

The package sandlock (0.9) does not carry this. With its virtual paths a link in the
work directory lets a job change mode, owner, times and length of its user's files;
without them, modes and times of every file of the user's can be set.
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
_PATIENCE = 15_000  # milliseconds for the launcher to end all that it started
_TIMES = 5  # that processes are killed which may be starting others
WEAKNESSES = (
    "a job runs as your own user, or as nobody (65534) if you are root",
    "whether a file outside exists, its size, its times and where it links to can be "
    "found out",
    "the host's name, and which process numbers are in use, can be found out",
    "a job can use neither sockets, not even its own, nor terminals, nor /dev/shm",
    "/tmp cannot be written; TMPDIR is the work directory",
    "packages beside the system's Python can be read by their full path",
    "everything below /usr can be read, but for sources, your home, the repository "
    "that you are in, and what of /usr/local is no program's",
)


class Landlock:
    """The sandbox for machines without namespaces; `most` stands for an old kernel."""

    name = "landlock"

    def __init__(self, most: int = 1000) -> None:
        self.most = most

    @cached_property
    def abi(self) -> int:
        """Which Landlock there is; 0 for none."""
        from skillforge.sandbox import confine

        return min(confine.landlock_version(), self.most)

    def about(self) -> str:
        return f"landlock {self.abi}, {_python_version()}"

    def gaps(self) -> list[str]:
        """What Landlock cannot do here, found by trying."""
        from skillforge.sandbox import landlock_probe

        if not sys.platform.startswith("linux"):
            return ["it needs Linux"]
        if platform.machine() not in ("x86_64", "aarch64"):
            return [f"it does not know the system calls of {platform.machine()}"]
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
    """Of the Python that jobs have: root's own may be one that nobody else can run."""
    result = processes.run([interpreter() or "python3", "-I", "-S", "-V"], env={})
    return result.out.decode("utf-8", "replace").strip()


@dataclass
class _LandlockJob:
    """One job in its scratch folder; `stack` closes what is held."""

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
        """Watch the planted keys; a user can have only so many watches at once."""
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
                f"the files of the case cannot be put in place: {err.strerror}"
            ) from err
        return root

    def _spec(self, root: ScratchRoot, planted: traps.Traps | None) -> str:
        """Write down for the launcher what to run, and how; where it is written."""
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
    """Wait until the job has started, or cannot be: its time begins then."""
    waiting = select.poll()
    waiting.register(report, select.POLLIN)
    waiting.poll(_PATIENCE)


def _end(process: processes.Process) -> None:
    """Have the launcher end all that it started, and itself."""
    assert process.stdin is not None
    with suppress(OSError):
        os.write(process.stdin.fileno(), b"\n")
    waiting = select.poll()
    waiting.register(held := os.pidfd_open(process.pid), select.POLLIN)
    is_over = waiting.poll(_PATIENCE)
    os.close(held)
    if not is_over:  # it hangs in the kernel; what it started is ended from here
        for _ in range(_TIMES):
            process_tree.kill(process_tree.descendants(process.pid))
        process.kill()
        raise SandboxError("the launcher of the job hangs")


def _read_report(fd: int) -> dict[str, Any]:
    with open(fd, "rb", closefd=False) as file:
        data = file.read()
    try:
        report = json.loads(data)
    except ValueError:
        report = {"error": "the launcher died"}
    return {"limit": "", "connects": False, "error": "", **report}


def _translated(ended: JobResult, root: ScratchRoot) -> JobResult:
    """The end of a job, where its paths are those of other sandboxes."""
    files = {
        path: WorkFile(file.kind, root.translate(file.data))
        for path, file in ended.files.items()
    }
    out, err = root.translate(ended.out), root.translate(ended.err)
    return replace(ended, out=out, err=err, files=files)
