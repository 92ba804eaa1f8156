"""Agents of other packages: their folders, and their commands for drafts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder
from tests.docs.page_parser import ROOT
from tests.plugin_example import install_example


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Where the package of docs/extend.md is installed."""
    folder = tmp_path / "site"
    install_example("Agents", folder)
    return folder


def call(site: Path, folder: Path, *words: str) -> tuple[int, str]:
    """Run a program of Python with another package installed."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(site), str(ROOT))),
            "ACME_HOME": str(site / "acme-home"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def sync(site: Path, library: LibraryFolder, *words: str) -> tuple[int, str]:
    return call(site, library.root, "-m", "skillforge", "sync", "--key", "ada", *words)


def test_skills_go_to_the_folders_of_the_agent(
    library: LibraryFolder, site: Path, tmp_path: Path
) -> None:
    (tmp_path / "project").mkdir()
    project = ("--project", str(tmp_path / "project"))

    for words in ((), project):
        code, output = sync(site, library, "--agent", "acme", *words)
        assert code == 0, output

    for folder in (site / "acme-home", tmp_path / "project/.acme"):
        assert (folder / "skills/csv-tables/SKILL.md").is_file()


def test_the_agent_runs_by_its_name(library: LibraryFolder, site: Path) -> None:
    code, output = call(
        site,
        library.root,
        "-c",
        "from skillforge.learn.agent_rewrite import _argv\n"
        "print(*_argv('acme'), *_argv('acme --help'), *_argv('hermes'))",
    )

    assert code == 0, output
    assert output == "acme run --edit - acme --help hermes\n"


def test_an_unregistered_agent_is_refused(library: LibraryFolder, site: Path) -> None:
    code, output = sync(site, library, "--agent", "other")

    assert code == 2
    assert "'other'" in output
    assert "acme" in output


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        pytest.param("import gone\n", "ModuleNotFoundError", id="import"),
        pytest.param("ACME = 3\n", "is not an AgentProfile", id="number"),
    ],
)
def test_a_broken_agent_is_an_error_only_where_it_is_named(
    library: LibraryFolder, site: Path, tmp_path: Path, module: str, reason: str
) -> None:
    (site / "acme_agent.py").write_text(module)
    (tmp_path / "project").mkdir()

    code, output = sync(site, library, "--agent", "acme")
    assert (code, reason in output) == (3, True), output

    project = ("--project", str(tmp_path / "project"))
    code, output = sync(site, library, "--agent", "claude", *project)
    assert code == 0, output


def test_a_plugin_cannot_replace_an_agent_of_ours(
    library: LibraryFolder, site: Path, tmp_path: Path
) -> None:
    points = next(site.glob("*.dist-info")) / "entry_points.txt"
    points.write_text(points.read_text().replace("acme =", "claude ="))
    (tmp_path / "project").mkdir()
    project = ("--project", str(tmp_path / "project"))

    code, output = sync(site, library, "--agent", "claude", *project)

    assert code == 0, output
    assert (tmp_path / "project/.claude/skills/csv-tables").is_dir()
