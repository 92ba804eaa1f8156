"""Libraries on GitHub whose skills are elsewhere than in `skills/*`."""

import pytest

from tests.github.conftest import AUTHOR, QUICK, REVIEWER, Team
from tests.propose.conftest import page

pytestmark = pytest.mark.slow  # `make test-all` runs it

CSV, XLSX = "skills/tables/csv/SKILL.md", "skills/tables/xlsx/SKILL.md"


@pytest.fixture
def grouped(team: Team) -> Team:
    """A library with categories, and with a skill in another one."""
    files = {
        "skillforge.yaml": f"{QUICK}skills: ['skills/*', 'skills/*/*']\n",
        CSV: page("csv", "", "tables"),
        XLSX: page("xlsx", "", "sheets"),
        "skills/pdf/SKILL.md": page("pdf", "", "pages"),
        "skills/pdf/forms/SKILL.md": page("forms", "", "fields"),
    }
    team.push("main", files)
    team.clone(AUTHOR).git("pull", "--quiet", "origin", "main")
    return team


def by_hand(team: Team, files: dict[str, str]) -> int:
    team.push("patch", files)
    return team.open_pull("patch")


def gate(team: Team) -> tuple[int, set[str]]:
    team.fetch(AUTHOR)
    ran = team(AUTHOR, "gate", "--base", "origin/main", "--head", "patch", "--json")
    return ran.code, {finding["path"] for finding in ran.data["findings"]}


def test_a_pull_request_by_hand_is_about_a_skill_not_its_category(
    grouped: Team,
) -> None:
    number = by_hand(grouped, {CSV: page("csv", "", "better", "tables")})
    assert grouped.ok(AUTHOR, "review", number)["skill"] == "tables/csv"
    assert gate(grouped) == (0, set())


def test_a_pull_request_for_two_skills_of_a_category_is_refused(grouped: Team) -> None:
    files = {CSV: page("csv", "", "other"), XLSX: page("xlsx", "", "others")}
    number = by_hand(grouped, files)
    assert gate(grouped) == (1, {XLSX})
    assert grouped(AUTHOR, "gate", number).code == 1


def test_a_nested_skill_goes_through_the_loop(grouped: Team) -> None:
    grouped.clone(AUTHOR).write("skills/pdf/forms/SKILL.md", page("forms", "", "more"))
    number = grouped.ok(AUTHOR, "propose", "pdf/forms")["proposal"]
    assert grouped.ok(AUTHOR, "review", number)["skill"] == "pdf/forms"
    grouped.repo.review(number, REVIEWER, "APPROVE")
    grouped.repo.merge(number, REVIEWER, method="merge")

    noted = grouped(AUTHOR, "promoted", "--json").data

    assert [merge["number"] for merge in noted["recorded"]] == [number]
    assert noted["recorded"][0]["passed"]


def test_a_skill_in_a_hidden_folder_is_no_part_of_another_pull_request(
    grouped: Team,
) -> None:
    number = by_hand(
        grouped,
        {CSV: page("csv", "", "other"), "skills/.more/SKILL.md": page("more", "", "x")},
    )
    assert gate(grouped)[0] == 1
    assert grouped(AUTHOR, "gate", number).code == 1
