"""Our own library: real skills that our rules and the reference validator accept."""

from pathlib import Path

import pytest
import skills_ref

from skillforge.checks import Ruleset
from skillforge.library import read_folder
from skillforge.model import Profile
from tests.conftest import Run

PROJECT = Path(__file__).parents[1]
SKILLS = sorted((PROJECT / "skills").iterdir())


@pytest.mark.parametrize("folder", SKILLS, ids=lambda folder: folder.name)
def test_our_skills_are_valid_for_us_and_for_skills_ref(folder: Path) -> None:
    skill = read_folder(str(folder), folder.name, folder.name)

    assert Ruleset(Profile.PORTABLE, {}).check(skill) == []
    assert skills_ref.validate(folder) == []


@pytest.mark.parametrize("folder", SKILLS, ids=lambda folder: folder.name)
def test_our_skills_prove_themselves(folder: Path, run: Run) -> None:
    ran = run("test", str(folder), "--no-cache", "--json")

    assert ran.code == 0, ran.out
    assert len(ran.data["trials"]) >= 3
    assert ran.data["findings"] == []


def test_there_are_skills_and_one_teaches_skillforge() -> None:
    assert len(SKILLS) >= 3
    assert PROJECT / "skills" / "skillforge" in SKILLS
