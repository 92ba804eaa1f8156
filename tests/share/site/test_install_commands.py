"""The lines that people copy into a terminal."""

import shlex

import pytest

from skillforge.model import DraftFile
from skillforge.share.hub import Hub
from skillforge.share.site.install_commands import install_lines
from tests.share.site.hubs import hub, skill


def lines(hub: Hub, name: str = "csv-profile") -> dict[str, str]:
    return {line.client: line.command for line in install_lines(hub, skill(name))}


def test_a_hub_on_github_that_is_served_has_a_line_for_every_client() -> None:
    assert lines(hub()) == {
        "Skillforge": "skillforge install https://skills.example.org/@csv-profile",
        "npx skills": "npx skills add 'workshop/skills#v1.4.0' --skill csv-profile",
        "OpenSkills": "npx openskills install workshop/skills/skills/csv-profile",
        "GitHub CLI": "gh skill install workshop/skills csv-profile@v1.4.0",
        "Claude Code": "/plugin marketplace add workshop/skills",
        "Hermes": "hermes skills install "
        "well-known:https://skills.example.org/.well-known/skills/csv-profile",
        "Hermes tap": "hermes skills tap add workshop/skills",
    }


@pytest.mark.parametrize(
    "repository",
    [
        "https://github.com/workshop/skills",
        "https://github.com/workshop/skills.git",
        "git@github.com:workshop/skills.git",
        "ssh://git@github.com/workshop/skills.git/",
    ],
)
def test_every_way_to_name_a_repository_on_github_is_known(repository: str) -> None:
    assert lines(hub(repository=repository)) == lines(hub())


def test_elsewhere_only_the_clients_that_can_are_named() -> None:
    commands = lines(hub(url="", repository="https://git.example.org/skills.git"))
    assert list(commands) == ["Skillforge", "npx skills", "OpenSkills", "Claude Code"]
    source = "https://git.example.org/skills.git#v1.4.0"
    assert commands["Skillforge"] == f"skillforge install '{source}@csv-profile'"
    assert list(lines(hub(repository=""))) == ["Skillforge", "npx skills", "Hermes"]


def test_a_client_that_takes_single_files_is_not_named_for_a_skill_with_a_page() -> (
    None
):
    page = skill("csv-profile", files={"page.html": DraftFile(b"x")})
    assert "Hermes" not in {line.client for line in install_lines(hub(), page)}


def test_a_hub_that_is_nowhere_yet_is_installed_from_its_folder() -> None:
    assert lines(hub(url="", repository="")) == {
        "Skillforge": "skillforge install HUB@csv-profile"
    }


@pytest.mark.parametrize(
    "name",
    ["x; rm -rf ~", "$(id)", "`id`", "a'b\"c", "a\nrm -rf ~", "a\u202eb", "a\r#"],
)
def test_no_name_is_more_than_an_argument(name: str) -> None:
    for command in lines(hub(), name).values():
        assert "\n" not in command
        usual = lines(hub())
        counts = {len(shlex.split(line)) for line in usual.values()}
        assert len(shlex.split(command)) in counts
