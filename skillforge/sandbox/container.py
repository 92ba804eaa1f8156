"""Jobs in containers of docker or podman: slower than bubblewrap, but also on macOS.

Each job has its own container. The first process only waits; the job is a second one,
of a user who cannot touch the first. The image needs Python 3.10 or newer and a shell,
and is never pulled.
"""

import base64
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skillforge import processes
from skillforge.errors import ToolError
from skillforge.sandbox import (
    ENVIRONMENT,
    HOME_DIR,
    SKILL_DIR,
    USER_ID,
    WORK_DIR,
    Job,
    JobResult,
    Limits,
    SandboxError,
    WorkFile,
    container_agent,
    probe,
    seccomp,
    traps,
)
from skillforge.sandbox.job_monitor import JobRun, JobTraces, attend, conclude

_IMAGE = "SKILLFORGE_SANDBOX_IMAGE"
_OPTIONS = "SKILLFORGE_SANDBOX_OPTIONS"
_DEFAULT_IMAGE = "python:3.12-slim"
_PACKAGE = Path(__file__).parents[1]  # mounted for the container's Python
_PLACE = "/skillforge"
_WAITER = USER_ID - 1  # the user of the first process
_HEADROOM = 16  # processes of ours in the container
# Of the image's variables, the job gets only PATH.
_CLEAN = 'exec env -i "PATH=$PATH" "$@"'


class Container:
    """A sandbox of `docker` or `podman`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.image = os.environ.get(_IMAGE) or _DEFAULT_IMAGE
        self.options = os.environ.get(_OPTIONS, "").split()

    def about(self) -> str:
        image = self._call("image", "inspect", "--format", "{{.Id}}", self.image)
        return f"{self.name}, {self.image} {image.out.decode().strip()}"

    def gaps(self) -> list[str]:
        """What containers cannot do on this machine, by trying it."""
        if not shutil.which(self.name):
            return [f"{self.name} is not installed"]
        info = self._call("info")
        if info.code:
            complaint = info.complaint.splitlines() or ["no reason given"]
            return [f"{self.name} does not respond: {complaint[-1][:200]}"]
        if self._call("image", "inspect", self.image).code:
            return [
                f"image {self.image} not found: {self.name} pull {self.image}, or "
                f"name another one in ${_IMAGE}"
            ]
        # The job is nobody on the host, too, so it needs no user namespace.
        return probe.gaps(self, ("ipc", "mnt", "net", "pid", "uts", "cgroup"))

    def weaknesses(self) -> list[str]:
        return []

    def run(self, job: Job) -> JobResult:
        with tempfile.TemporaryDirectory(prefix="skillforge-container-") as scratch:
            return _ContainerJob(self, job.at(""), Path(scratch)).run()

    def start(self, *arguments: str, cwd: Path | None = None) -> processes.Process:
        line = [self.name, *self.options, *arguments]
        return processes.start(line, stdin=True, cwd=cwd)

    def _call(self, *arguments: str) -> processes.ProcessResult:
        try:
            return processes.finish(self.start(*arguments))
        except ToolError as err:
            return processes.ProcessResult(127, b"", err.message.encode())


class _ContainerJob:
    """One job in its container."""

    def __init__(self, box: Container, job: Job, scratch: Path) -> None:
        self.box = box
        self.job = job
        self.scratch = scratch
        self.traps = traps.Traps() if job.has_traps else None

    def run(self) -> JobResult:
        self.name = self._open()
        try:
            marks = self._ask("furnish", self._things())
            attended = self._attend()
            if attended.limit:  # the container was removed with its files
                return conclude(attended, JobTraces({}, [], ""), None, self.job.limits)
            return self._ended(attended, marks)
        finally:
            self._call("rm", "--force", self.name)

    def _open(self) -> str:
        """Start the container without the job; its name."""
        profile = self.scratch / "seccomp.json"
        profile.write_text(json.dumps(seccomp.profile()))
        hardened = ["--network", "none", "--read-only", "--cap-drop", "ALL"]
        for option in ("no-new-privileges", "label=disable", f"seccomp={profile}"):
            hardened += ["--security-opt", option]
        if self.box.name == "podman":
            hardened += ["--read-only-tmpfs=false", "--no-hosts"]
        hardened += [
            "--pull",
            "never",
            "--cgroupns",
            "private",
            "--hostname",
            "sandbox",
        ]
        mounts = {SKILL_DIR: self.job.skill, f"{_PLACE}/skillforge": _PACKAGE}
        mounts |= self.job.mounts
        for where, path in mounts.items():
            hardened += ["--volume", f"{path}:{where}:ro"]
        hardened += [*_bounds(self.job.limits), "--user", f"{_WAITER}:{_WAITER}"]
        waits = container_agent.WAIT.format(seconds=int(self.job.limits.seconds) + 120)
        done = self._call(
            *(
                "run",
                "--detach",
                "--rm",
                "--stop-signal",
                "KILL",
                "--workdir",
                WORK_DIR,
                *hardened,
            ),
            *(self.box.image, "python3", "-c", waits),
        )
        name = done.out.decode().split()[-1:]
        if done.code or not name:
            last = done.complaint.splitlines()[-1:] or [f"{self.box.name} run failed"]
            raise SandboxError(f"the container cannot be started: {last[0][:300]}")
        return name[0]

    def _things(self) -> dict[str, Any]:
        files = self.job.files.items()
        return {
            "files": {path: base64.b64encode(data).decode() for path, data in files},
            "links": dict(self.job.links),
            "token": self.traps.token if self.traps else "",
        }

    def _ask(self, what: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Call a function of `container_agent` in the container."""
        code = container_agent.CALL.format(place=_PLACE)
        code += f"container_agent.{what}()"
        line = [*self._inside("/"), "python3", "-I", "-c", code]
        answer = self._call(*line, stdin=json.dumps(request).encode())
        try:
            if answer.code:
                raise ValueError(answer.code)
            return container_agent.answer_of(answer.out)
        except ValueError as err:
            complaint = answer.complaint.splitlines()[-1:] or ["no answer"]
            raise SandboxError(
                f"the container does not respond: {complaint[0]}"
            ) from err

    def _inside(self, folder: str) -> list[str]:
        """Arguments that run a command in the container as the job's user."""
        who = ["--user", f"{USER_ID}:{USER_ID}", "--workdir", folder]
        return ["exec", "--interactive", *who, self.name]

    def _attend(self) -> JobRun:
        planted = self.traps.variables if self.traps else {}
        env = {**ENVIRONMENT, **planted, **self.job.env}
        line = [*self._inside(WORK_DIR), "sh", "-c", _CLEAN, "sh"]
        line += [f"{name}={value}" for name, value in env.items()]
        client = self.box.start(*line, *self.job.argv, cwd=self.scratch)

        def end() -> None:
            if client.poll() is None:
                client.kill()  # the client waits for us to read; it is not the job
                self._call("rm", "--force", self.name)

        with processes.running(client), processes.fed(client, self.job.stdin):
            return attend(client, self.job.limits, lambda: "", end)

    def _ended(self, attended: JobRun, changed: Mapping[str, Any]) -> JobResult:
        limits, paths = self.job.limits, self.job.collect
        request = {"paths": paths, "most": limits.output, "marks": changed}
        self._ask("clear", {})
        answer = self._ask("collect", request)
        files = {
            path: WorkFile(kind, base64.b64decode(data))
            for path, (kind, data) in answer["files"].items()
        }
        attended = attended._replace(limit=_excess(answer, limits))
        traces = JobTraces(files, answer["touched"], answer["counters"])
        return conclude(attended, traces, self.traps, limits)

    def _call(self, *arguments: str, stdin: bytes = b"") -> processes.ProcessResult:
        # Podman may leave a file in the current folder.
        return processes.finish(self.box.start(*arguments, cwd=self.scratch), stdin)


def _bounds(limits: Limits) -> Sequence[str]:
    work = f"rw,exec,nosuid,nodev,mode=1777,size={limits.work_size}"
    home = "rw,noexec,nosuid,nodev,mode=1777,size=65536"
    return [
        *("--memory", str(limits.memory), "--memory-swap", str(limits.memory)),
        *("--pids-limit", str(limits.processes + _HEADROOM)),
        *("--ulimit", f"nofile={limits.open_files}:{limits.open_files}"),
        *("--ulimit", f"nproc={limits.processes * 2}:{limits.processes * 2}"),
        *("--ulimit", f"fsize={limits.file_size}:{limits.file_size}"),
        *("--ulimit", f"cpu={limits.cpu_seconds}:{limits.cpu_seconds}"),
        *("--ulimit", "core=0:0", "--shm-size", str(limits.work_size)),
        *("--tmpfs", f"{WORK_DIR}:{work}", "--tmpfs", f"{HOME_DIR}:{home}"),
    ]


def _excess(answer: Mapping[str, Any], limits: Limits) -> str:
    """The limit that a job exceeded, by the container's answer."""
    over = {
        "work_size": answer["is_full"],
        "work_files": answer["file_count"] > limits.work_files,
        "memory": answer["refused"]["oom_kill"],
        "processes": answer["refused"]["max"],
    }
    return next((limits.over(name) for name, is_over in over.items() if is_over), "")
