"""A skill with tests, tried by the command."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.conftest import BODY, LibraryFolder, Ran, Run, skill_md
from tests.forks import run_changed

Files = dict[str, str]


class Prove:
    """Write the files of one skill, and run `skillforge test` on it."""

    def __init__(self, library: LibraryFolder, run: Run) -> None:
        self.library = library
        self.call = run

    def write(self, files: Files, body: str = BODY, extra: str = "") -> None:
        self.library.write("skills/proven/SKILL.md", skill_md("proven", extra, body))
        for path, text in files.items():
            place = path if path.startswith("evidence/") else f"skills/proven/{path}"
            file = self.library.write(place, text)
            if path.endswith(".sh"):
                file.chmod(0o755)

    def run(
        self, *options: str, changed: Mapping[str, Callable[..., object]] | None = None
    ) -> Ran:
        """Run the command, in a process where parts of ours are changed if need be."""
        where = ("--library", str(self.library.root))
        line = ("test", "proven", *where, *options)
        return Ran(*run_changed(changed, line)) if changed else self.call(*line)

    def __call__(
        self, files: Files, *options: str, body: str = BODY
    ) -> dict[str, dict[str, Any]]:
        """The trials of a skill with these files, by name."""
        self.write(files, body)
        ran = self.run("--json", *options)
        assert ran.code in (0, 1), ran.err
        return {trial["case"]: trial for trial in ran.data["trials"]}

    def only_trial(self, case: str, **files: str) -> dict[str, Any]:
        """The only trial of a case, and of the skill."""
        trials = self({"tests/a.yaml": case, **files})
        assert len(trials) == 1, trials
        return next(iter(trials.values()))


@pytest.fixture
def prove(library: LibraryFolder, run: Run) -> Prove:
    return Prove(library, run)
