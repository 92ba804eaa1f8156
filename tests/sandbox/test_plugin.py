"""A sandbox of another package: chosen by name only, and never trusted in doubt."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillforge import sandbox
from tests.conftest import LibraryFolder
from tests.docs.page_parser import ROOT
from tests.plugin_example import install_example
from tests.sandbox.test_contract import plugin_found

pytestmark = pytest.mark.usefixtures("chosen_again")
Outcome = tuple[str, str]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    install_example("Sandboxes", folder)
    return folder


def outcome(
    library: LibraryFolder, site: Path, policy: str = "", chosen: str = ""
) -> Outcome:
    """The outcome of a test that passes anywhere, and why it was not run.

    In a process of its own: sandboxes are used in child processes, too.
    """
    library.write("skills/csv-tables/tests/a.yaml", "run: ['true']\n")
    if policy:
        library.write("skillforge.yaml", f"tests: {{sandbox: {policy}}}\n")
    path = os.pathsep.join((str(site), str(ROOT)))
    ran = subprocess.run(
        [sys.executable, "-m", "skillforge", "test", "csv-tables", "--json"],
        cwd=library.root,
        env={**os.environ, "PYTHONPATH": path, "SKILLFORGE_SANDBOX": chosen},
        capture_output=True,
        check=False,
    )
    [trial] = json.loads(ran.stdout)["data"]["trials"]
    assert ran.returncode == (0 if trial["outcome"] == "passed" else 1)
    return trial["outcome"], trial["detail"]


def test_a_plugin_is_used_only_where_it_is_named(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SKILLFORGE_SANDBOX", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with plugin_found(site):
        assert sandbox.names()[-1] == "small"
        assert "small" not in sandbox.choose()[1]
        box, why = sandbox.choose("small")
        assert box.name == "small" if box else "small: " in why


@pytest.mark.parametrize(("policy", "chosen"), [("small", ""), ("", "small")])
def test_the_policy_and_the_environment_can_name_it(
    library: LibraryFolder, site: Path, policy: str, chosen: str
) -> None:
    is_here = not sandbox.backend("bubblewrap").gaps()

    result, why = outcome(library, site, policy, chosen)

    assert result == ("passed" if is_here else "not-run"), why


def test_another_sandbox_than_the_policy_names_runs_nothing(
    library: LibraryFolder, site: Path
) -> None:
    result, why = outcome(library, site, "small", "landlock")

    assert result == "not-run"
    assert "the policy requires small, but SKILLFORGE_SANDBOX is landlock" in why


def test_a_sandbox_that_is_not_installed_runs_nothing(
    library: LibraryFolder, tmp_path: Path
) -> None:
    result, why = outcome(library, tmp_path, "small")

    assert result == "not-run"
    assert "the policy requires small, which is not installed" in why


WORKS = "def about(self): return 'x'\n def gaps(self): return []\n"
BROKEN = [
    pytest.param("import gone\n", "not-run", "ModuleNotFoundError", id="import"),
    pytest.param("raise SystemExit(0)\n", "not-run", "SystemExit", id="exit"),
    pytest.param("SmallSandbox = 3\n", "not-run", "TypeError", id="number"),
    pytest.param(
        "class SmallSandbox:\n def gaps(self): 1 / 0\n",
        "not-run",
        "failed: ZeroDivisionError",
        id="gaps",
    ),
    pytest.param(
        "class SmallSandbox:\n def gaps(self): raise SystemExit(0)\n",
        "not-run",
        "failed: SystemExit",
        id="gaps-exit",
    ),
    pytest.param(
        "class SmallSandbox:\n def gaps(self): return []\n"
        " def about(self): raise SystemExit(0)\n",
        "not-run",
        "failed: SystemExit",
        id="about-exit",
    ),
    pytest.param(
        f"class SmallSandbox:\n {WORKS} def run(self, job): raise SystemExit(0)\n",
        "error",
        "the sandbox small failed: SystemExit",
        id="run-exit",
    ),
    pytest.param(
        f"class SmallSandbox:\n {WORKS} def run(self, job): 1 / 0\n",
        "error",
        "the sandbox small failed: ZeroDivisionError",
        id="run",
    ),
    pytest.param(
        f"class SmallSandbox:\n {WORKS} def run(self, job): return None\n",
        "error",
        "the sandbox small returned no JobResult",
        id="result",
    ),
]


@pytest.mark.parametrize(("module", "result", "reason"), BROKEN)
def test_a_broken_plugin_passes_nothing(
    library: LibraryFolder, site: Path, module: str, result: str, reason: str
) -> None:
    (site / "acme_sandbox.py").write_text(module)

    found, why = outcome(library, site, "small")

    assert found == result
    assert reason in why


def test_a_plugin_cannot_replace_a_sandbox_of_ours(site: Path) -> None:
    points = next(site.glob("*.dist-info")) / "entry_points.txt"
    points.write_text(points.read_text().replace("small =", "bubblewrap ="))

    with plugin_found(site):
        assert sandbox.names() == tuple(sandbox.BUILT_IN)
        assert not isinstance(sandbox.backend("bubblewrap"), sandbox.PluginSandbox)
