"""A git directory that can't be written: what only reads still works."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skillforge.store import Uses
from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop
from tests.store.writers import use

# Runs every command of a list, and prints the codes and what was said to people.
SCRIPT = """
import contextlib, io, json, sys
from skillforge import cli
found = []
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(words)
    found.append([code, out.getvalue() + err.getvalue()])
print(json.dumps(found))
"""
# Root may write everything; without capabilities it is a user like others.
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


@contextmanager
def locked(folder: LibraryFolder) -> Iterator[LibraryFolder]:
    git_dir = str(folder.root / ".git")
    subprocess.run(["chmod", "-R", "a-w", git_dir], check=True)
    yield folder
    subprocess.run(["chmod", "-R", "u+w", git_dir], check=True)


@pytest.fixture
def read_only(library: LibraryFolder, run: Run) -> Iterator[LibraryFolder]:
    """A library with a use and a proposal, of which nothing can be written."""
    Loop(library, run).propose("docx-files")
    Uses.of(library.root / ".git").add([use(1)])
    with locked(library):
        yield library


def outcomes(folder: LibraryFolder, *commands: str) -> list[tuple[int, str]]:
    prefix = WITHOUT_RIGHTS if not os.geteuid() else []
    if prefix and not shutil.which(prefix[0]):
        pytest.skip("setpriv is not installed, and root may write everything")
    words = [command.split() for command in commands]
    done = subprocess.run(
        [*prefix, sys.executable, "-c", SCRIPT, json.dumps(words)],
        cwd=folder.root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.stderr.startswith("setpriv:"):
        pytest.skip("root can't drop its rights here")
    assert done.returncode == 0, done.stderr
    return [(code, words) for code, words in json.loads(done.stdout)]


def test_what_only_reads_works(read_only: LibraryFolder, tmp_path: Path) -> None:
    commands = (
        "stats",
        "stats --json",
        f"stats --html {tmp_path / 'page.html'}",
        "list",
        "show csv-tables",
        "why csv-tables",
        "log csv-tables",
        "audit",
        "proposals --all",
        "review 1",
        "catalog",
        "search tables",
        "patterns",
        "examples list",
        "curate",
        "refine",
        "canary status",
        "validate",
    )

    found = dict(zip(commands, outcomes(read_only, *commands), strict=True))

    assert {name: result for name, result in found.items() if result[0]} == {}
    assert json.loads(found["stats --json"][1])["data"]["skills"]


def test_doctor_names_no_damage(read_only: LibraryFolder) -> None:
    """Nor does it crash over a sandbox that can't be tried."""
    [(code, output)] = outcomes(read_only, "doctor --json")

    items = {item["name"]: item for item in json.loads(output)["data"]["items"]}
    assert code == 0, output
    assert items["private store"]["ok"]


def test_commands_that_write_report_what_has_to_be_writable(
    read_only: LibraryFolder,
) -> None:
    [(code, output)] = outcomes(
        read_only, "record csv-tables --key 1 --outcome success"
    )

    assert code == 3
    assert "the git directory has to be writable" in output
    assert "damaged" not in output


def test_uses_that_are_still_in_the_log_of_the_store_count(
    library: LibraryFolder,
) -> None:
    """A process that was killed leaves them there."""
    uses = Uses.of(library.root / ".git")
    uses.add([use(1)])
    died = (
        "import os, sys; from skillforge.store import state; "
        "held = state.opened(sys.argv[1]); db = held.__enter__(); "
        "db.execute('UPDATE tally SET uses = 70'); db.commit(); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", died, uses.path], check=False)
    assert Path(f"{uses.path}-wal").stat().st_size

    with locked(library):
        [(code, output)] = outcomes(library, "stats csv --json")

    assert code == 0, output
    assert json.loads(output)["data"]["skills"][0]["uses"] == 70
