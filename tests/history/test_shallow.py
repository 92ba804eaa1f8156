"""A shallow clone has a part of history: what rests on more than that says so."""

from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop


@pytest.fixture
def shallow(loop: Loop, tmp_path: Path, run: Run) -> Loop:
    loop.policy("checks: [validate]\n")
    loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    url = f"file://{loop.folder.root}"
    loop.folder.git("clone", "--quiet", "--depth", "1", url, str(tmp_path / "shallow"))
    return Loop(LibraryFolder(tmp_path / "shallow"), run)


@pytest.mark.parametrize(
    "command",
    [
        ("log", "xlsx-tables"),
        ("why", "xlsx-tables"),
        ("rollback", "xlsx-tables", "--why", "Bad"),
        ("rollback", "xlsx-tables", "--why", "Bad", "--now"),
        ("audit",),
        ("stats", "--html", "stats.html"),
    ],
    ids=" ".join,
)
def test_it_stops_and_reports_what_is_missing(
    shallow: Loop,
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    main = shallow.main()

    ran = shallow(*command)

    assert ran.code == 4
    assert "this clone is shallow" in ran.err
    assert "git fetch --unshallow" in ran.err
    assert shallow.main() == main

    shallow.folder.git("fetch", "--quiet", "--unshallow")
    assert shallow(*command).code == 0


def test_an_unknown_skill_is_still_unknown(shallow: Loop) -> None:
    assert shallow("show", "nothing").code == 2
