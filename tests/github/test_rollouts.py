"""Rollouts of skills that are merged on GitHub, and uses that go through its git."""

import pytest

from tests.github.conftest import AUTHOR, REVIEWER, Team

NAME = "csv-tables"
REF = f"refs/skillforge/rollouts/{NAME}"


def test_an_edit_merged_in_githubs_pages_starts_a_rollout(team: Team) -> None:
    before = team.repo.git("rev-parse", "main")
    number = team.propose(NAME, "headers", "first")
    team.repo.review(number, REVIEWER, "APPROVE")
    team.repo.merge(number, REVIEWER, method="merge")

    output = team.ok(AUTHOR, "promoted", f"{before}..origin/main")

    assert output["rollouts"] == [NAME]
    assert team.repo.git("show", f"{REF}:rollout.json")
    again = team.ok(REVIEWER, "promoted", f"{before}..origin/main")
    assert again["rollouts"] == [NAME]
    log = team.repo.git("log", "--format=%s", REF).split("\n")
    assert log == [f"started {NAME}"]


@pytest.mark.slow
def test_clones_agree_on_a_rollout_and_share_uses(team: Team) -> None:
    team.land(NAME, "headers", "first")
    team.ok(REVIEWER, "sync-uses")
    team.ok(REVIEWER, "record", NAME, "--key", "k", "--outcome", "success")
    team.ok(REVIEWER, "sync-uses")
    team.fetch(AUTHOR)

    output = team.ok(AUTHOR, "sync-uses")

    assert (output["received"], output["changed"]) == (1, [NAME])
    assert team.ok(AUTHOR, "stats")["skills"][0]["uses"] == 1
