"""Does a sandbox keep its promises here? Asked by running something in it."""

import os
import platform
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillforge.errors import SkillforgeError, unwritable
from skillforge.installation import install_command
from skillforge.sandbox import USER_ID, Job, Limits

if TYPE_CHECKING:
    from skillforge.sandbox import JobResult, Sandbox

_NAMESPACES = ("user", "ipc", "mnt", "net", "pid", "uts", "cgroup")
_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_LIFT = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
# One question a line; what is printed is judged outside.
_QUESTIONS = """
for name in user ipc mnt net pid uts cgroup; do
  echo "ns $(readlink /proc/self/ns/$name)"
done
grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status
cat /proc/self/limits
for place in / /usr /skill /etc /dev /proc/sys/kernel/core_pattern; do
  { test -w $place || touch $place/probe; } 2>/dev/null && echo "writes $place"
done
for place in /root/.ssh /etc/shadow /home/agent/.ssh /run/docker.sock; do
  test -e $place && echo "sees $place"
done
touch /work/probe && echo "works"
"""


def install_hint() -> str:
    """How to get bubblewrap."""
    return f"{install_command('sandbox')}; or the system's package bubblewrap"


def gaps(sandbox: "Sandbox", namespaces: Sequence[str] = _NAMESPACES) -> list[str]:
    """What a sandbox lacks on this machine; with any gap, nothing is run in it."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="skillforge-probe-")
    except OSError as err:
        raise unwritable(tempfile.gettempdir(), err) from err
    with folder as name:
        os.chmod(name, 0o777)  # noqa: S103 - only the mount keeps it from being written
        # So much: where it sees the host's processes, it is to say so, not to be ended.
        limits = Limits(processes=10_000, cpu_seconds=1_000_000, memory=1 << 40)
        job = Job(
            ("sh", "-c", _QUESTIONS), Path(name), collect=("probe",), limits=limits
        )
        try:
            ended = sandbox.run(job)
        except SkillforgeError as err:
            return [_explained(err.message)]
        except OSError as err:
            return [f"it cannot be run: {err}"]
    return _judge(ended, job.limits, namespaces)


def _explained(complaint: str) -> str:
    """The complaint, and what lifts it where that is known."""
    try:
        if _APPARMOR.read_text().strip() == "1" and os.geteuid() != 0:
            return f"AppArmor keeps users from making namespaces; {_LIFT} ({complaint})"
    except OSError:
        pass
    return complaint


def _judge(ended: "JobResult", limits: Limits, namespaces: Sequence[str]) -> list[str]:
    output = ended.out.decode("utf-8", "replace")
    problems = [
        f"no namespace of its own: {n}" for n in namespaces if _shares(output, n)
    ]
    facts = dict(re.findall(r"^(\w+):\s+(\S+)", output, re.MULTILINE))
    expected = {"Uid": str(USER_ID), "NoNewPrivs": "1"}
    if platform.machine() in ("x86_64", "aarch64"):
        expected["Seccomp"] = "2"
    problems += [
        f"{k} is {facts.get(k)}" for k, v in expected.items() if facts.get(k) != v
    ]
    for name in ("CapEff", "CapBnd"):
        if facts.get(name, "1").strip("0"):
            problems.append(f"capabilities are left: {name} {facts.get(name)}")
    problems += [
        f"it {line}" for line in output.split("\n") if line[:5] in ("write", "sees ")
    ]
    if "works\n" not in output or "probe" not in ended.files:
        problems.append("its work directory cannot be written and read")
    return problems + _unlimited(output, limits)


def _shares(output: str, namespace: str) -> bool:
    """Whether a namespace is ours, or not told."""
    try:
        ours = os.readlink(f"/proc/self/ns/{namespace}")
    except OSError:
        return True
    reported = [line[3:] for line in output.split("\n") if line.startswith("ns ")]
    return ours in reported or not any(t.startswith(f"{namespace}:") for t in reported)


def _unlimited(output: str, limits: Limits) -> list[str]:
    most = {
        "Max cpu time": limits.cpu_seconds,
        "Max processes": limits.processes * 2,
        "Max open files": limits.open_files,
        "Max file size": limits.file_size,
        "Max core file size": 0,
    }
    missing = []
    for name, value in most.items():
        limit = re.search(rf"^{name}\s+(\d+)\s", output, re.MULTILINE)
        if limit is None or int(limit[1]) > value:
            missing.append(f"no limit: {name}")
    return missing
