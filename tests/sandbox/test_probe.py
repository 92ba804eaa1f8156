"""A sandbox that lacks something is named and not used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillforge import sandbox
from skillforge.sandbox import Job, JobResult, probe
from skillforge.sandbox.bubblewrap import Bubblewrap
from skillforge.sandbox.landlock import WEAKNESSES, Landlock
from tests.conftest import LibraryFolder, Run


class Bare:
    """No sandbox at all: the job runs on the host."""

    name = "bare"

    def about(self) -> str:
        return "nothing"

    def gaps(self) -> list[str]:
        return probe.gaps(self)

    def weaknesses(self) -> list[str]:
        return []

    def run(self, job: Job) -> JobResult:
        done = subprocess.run(job.argv, capture_output=True, cwd=job.skill)
        return JobResult(done.returncode, done.stdout, done.stderr, 0.0)


def test_running_on_the_host_fails_in_every_respect() -> None:
    gaps = "\n".join(Bare().gaps())

    for name in ("user", "ipc", "mnt", "net", "pid", "uts", "cgroup"):
        assert f"no namespace of its own: {name}" in gaps
    for lack in ("NoNewPrivs is 0", "Max processes", "Max cpu time", "work directory"):
        assert lack in gaps
    assert f"Uid is {os.getuid()}" in gaps


def shim(folder: Path, option: str, arguments: int) -> None:
    """A bwrap that leaves out what it is asked for, as an old or patched one may."""
    real = Bubblewrap().program
    folder.mkdir()
    path = folder / "bwrap"
    path.write_text(
        f"#!{sys.executable}\nimport os, sys\nwords = sys.argv[1:]\n"
        f"while {option!r} in words:\n"
        f"    at = words.index({option!r})\n"
        f"    del words[at:at + {arguments + 1}]\n"
        f"os.execv({real!r}, [{real!r}, *words])\n"
    )
    path.chmod(0o755)


HAS_NAMESPACES = not Bubblewrap().gaps()


@pytest.mark.skipif(not HAS_NAMESPACES, reason="no namespace can be made here")
@pytest.mark.parametrize(
    ("option", "arguments", "says"),
    [
        ("--unshare-net", 0, "no namespace of its own: net"),
        ("--unshare-pid", 0, "no namespace of its own: pid"),
        ("--unshare-ipc", 0, "no namespace of its own: ipc"),
        ("--unshare-cgroup", 0, "no namespace of its own: cgroup"),
        ("--seccomp", 1, "Seccomp is"),
        ("--tmpfs", 1, ""),
    ],
)
def test_a_missing_namespace_is_named_and_nothing_is_run(
    library: LibraryFolder,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    arguments: int,
    says: str,
) -> None:
    shim(tmp_path / "bin", option, arguments)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("SKILLFORGE_SANDBOX", "bubblewrap")
    library.write("skills/csv-tables/tests/a.yaml", "run: [touch, /tmp/ran]\n")
    sandbox.choose.cache_clear()
    try:
        where = ("--library", str(library.root), "--json")
        doctor = run("doctor", *where).data
        ran = run("test", "csv-tables", *where)
    finally:
        sandbox.choose.cache_clear()

    [item] = [i for i in doctor["items"] if i["name"] == "sandbox bubblewrap"]
    assert item["ok"] is False
    assert says in item["detail"]
    assert ran.code == 1
    assert ran.data["trials"][0]["outcome"] == "not-run"
    assert says in ran.data["trials"][0]["detail"]


def test_no_sandbox_at_all_means_not_run(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLFORGE_SANDBOX", "docker")
    monkeypatch.setenv("PATH", "/nonexistent")
    library.write("skills/csv-tables/tests/a.yaml", "run: ['true']\n")
    sandbox.choose.cache_clear()
    try:
        ran = run("test", "csv-tables", "--library", str(library.root), "--json")
    finally:
        sandbox.choose.cache_clear()

    assert ran.code == 1
    assert ran.data["trials"][0]["outcome"] == "not-run"
    assert "docker is not installed" in ran.data["trials"][0]["detail"]


@pytest.mark.usefixtures("chosen_again")
def test_the_sandbox_can_be_turned_off(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLFORGE_SANDBOX", "none")
    library.write("skills/csv-tables/tests/a.yaml", "run: ['true']\n")

    ran = run("test", "csv-tables", "--library", str(library.root), "--json")

    assert ran.code == 1
    [trial] = ran.data["trials"]
    assert trial["outcome"] == "not-run"
    assert "turned off by SKILLFORGE_SANDBOX=none" in trial["detail"]


@pytest.mark.usefixtures("chosen_again")
def test_a_sandbox_that_there_is_not_is_refused(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLFORGE_SANDBOX", "firejail")
    library.write("skills/csv-tables/tests/a.yaml", "run: ['true']\n")

    ran = run("test", "csv-tables", "--library", str(library.root))

    assert ran.code == 2
    assert "bubblewrap, landlock, docker, podman, none" in ran.err


def test_no_test_is_run_in_a_sandbox_that_there_is_not() -> None:
    """`make test SANDBOX=firejail` is one error, not one for each test."""
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", __file__],
        env=os.environ | {"SKILLFORGE_SANDBOX": "firejail"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == pytest.ExitCode.USAGE_ERROR
    assert "no sandbox 'firejail': choose one of bubblewrap" in ran.stderr


@pytest.mark.skipif(bool(Landlock().gaps()), reason="landlock is not here")
@pytest.mark.usefixtures("chosen_again")
@pytest.mark.parametrize(
    ("policy", "outcome"),
    [("", "passed"), ("any", "passed"), ("full", "not-run")],
)
def test_the_policy_says_whether_a_weaker_sandbox_runs_trials(
    library: LibraryFolder,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    outcome: str,
) -> None:
    monkeypatch.setenv("SKILLFORGE_SANDBOX", "landlock")
    library.write("skills/csv-tables/tests/a.yaml", "run: ['true']\n")
    if policy:
        library.write("skillforge.yaml", f"tests: {{sandbox: {policy}}}\n")
    library.commit()
    where = ("--library", str(library.root), "--json")

    [trial] = run("test", "csv-tables", *where).data["trials"]
    doctor = run("doctor", *where).data["items"]

    assert trial["outcome"] == outcome
    [weak] = [item for item in doctor if item["name"] == "sandbox landlock"]
    assert weak["ok"]
    assert weak["weaknesses"] == list(WEAKNESSES)
    if policy == "full":
        assert "the policy requires a full sandbox" in trial["detail"]
        assert WEAKNESSES[0] in trial["detail"]


@pytest.mark.skipif(bool(Landlock().gaps()), reason="landlock is not here")
@pytest.mark.usefixtures("chosen_again")
def test_the_gate_asks_of_the_sandbox_what_the_base_says(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLFORGE_SANDBOX", "landlock")
    library.write("skillforge.yaml", "tests: {sandbox: full}\n")
    library.commit("Ask for a full sandbox")
    library.git("switch", "--quiet", "--create", "draft")
    library.write("skills/csv-tables/tests/a.yaml", "run: ['true']\n")
    library.commit("Add a case")
    library.write("skillforge.yaml", "tests: {sandbox: any}\n")
    where = ("--library", str(library.root), "--json")

    ran = run("gate", "--base", "main", "--head", "HEAD", *where)

    assert ran.code == 3
    assert "the policy requires a full sandbox" in ran.out
