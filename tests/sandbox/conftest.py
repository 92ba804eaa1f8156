"""Small hostile skills, tried as anybody would try them: `skillforge test`."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillforge import sandbox
from tests.conftest import LibraryFolder, Run, skill_md


def running(mark: str) -> list[str]:
    """Processes of this machine whose command line holds a mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark.encode() in process.read_bytes():
                found.append(str(process))
    return found


@pytest.fixture
def chosen_again() -> Iterator[None]:
    """Forget before and after a test which sandbox was chosen."""
    sandbox.choose.cache_clear()
    yield
    sandbox.choose.cache_clear()


Try = Callable[..., dict[str, Any]]


@pytest.fixture
def attempt(library: LibraryFolder, run: Run) -> Try:
    """Run an attack as the script of a skill; the one trial that came of it."""

    def call(script: str, **case: Any) -> dict[str, Any]:
        library.write("skills/hostile/SKILL.md", skill_md("hostile"))
        library.write("skills/hostile/scripts/attack.py", script)
        given = {"run": ["python3", "scripts/attack.py"], "timeout": 10, **case}
        library.write("skills/hostile/tests/attack.yaml", json.dumps(given))
        where = ("--library", str(library.root))
        ran = run("test", "hostile", *where, "--no-cache", "--json")
        assert ran.code in (0, 1), ran.err
        trials = ran.data["trials"]
        assert len(trials) == 1, trials
        trial: dict[str, Any] = trials[0]
        assert ran.code == (0 if trial["outcome"] == "passed" else 1)
        return trial

    return call
