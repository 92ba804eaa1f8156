"""Checks of other packages: found by entry points, and closed on doubt."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, skill_md
from tests.docs.page_parser import ROOT

PAGE = (ROOT / "docs" / "rule-packs.md").read_text(encoding="utf-8")
MODULE = PAGE.split("```python\n")[1].split("```")[0]
ENTRY_POINT = PAGE.split("```toml\n")[2].split("```")[0].split('"skillforge.checks"')[1]
POLICY = "checks: [validate, owner]\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Where a package with the check of the page is installed."""
    folder = tmp_path / "site"
    info = folder / "acme_checks-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-checks\n")
    entries = ENTRY_POINT.strip("]\n ").replace('"', "")
    (info / "entry_points.txt").write_text(f"[skillforge.checks]\n{entries}\n")
    (folder / "acme_checks.py").write_text(MODULE)
    return folder


def gate(library: LibraryFolder, site: Path, extra: str = "") -> tuple[int, str]:
    """Judge a new skill with another package installed, in a process of its own."""
    library.write("skillforge.yaml", POLICY)
    library.commit("Require it")
    library.git("checkout", "--quiet", "-b", "draft")
    library.write("skills/xlsx-tables/SKILL.md", skill_md("xlsx-tables", extra))
    library.commit("Add a skill")
    command = ("gate", "--base", "main", "--head", "draft")
    path = os.pathsep.join((str(site), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-m", "skillforge", *command],
        cwd=library.root,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_check_of_the_page_refuses_what_it_finds(
    library: LibraryFolder, site: Path
) -> None:
    code, output = gate(library, site)

    assert code == 1
    assert "skills/xlsx-tables/SKILL.md:1: error: names no owner [owner]" in output


def test_the_check_of_the_page_passes_what_is_fine(
    library: LibraryFolder, site: Path
) -> None:
    code, output = gate(library, site, "metadata:\n  owner: tables\n")

    assert code == 0, output


BROKEN = [
    pytest.param(
        "import gone\n", "owner: cannot be loaded: ModuleNotFound", id="import"
    ),
    pytest.param("raise SystemExit(0)\n", "owner: cannot be loaded: System", id="exit"),
    pytest.param("owner = 3\n", "owner: acme_checks:owner is neither a", id="number"),
    pytest.param("def owner(subject): 1 / 0\n", "owner: ZeroDivisionError", id="crash"),
    pytest.param(
        "import os\ndef owner(subject): os._exit(0)\n", "owner: it crashed", id="dies"
    ),
    pytest.param(
        "def owner(subject): return ['x']\n", "owner: AttributeError", id="odd"
    ),
    pytest.param("def owner(subject): return None\n", "owner: TypeError", id="none"),
    pytest.param(
        "import time\nfrom skillforge.checks.registry import Check\n"
        "owner = Check('other', lambda subject: time.sleep(60), seconds=0.3)\n",
        "owner: it took longer",
        id="hangs",
    ),
]


@pytest.mark.parametrize(("module", "words"), BROKEN)
def test_a_check_that_does_not_work_fails_the_gate_by_its_name(
    library: LibraryFolder, site: Path, module: str, words: str
) -> None:
    (site / "acme_checks.py").write_text(module)

    code, output = gate(library, site, "metadata:\n  owner: tables\n")

    # One that did not run says nothing about the draft.
    did_run = "def owner" in module or "Check(" in module
    assert code == (1 if did_run else 3)
    assert words in output


def test_a_package_cannot_replace_a_check_of_ours(
    library: LibraryFolder, site: Path
) -> None:
    points = next(site.glob("*.dist-info")) / "entry_points.txt"
    points.write_text(f"{points.read_text()}validate = acme_checks:nothing\n")
    (site / "acme_checks.py").write_text(
        "def nothing(subject): return []\ndef owner(subject): return []\n"
    )

    code, output = gate(library, site, "unknown-field: x\nversion: [1\n")

    assert code == 1
    assert "SKILL.md" in output
