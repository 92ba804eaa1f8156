"""The library of a publisher, and the project of a consumer."""

from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop

QUICK = "checks: [validate]\n"  # most tests are not about what the checks say
SCRIPT = "print('done')\n"


@pytest.fixture
def loop(library: LibraryFolder, run: Run) -> Loop:
    """Two skills from before, with a script and tests; one that was promoted."""
    library.add_skill("csv-tables", 'metadata:\n  version: "1.2.0"\n  category: Data\n')
    library.write("skills/csv-tables/scripts/read.py", SCRIPT)
    (library.root / "skills/csv-tables/scripts/read.py").chmod(0o755)
    library.write("skills/csv-tables/tests/notes.txt", "secret-plan\n")
    library.write("skills/csv-tables/evals/evals.json", "[]\n")
    library.write("evidence/csv-tables/1.json", "{}\n")
    library.write("skillforge.yaml", QUICK)
    library.git("add", "--all")
    library.git("commit", "--quiet", "--amend", "--message", "Start")
    return Loop(library, run)


@pytest.fixture
def released(loop: Loop) -> Loop:
    """The same with a skill that was promoted, and the release v1.0.0."""
    loop.land("xlsx-tables", "one", "two")
    loop.folder.git("tag", "--annotate", "--message", "Release v1.0.0", "v1.0.0")
    return loop


@pytest.fixture
def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of a consumer; it is the current folder."""
    folder = tmp_path / "use"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
