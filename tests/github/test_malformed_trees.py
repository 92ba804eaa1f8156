"""Malformed trees in pull requests, which GitHub stores as they are."""

import pytest

from tests import raw_trees
from tests.github.conftest import AUTHOR, REVIEWER, Team
from tests.raw_trees import NAME, Attack

attacks = pytest.mark.parametrize("attack", raw_trees.ATTACKS)


@attacks
def test_on_github_a_malformed_pull_request_is_refused(
    team: Team, attack: Attack
) -> None:
    number = team.propose(NAME, "an", "edit")
    pull = team.repo.pulls[number]
    root = team.repo.path
    evil = raw_trees.commit(root, attack(root, pull.head_sha), pull.head_sha)
    team.repo.git("update-ref", f"refs/heads/{pull.branch}", evil)
    main = team.repo.git("rev-parse", "main")

    ran = team(REVIEWER, "review", number, "--approve", "--head", evil)
    assert ran.code != 0, ran.out
    assert team(AUTHOR, "promote", number).code != 0
    assert team.repo.git("rev-parse", "main") == main
