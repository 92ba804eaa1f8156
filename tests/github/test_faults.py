"""GitHub in trouble: a clear error or a safe retry, and never anything twice."""

import time
from typing import Any

import pytest

from skillforge.forge import github_api
from tests.github.conftest import AUTHOR, REVIEWER, Team

pytestmark = pytest.mark.slow  # `make test-all` runs it


def test_a_wrong_token(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    team.clone(AUTHOR)
    monkeypatch.setattr(type(team), "be", lambda *_: None)
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_wrong")

    ran = team(AUTHOR, "proposals")

    assert ran.code == 3
    assert "rejects the token" in ran.err
    assert "ghp_wrong" not in ran.err + ran.out


def test_no_token(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    team.clone(AUTHOR)
    monkeypatch.setattr(type(team), "be", lambda *_: None)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # git, but no gh

    ran = team(AUTHOR, "proposals")

    assert ran.code == 3
    assert "no token for" in ran.err
    assert "--forge local" in ran.err


@pytest.mark.parametrize(
    ("method", "path"),
    [
        pytest.param("POST", r"/pulls$", id="open"),
        pytest.param("POST", r"/pulls/\d+/reviews$", id="approve"),
        pytest.param("PUT", r"/merge$", id="merge"),
    ],
)
@pytest.mark.parametrize("fault", ["acted", "dropped", "not-acted"])
def test_a_deed_without_an_answer_is_done_once(
    team: Team, method: str, path: str, fault: str
) -> None:
    how: dict[str, Any] = {"drop": True} if fault == "dropped" else {"status": 502}
    team.hub.fail(method, path, after=fault != "not-acted", **how)

    team.land("xlsx-tables")

    assert [e for e in team.hub.exchanges if e.fault or e.dropped]
    assert len(team.repo.pulls) == 1
    assert len(team.repo.pulls[1].reviews) == 1
    assert team.audit_kinds() == []


def test_a_remark_without_an_answer_is_made_once(team: Team) -> None:
    team.propose("xlsx-tables")
    team.hub.fail("POST", r"/comments$", drop=True, after=True)

    team.ok(REVIEWER, "review", 1, "--comment", "Why?")
    team.ok(REVIEWER, "review", 1, "--comment", "Why?")

    assert team.remarks(1) == ["Why?", "Why?"]


def test_a_push_without_an_answer_is_found_again(team: Team) -> None:
    team.hub.fail("POST", r"git-receive-pack$", drop=True, after=True)

    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))

    assert team.repo.pulls[1].head_sha == data["commit"]


def test_a_lasting_fault_is_reported_and_nothing_is_left_half_done(team: Team) -> None:
    team.clone(AUTHOR)
    team.hub.fail("POST", r"/pulls$", status=503, times=None)

    ran = team(AUTHOR, "propose", team.draft("xlsx-tables"))

    assert ran.code == 3
    assert "GitHub has a problem" in ran.err
    tries = [e for e in team.hub.exchanges if e.method == "POST" and e.status == 503]
    assert len(tries) == 1 + len(github_api.PAUSES)
    team.hub.heal()
    assert team.propose("xlsx-tables") == 1


def test_what_is_superseded_stays_open_until_there_is_another(team: Team) -> None:
    first = team.propose("xlsx-tables")
    draft = team.draft("xlsx-tables", "other")
    team.hub.fail("POST", r"/pulls$", status=503, times=None)

    assert team(AUTHOR, "propose", draft, "--supersede").code == 3

    assert team.repo.pulls[first].open
    team.hub.heal()
    second = team.ok(AUTHOR, "propose", draft, "--supersede")["proposal"]
    assert [team.repo.pulls[number].open for number in (first, second)] == [False, True]


def test_a_short_rate_limit_is_waited_for(team: Team) -> None:
    headers = {"retry-after": "1"}
    body = {"message": "You have exceeded a secondary rate limit."}
    team.hub.fail("GET", r"/pulls$", status=403, headers=headers, body=body)
    start = time.monotonic()

    team.ok(AUTHOR, "proposals")

    assert time.monotonic() - start >= 1


@pytest.mark.parametrize("status", [403, 429])
def test_a_long_rate_limit_is_reported(team: Team, status: int) -> None:
    reset = str(int(time.time()) + 3000)
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
    body = {"message": "API rate limit exceeded for user ID 1."}
    team.hub.fail("GET", r"/pulls$", status=status, headers=headers, body=body)

    ran = team(AUTHOR, "proposals")

    assert ran.code == 3
    assert "rate limit is used up until" in ran.err


def test_a_slow_answer_is_not_waited_for_without_end(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(github_api, "SLOWEST", 1)
    team.hub.fail("GET", r"/pulls$", delay=1.5)

    assert team.ok(AUTHOR, "proposals")["proposals"] == []


def test_a_repository_that_is_not_there(team: Team) -> None:
    clone = team.clone(AUTHOR)
    clone.git("remote", "set-url", "origin", f"{team.hub.url}/acme/other.git")

    ran = team(AUTHOR, "proposals")

    assert ran.code == 2
    assert "acme/other: pulls" in ran.err


def test_a_head_that_moved_is_not_merged(team: Team) -> None:
    team.propose("xlsx-tables")
    team.approve(1)
    moved = {"message": "Head branch was modified. Review and try the merge again."}
    team.hub.fail("PUT", r"/merge$", status=409, body=moved)

    ran = team(REVIEWER, "promote", 1)

    assert ran.code == 4
    assert "Head branch was modified" in ran.err
    assert team.repo.pulls[1].open


def test_a_github_rule_that_forbids_it_is_reported(team: Team) -> None:
    team.ok("olga", "protect")
    number = team.propose("xlsx-tables")
    team.approve(number)

    ran = team(REVIEWER, "promote", number)

    assert ran.code == 4
    assert 'Required status check "skill-gate"' in ran.err
    team.repo.check(team.repo.pulls[number].head_sha, "skill-gate", "success")
    team.promote(number)


def test_users_who_may_not_set_labels_can_still_propose(team: Team) -> None:
    refused = {"message": "Resource not accessible by personal access token"}
    team.hub.fail("POST", r"/labels$", status=403, body=refused, times=None)

    assert team.propose("xlsx-tables") == 1
    assert team.labels(1) == set()


def test_two_at_once_make_one(team: Team) -> None:
    """The loser of a race on GitHub gets the winner's pull request."""
    exists = {
        "message": "Validation Failed",
        "errors": [{"message": "A pull request already exists for acme:skill."}],
    }
    team.hub.fail("POST", r"/pulls$", status=422, body=exists, after=True)

    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))

    assert data["created"] is False
    assert len(team.repo.pulls) == 1


@pytest.mark.parametrize("after", ["0", "²", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_limit_that_says_nothing_useful_is_not_asked_without_end(
    team: Team, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    team.hub.fail(
        "GET", r"/pulls$", status=429, headers={"retry-after": after}, times=None
    )

    ran = team(AUTHOR, "proposals")

    assert ran.code == 3
    assert "rate limit" in ran.err
    assert sum(waited) <= github_api.LONGEST_WAIT


def test_a_list_without_an_end_is_left(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(github_api, "_PAGE", 1)
    monkeypatch.setattr(github_api, "_MOST_PAGES", 3)
    for name in ("aa-one", "bb-two", "cc-three"):
        team.push(name, {f"{name}.md": "x"})
        team.open_pull(name)

    ran = team(AUTHOR, "proposals")

    assert ran.code == 3
    assert "is too long" in ran.err


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (r"/pulls$", {"no": "list"}),
        (r"/pulls$", [{"number": 1}]),
        (r"/pulls$", [None]),
        (r"/reviews$", [{"user": {"id": 1}, "state": 7}, 5]),
        (r"/check-runs$", {"check_runs": [{}, {}]}),
        (r"/check-runs$", []),
        (r"/git/ref/heads/main$", {"object": None}),
    ],
)
def test_an_invalid_answer_is_not_reported_as_a_bug(
    team: Team, path: str, body: Any
) -> None:
    team.propose("xlsx-tables")
    team.hub.fail("GET", path, status=200, body=body)

    ran = team(REVIEWER, "proposals")

    assert ran.code == 3, ran.err
    assert "unexpected response" in ran.err


@pytest.mark.parametrize("to", ["https://x.invalid/", "/elsewhere"])
@pytest.mark.parametrize("status", [301, 302])
def test_redirects_to_another_host_are_not_followed(
    team: Team, to: str, status: int
) -> None:
    team.clone(AUTHOR)
    headers = {"location": to}
    team.hub.fail("GET", r"/pulls$", status=status, headers=headers, times=None)

    ran = team(AUTHOR, "proposals")

    assert ran.code in (2, 3), ran.err


def test_a_token_that_may_not_see_checks_is_enough(team: Team) -> None:
    team.propose("xlsx-tables")
    refused = {"message": "Resource not accessible by personal access token"}
    team.hub.fail("GET", r"/check-runs$", status=403, body=refused, times=None)

    [row] = team.ok(REVIEWER, "proposals")["proposals"]

    assert row["checks"] == "none"


def test_a_host_that_is_down_is_not_waited_for(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.clone(AUTHOR)
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setattr(github_api, "PAUSES", (5.0,))
    url = "http://127.0.0.1:9/acme/skills.git"
    team.clone(AUTHOR).git("remote", "set-url", "origin", url)
    monkeypatch.setenv("GH_HOST", "127.0.0.1:9")

    ran = team(AUTHOR, "proposals")

    assert ran.code == 3
    assert "cannot reach" in ran.err
    assert sum(waited) == 0


def test_a_repository_without_a_branch_wants_a_push(team: Team) -> None:
    team.hub.repo("acme/empty", writers=[AUTHOR])
    clone = team.clone(AUTHOR)
    clone.git("remote", "set-url", "origin", f"{team.hub.url}/acme/empty.git")

    ran = team(AUTHOR, "propose", team.draft("xlsx-tables"))

    assert ran.code == 4
    assert "git push" in ran.err


def test_a_token_with_a_line_break_is_none(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.clone(AUTHOR)
    monkeypatch.setattr(type(team), "be", lambda *_: None)
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_a\nghp_b")

    ran = team(AUTHOR, "proposals")

    assert ran.code == 3
    assert "is not a valid token" in ran.err
    assert "ghp_a" not in ran.err
