"""Somebody else acts in the very instant: nothing is run over, nothing is lost."""

from collections.abc import Callable
from typing import Any

import pytest

from skillforge.forge.github_api import GitHubApi
from skillforge.gitrepo import remote
from tests.conftest import skill_md
from tests.github.conftest import AUTHOR, REVIEWER, Team, by_hand
from tests.propose.conftest import body

pytestmark = pytest.mark.slow  # `make test-all` runs it


def just_before(
    monkeypatch: pytest.MonkeyPatch, end: str, deed: Callable[[], object]
) -> None:
    """Let somebody else do something in the instant before a call reaches GitHub."""
    once = GitHubApi.once
    done: list[object] = []

    def late(self: GitHubApi, verb: str, path: str, *rest: Any) -> Any:
        if path.endswith(end) and not done:
            done.append(deed())
        return once(self, verb, path, *rest)

    monkeypatch.setattr(GitHubApi, "once", late)


def test_a_late_move_of_main_is_reported(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.propose("xlsx-tables")
    team.approve(1)
    other = {"skills/csv-tables/SKILL.md": skill_md("csv-tables", "", body("new"))}
    just_before(monkeypatch, "/merge", lambda: team.push("main", other))

    ran = team(REVIEWER, "promote", 1)

    assert ran.code == 4
    assert "was not tested" in ran.err


def test_a_head_that_moves_in_the_last_instant_is_not_merged(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))
    team.approve(1)
    before = team.repo.git("rev-parse", "main")
    just_before(
        monkeypatch, "/merge", lambda: team.push(data["branch"], by_hand("other"))
    )

    ran = team(REVIEWER, "promote", 1)

    assert ran.code == 4
    assert "its branch changed" in ran.err
    assert team.repo.git("rev-parse", "main") == before


def test_a_refresh_does_not_run_over_what_was_pushed_meanwhile(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))
    team.land("aa-one")
    push = remote.push
    theirs: list[str] = []

    def late(*arguments: Any) -> None:
        if not theirs:
            theirs.append(team.push(data["branch"], by_hand("more"), REVIEWER))
            team.be(AUTHOR)
        push(*arguments)

    monkeypatch.setattr(remote, "push", late)

    ran = team(AUTHOR, "refresh", 1)

    assert ran.code == 4
    assert team.repo.git("rev-parse", data["branch"]) == theirs[0]


def test_a_different_draft_is_not_overwritten(team: Team) -> None:
    """The same branch, and a commit of the tool, but of other files."""
    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))
    team.ok(AUTHOR, "close", 1)
    clone = team.clone(REVIEWER)
    commit = type(clone).commit
    message = "Add it\n\nSkill: xlsx-tables\nDraft-Digest: sha256:beef"
    with team.monkeypatch.context() as patch:
        patch.setattr(
            type(clone), "commit", lambda workspace, _: commit(workspace, message)
        )
        mine = team.push(data["branch"], by_hand("mine"), REVIEWER)

    refused = team(AUTHOR, "propose", team.draft("xlsx-tables"))

    assert refused.code == 4
    assert team.repo.git("rev-parse", data["branch"]) == mine


def test_notes_that_others_push_meanwhile_stay(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in ("one", "two"):
        number = team.propose("xlsx-tables", words)
        team.repo.review(number, REVIEWER, "APPROVE")
        team.repo.merge(number, REVIEWER)
    first = team.repo.git("rev-parse", "main~1")
    team.clone(REVIEWER)
    push = remote.push
    done: list[bool] = []

    def late(*arguments: Any) -> None:
        if not done:
            done.append(True)
            team.ok(REVIEWER, "promoted", f"{'0' * 40}..{first}")
            team.be(AUTHOR)
        push(*arguments)

    monkeypatch.setattr(remote, "push", late)

    team.ok(AUTHOR, "promoted", f"{first}..origin/main")

    assert len(team.repo.git("notes", "--ref=skillforge", "list").splitlines()) == 2


def test_a_late_answer_after_a_merge_is_not_an_error(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GitHub may tell of the old main for a moment."""
    team.propose("xlsx-tables")
    team.approve(1)
    sha = team.repo.git("rev-parse", "main")
    about = {"type": "commit", "sha": sha, "url": "x"}
    old = {"ref": "refs/heads/main", "node_id": "x", "url": "x", "object": about}
    path = r"/git/ref/heads/main$"
    just_before(
        monkeypatch, "/merge", lambda: team.hub.fail("GET", path, status=200, body=old)
    )

    merged = team.promote(1)

    assert merged["merge"] == team.repo.git("rev-parse", "main")
