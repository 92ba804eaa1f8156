"""Our own library: real skills that our rules and the reference validator accept."""

import re
from pathlib import Path

import pytest
import skills_ref

from skillforge.checks import Ruleset
from skillforge.cli import COMMANDS
from skillforge.library import read_folder
from skillforge.mcp_server.tools import TOOLS
from skillforge.model import Profile
from tests.conftest import LibraryFolder, Run

PROJECT = Path(__file__).parents[1]
SKILLS = sorted((PROJECT / "skills").iterdir())


@pytest.mark.parametrize("folder", SKILLS, ids=lambda folder: folder.name)
def test_our_skills_are_valid_for_us_and_for_skills_ref(folder: Path) -> None:
    skill = read_folder(str(folder), folder.name, folder.name)

    assert Ruleset(Profile.PORTABLE, {}).check(skill) == []
    assert skills_ref.validate(folder) == []


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("folder", SKILLS, ids=lambda folder: folder.name)
def test_our_skills_prove_themselves(folder: Path, run: Run) -> None:
    ran = run("test", str(folder), "--no-cache", "--json")

    assert ran.code == 0, ran.out
    assert ran.data["trials"]
    assert ran.data["findings"] == []


def test_our_skill_names_commands_and_tools_that_there_are() -> None:
    text = (PROJECT / "skills" / "skillforge" / "SKILL.md").read_text()
    commands = set(re.findall(r"`skillforge ([a-z-]+)", text))
    known = {name for stage in COMMANDS.values() for name in stage}

    assert commands <= known
    assert {"brief", "propose", "show", "search"} <= commands
    assert set(re.findall(r"`((?:skills?|proposal)_[a-z]+)`", text)) == set(TOOLS)


def test_the_batch_of_our_skill_is_taken(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add_skill("csv-tables", body="# Tables\n\nRead the file.\n")
    library.commit()
    batch = PROJECT / "skills" / "skillforge" / "templates" / "batch.json"
    with batch.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        ran = run("propose", "--json", "--library", str(library.root))

    assert ran.code == 0, ran.err
    assert ran.data["skill"] == "csv-tables"


def test_there_are_skills_and_one_teaches_skillforge() -> None:
    assert len(SKILLS) >= 3
    assert PROJECT / "skills" / "skillforge" in SKILLS
