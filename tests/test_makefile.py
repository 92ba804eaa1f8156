"""What `make` does on a machine that has little."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# All that these recipes call; no browser, no container engine, no package manager.
PROGRAMS = ("make", "sh", "git", "expr", "nproc", "touch", "cat", "mktemp")

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="make isn't installed")


@dataclass(frozen=True)
class Machine:
    """A clone, and the only programs that there are."""

    clone: Path
    programs: Path

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        line = ["make", *arguments]
        # Not what a surrounding make has passed on to this test.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
        given = {**environment, "PATH": str(self.programs)}
        return subprocess.run(
            line, cwd=self.clone, env=given, capture_output=True, text=True, check=False
        )

    def add(self, path: Path, script: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def set_up(self, *stamps: str) -> None:
        """As if a first run had made the environment."""
        for stamp in stamps:
            (self.clone / ".venv").mkdir(exist_ok=True)
            (self.clone / ".venv" / stamp).touch()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path / "clone", tmp_path / "bin")
    machine.programs.mkdir()
    for name in PROGRAMS:
        if found := shutil.which(name):
            (machine.programs / name).symlink_to(found)
    machine.clone.mkdir()
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, machine.clone)
    for line in ("init --quiet", "add --all", "commit --quiet --message Start"):
        subprocess.run(["git", *line.split()], cwd=machine.clone, check=True)
    return machine


def test_the_demo_installs_the_product_and_nothing_to_test_it(machine: Machine) -> None:
    output = machine.make("--dry-run", "demo").stdout

    assert "--editable '.[sandbox]'" in output
    assert "skillforge demo" in output
    assert "dev.txt" not in output
    assert "pages.txt" not in output


def test_no_test_installs_packages_of_the_system(machine: Machine) -> None:
    for target in ("demo", "test", "test-all", "lint"):
        assert "apt-get" not in machine.make("--dry-run", target).stdout


def test_without_a_browser_make_says_how_to_get_one(machine: Machine) -> None:
    machine.set_up(".product", ".ready")

    done = machine.make("pages")

    assert done.returncode == 0, done.stderr
    assert "no Chromium" in done.stdout
    assert "`make browser` installs one" in done.stdout


def test_a_system_without_playwright_does_not_fail(machine: Machine) -> None:
    machine.set_up(".product", ".ready")
    machine.add(machine.programs / "chromium", "exit 0")
    machine.add(machine.clone / ".venv/bin/python", f'exec {sys.executable} "$@"')
    machine.add(machine.clone / ".venv/bin/pip", "exit 1")

    done = machine.make("pages")

    assert done.returncode == 0, done.stderr
    assert "no Playwright for this system" in done.stdout
    assert "playwright" in (machine.clone / ".venv/pages.txt").read_text()


def test_a_browser_that_cannot_be_installed_is_asked_for(machine: Machine) -> None:
    done = machine.make("browser")

    assert done.returncode != 0
    assert "install Chromium with your package manager" in done.stdout


def test_the_sandbox_can_be_chosen(machine: Machine) -> None:
    machine.set_up(".product")
    program = machine.clone / ".venv/bin/skillforge"
    machine.add(program, 'echo "$1 in ${SKILLFORGE_SANDBOX-any}"')

    assert "demo in any" in machine.make("demo").stdout
    assert "demo in landlock" in machine.make("demo", "SANDBOX=landlock").stdout


def test_fresh_reports_a_missing_container_engine(machine: Machine) -> None:
    machine.add(machine.programs / "docker", "echo no daemon >&2; exit 1")

    done = machine.make("fresh")

    assert done.returncode != 0
    assert "needs docker or podman, and neither works here" in done.stdout


def test_fresh_runs_both_commands_on_the_last_commit(machine: Machine) -> None:
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=machine.clone, capture_output=True, text=True
    ).stdout.strip()
    (machine.clone / "Makefile").open("a").write("# not committed\n")
    # Runs what follows the image here instead, with a make that only reports.
    machine.add(
        machine.programs / "podman",
        '[ "$1" = info ] && exit 0\n'
        'until [ "$1" = python:3.11 ]; do shift; done; shift\n'
        f'cd /; PATH="{machine.clone}/../inside:$PATH" exec "$@"',
    )
    machine.add(
        machine.clone.parent / "inside/make",
        'echo "$1 of $(git rev-parse HEAD): $(git status --porcelain)"',
    )

    done = machine.make("fresh", "IMAGE=python:3.11")

    assert done.stdout.splitlines() == [f"demo of {head}: ", f"test of {head}: "]
