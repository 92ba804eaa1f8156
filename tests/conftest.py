"""Real git libraries in temporary folders, and the command line as a user calls it."""

import gc
import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from skillforge import cli, fork_server, sandbox
from skillforge.checks import registry
from skillforge.document import parse
from skillforge.errors import SkillforgeError
from skillforge.gitrepo import GitRepo
from skillforge.library import Library
from skillforge.model import Document
from tests import output_contract
from tests.forks import refuse_forks_beside_threads, warm_up
from tests.snapshot import Snapshot

# No deadline: a busy machine is not a failure. In CI the same examples each time; a
# developer's machine goes on looking for new ones, and EXAMPLES says for how many.
IS_CI = "CI" in os.environ
EXAMPLES = int(os.environ.get("EXAMPLES", "25"))
settings.register_profile(
    "ours", deadline=None, derandomize=IS_CI, max_examples=EXAMPLES
)
settings.load_profile("ours")
fork_server.prepare(warm_up)
refuse_forks_beside_threads()
output_contract.install()


def pytest_configure() -> None:
    """Refuse `make test SANDBOX=…` with an unknown name once, not in each test."""
    try:
        sandbox.choose()
    except SkillforgeError as err:
        raise pytest.UsageError(f"{err.message}: {err.hint}") from err


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without searches for cycles: what is collected stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Make ready what thousands of tests, or forks of this process, would do again.

    Without xdist we have no threads, and fork. A search for cycles would each time go
    through all that pytest holds.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        registry.warm_up()
    gc.collect()
    gc.freeze()


CASES = Path(__file__).parent / "cases"
BODY = "# Title\n\nDo this, then that.\n"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what runs untrusted code where there is no sandbox to run it in."""
    if item.get_closest_marker("needs_sandbox"):
        box, reason = sandbox.choose()
        if box is None:
            pytest.skip(f"no sandbox: {reason}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count what this machine could not test, by what it lacks."""
    reports = terminalreporter.getreports("skipped")
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in reports
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")


def skill_md(name: str, extra: str = "", body: str = BODY) -> str:
    return (
        f"---\nname: {name}\n"
        "description: Reads tables from files. Use when data comes as a table.\n"
        f"{extra}---\n{body}"
    )


def parse_text(text: str) -> Document:
    return parse(text.encode("utf-8"))


def isolate_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the user's git configuration and any surrounding hook."""
    for name in [n for n in os.environ if n.startswith(("GIT_", "SKILLFORGE_"))]:
        if name != "SKILLFORGE_SANDBOX":  # `make test SANDBOX=…` chose the backend
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "no-gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("SKILLFORGE_CACHE", str(tmp_path / "skillforge-cache"))
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.invalid")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate_environment(monkeypatch, tmp_path)


@dataclass(frozen=True)
class LibraryFolder:
    """A library that a test can change like a user would."""

    root: Path

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.root, check=True, capture_output=True, text=True
        )
        return done.stdout

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def add_skill(self, name: str, extra: str = "", body: str = BODY) -> Path:
        return self.write(f"skills/{name}/SKILL.md", skill_md(name, extra, body)).parent

    def commit(self, message: str = "Change") -> str:
        self.git("add", "--all")
        options = ("--quiet", "--allow-empty", "--message", message)
        self.git("-c", "maintenance.auto=false", "commit", *options)
        folder = self.root / ".git"
        if folder.is_dir():  # reading it is quicker than another git
            branch = (folder / "HEAD").read_text().removeprefix("ref: ").strip()
            if branch.startswith("refs/"):
                return (folder / branch).read_text().strip()
        return self.git("rev-parse", "HEAD").strip()

    @property
    def library(self) -> Library:
        return Library.open(self.root)


_SNAPSHOTS: dict[str, Snapshot] = {}


def made_once(
    name: str, root: Path, make: Callable[[LibraryFolder], object]
) -> LibraryFolder:
    """A library that many tests start from: made for the first, copied for others."""
    folder = LibraryFolder(root)
    if name in _SNAPSHOTS:
        _SNAPSHOTS[name].write(root)
        folder.git("update-index", "--refresh")  # it has the times of other files
    else:
        make(folder)
        _SNAPSHOTS[name] = Snapshot(root)
    return folder


def _make_two_skills(folder: LibraryFolder) -> None:
    folder.root.mkdir()
    GitRepo.init(folder.root)
    for sample in (folder.root / ".git/hooks").iterdir():
        sample.unlink()
    folder.add_skill("csv-tables")
    folder.add_skill("pdf-tables")
    folder.commit("Start")


@pytest.fixture
def library(tmp_path: Path) -> LibraryFolder:
    """A committed library with two skills that are fine."""
    return made_once("two skills", tmp_path / "library", _make_two_skills)


@dataclass(frozen=True)
class Ran:
    """What a command did, as a shell would see it."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.out)
        return loaded

    @property
    def data(self) -> dict[str, Any]:
        loaded: dict[str, Any] = self.json["data"]
        return loaded

    @property
    def rules(self) -> set[str]:
        return {finding["rule"] for finding in self.data["findings"]}


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Call `skillforge` in this process: `run("validate", "--json")`."""

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        code = cli.run(list(arguments))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
