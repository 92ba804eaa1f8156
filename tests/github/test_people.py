"""Who counts: an approval is of somebody else, who may write, and of exactly this."""

import json
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.conftest import skill_md
from tests.github.conftest import AUTHOR, REVIEWER, STRANGER, Team, by_hand
from tests.propose.conftest import body

pytestmark = pytest.mark.slow  # `make test-all` runs it


def test_a_bot_does_not_approve(team: Team) -> None:
    team.propose("xlsx-tables")
    team.repo.review(1, REVIEWER, "APPROVE").author.kind = "Bot"

    refused = team(AUTHOR, "promote", 1)

    assert refused.code == 4
    assert "0 of 1 approvals" in refused.err


def test_a_dismissed_approval_does_not_uncover_an_older_one(team: Team) -> None:
    team.propose("xlsx-tables")
    team.repo.review(1, REVIEWER, "APPROVE")
    team.repo.review(1, REVIEWER, "APPROVE").state = "DISMISSED"

    refused = team(AUTHOR, "promote", 1)

    assert refused.code == 4
    assert "0 of 1 approvals" in refused.err


def test_who_committed_the_work_of_another_cannot_approve_it(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))
    be = Team.be

    def half(self: Team, who: str) -> None:
        be(self, who)
        monkeypatch.setenv("GIT_AUTHOR_NAME", "Ada Person")
        monkeypatch.setenv("GIT_AUTHOR_EMAIL", "ada@example.invalid")

    with monkeypatch.context() as patch:
        patch.setattr(Team, "be", half)
        head = team.push(data["branch"], by_hand("by", "rita"), REVIEWER)

    refused = team(REVIEWER, "review", 1, "--approve", "--head", head)

    assert refused.code == 4
    assert "can't approve it" in refused.err


def test_a_trailer_that_names_no_skill_is_not_believed(team: Team) -> None:
    clone = team.clone(AUTHOR)
    commit = type(clone).commit
    trailers = "Sly\n\nSkill: ../../etc\nAction: create\nOrigin: curator"
    team.monkeypatch.setattr(
        type(clone), "commit", lambda workspace, _: commit(workspace, trailers)
    )
    team.push("sly", by_hand("one"))
    number = team.open_pull("sly")

    [row] = team.ok(REVIEWER, "proposals")["proposals"]

    assert row["number"] == number
    assert row["skill"] == "xlsx-tables"


def test_a_pull_request_to_another_branch_is_none_of_ours(team: Team) -> None:
    team.repo.git("branch", "dev", "main")
    team.push("patch-1", by_hand("one"))
    api = f"{team.hub.api}/repos/{team.repo.full_name}/pulls"
    fields = {"title": "To dev", "head": "patch-1", "base": "dev"}
    head = {"Authorization": f"Bearer {team.hub.user(AUTHOR).token}"}
    urlopen(Request(api, json.dumps(fields).encode(), head, method="POST")).close()

    assert team.ok(REVIEWER, "proposals")["proposals"] == []


def test_an_approval_is_of_the_evidence_too(team: Team, tmp_path: Path) -> None:
    example = {"task": "Read", "outcome": {"status": "success", "verified_by": "test"}}
    file = tmp_path / "one.json"
    file.write_text(json.dumps(example))
    team.ok(AUTHOR, "propose", team.draft("xlsx-tables"), "--example", file)
    team.approve(1)

    team.promote(1)

    assert team.audit_kinds() == []


def test_a_fork_is_refreshed_where_it_is(team: Team) -> None:
    data = team.ok(STRANGER, "propose", team.draft("xlsx-tables"))
    team.land("aa-one")

    team.ok(STRANGER, "refresh", 1)

    assert team.repo.pulls[1].head_sha != data["commit"]
    assert data["branch"] not in team.repo.git("branch", "--list")
    team.approve(1)
    team.promote(1)


def test_a_long_list_is_read_to_its_end(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillforge.forge.github_api._PAGE", 1)
    numbers = [team.propose(name) for name in ("aa-one", "bb-two", "cc-three")]

    rows = team.ok(REVIEWER, "proposals")["proposals"]

    assert [row["number"] for row in rows] == numbers


def call(team: Team, verb: str, path: str, fields: dict[str, str], who: str) -> None:
    """Somebody uses GitHub's interface directly."""
    url = f"{team.hub.api}/repos/{team.repo.full_name}{path}"
    head = {"Authorization": f"Bearer {team.hub.user(who).token}"}
    urlopen(Request(url, json.dumps(fields).encode(), head, method=verb)).close()


def test_a_pull_request_to_another_branch_is_not_promoted(team: Team) -> None:
    team.repo.git("branch", "dev", "main")
    team.propose("xlsx-tables")
    team.approve(1)
    call(team, "PATCH", "/pulls/1", {"base": "dev"}, AUTHOR)

    refused = team(REVIEWER, "promote", 1)

    assert refused.code == 2
    assert "goes to dev" in refused.err
    assert team.repo.pulls[1].open


def test_an_approval_for_another_branch_is_not_one_for_main(team: Team) -> None:
    """What the reviewer saw was the difference to that branch."""
    team.repo.git("branch", "dev", "main")
    malice = {"skills/csv-tables/SKILL.md": skill_md("csv-tables", "", body("malice"))}
    team.push("dev", malice)
    team.push("feat", {})
    clone = team.clone(AUTHOR)
    clone.git("fetch", "--quiet", "origin")
    clone.git("checkout", "--quiet", "-B", "feat", "origin/dev")
    team.push("feat2", {})
    team.repo.git("branch", "-f", "feat", "dev")
    clone.git("branch", "-D", "feat2")
    team.push("feat", {"skills/csv-tables/notes.md": "harmless\n"})
    fields = {"title": "Notes", "head": "feat", "base": "dev"}
    call(team, "POST", "/pulls", fields, AUTHOR)
    number = max(team.repo.pulls)
    team.repo.review(number, REVIEWER, "APPROVE")
    call(team, "PATCH", f"/pulls/{number}", {"base": "main"}, AUTHOR)

    refused = team(REVIEWER, "promote", number)

    assert refused.code == 4
    assert "0 of 1 approvals" in refused.err


def test_a_member_who_may_only_read_does_not_approve(team: Team) -> None:
    team.repo.roles[STRANGER] = "read"
    team.propose("xlsx-tables")
    team.repo.review(1, STRANGER, "APPROVE")

    refused = team(REVIEWER, "promote", 1)

    assert refused.code == 4
    assert "0 of 1 approvals" in refused.err


def test_a_refresh_keeps_every_author(team: Team) -> None:
    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))
    team.push(data["branch"], by_hand("by", "rita"), REVIEWER)
    number = team.propose("bb-two")
    team.repo.review(number, "olga", "APPROVE")
    team.promote(number)
    team.ok(AUTHOR, "refresh", 1)

    refused = team(REVIEWER, "review", 1, "--approve")

    assert refused.code == 4
    assert "can't approve it" in refused.err


def test_an_app_token_is_not_a_person(team: Team) -> None:
    team.propose("xlsx-tables")
    refused = {"message": "Resource not accessible by integration"}
    team.hub.fail("GET", r"/user$", status=403, body=refused, times=None)

    ran = team(REVIEWER, "review", 1, "--approve")

    assert ran.code == 2
    assert "the token does not belong to a user" in ran.err


def test_an_account_that_is_gone_counts_for_nothing(team: Team) -> None:
    team.propose("xlsx-tables")
    review = {"id": 1, "user": None, "state": "APPROVED", "commit_id": "x"}
    team.hub.fail("GET", r"/reviews$", status=200, body=[review], times=None)

    assert team(REVIEWER, "promote", 1).code == 4


def test_a_bot_is_never_a_person(team: Team) -> None:
    team.propose("xlsx-tables")
    team.repo.pulls[1].author.kind = "Bot"

    [row] = team.ok(REVIEWER, "proposals")["proposals"]

    assert row["origin"] == "agent-background"


def test_a_date_in_the_future_does_not_keep_a_proposal_young(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2096-01-01T00:00:00Z")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2096-01-01T00:00:00Z")
    number = team.propose("xlsx-tables")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    monkeypatch.delenv("GIT_AUTHOR_DATE")

    [row] = team.ok(REVIEWER, "proposals")["proposals"]

    assert row["number"] == number
    assert 0 <= row["age_days"] < 1


def stranger_says(team: Team, message: str, files: dict[str, str]) -> int:
    """A pull request from a fork whose commit says what it likes."""
    team.propose("zz-own", who=STRANGER)  # makes the fork
    clone = team.clone(STRANGER)
    team.be(STRANGER)
    clone.git("checkout", "--quiet", "-B", "sly", "origin/main")
    for path, text in files.items():
        clone.write(path, text)
    clone.commit(message)
    token = team.hub.user(STRANGER).token
    host = team.hub.url.removeprefix("http://")
    url = f"http://x-access-token:{token}@{host}/sam/skills.git"
    clone.git("push", "--quiet", "--force", url, "HEAD:refs/heads/sly")
    clone.git("checkout", "--quiet", "main")
    fields = {"title": "Sly", "head": "sam:sly", "base": "main"}
    call(team, "POST", "/pulls", fields, STRANGER)
    return max(team.repo.pulls)


def test_a_stranger_takes_no_drafts_place(team: Team) -> None:
    mine = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))
    message = team.repo.git("log", "-1", "--format=%B", mine["commit"])
    team.ok(AUTHOR, "close", 1)
    number = stranger_says(team, message, by_hand("evil"))

    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))
    theirs = team.ok(STRANGER, "propose", team.draft("xlsx-tables"))

    assert data["proposal"] != number
    assert data["created"] is True
    assert theirs["proposal"] == data["proposal"]  # claims are no bytes


def test_a_stranger_cannot_block_proposals(team: Team) -> None:
    claims = "Sly\n\nSkill: xlsx-tables\nSkill: csv-tables\nAction: edit"
    number = stranger_says(team, claims, {"evidence/csv-tables/x.json": "{}"})

    assert team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))["created"] is True
    rows = team.ok(REVIEWER, "proposals")["proposals"]
    [row] = [row for row in rows if row["number"] == number]
    assert row["skills"] == ["csv-tables"]


def test_a_deleted_fork_is_reported(team: Team) -> None:
    team.ok(STRANGER, "propose", team.draft("xlsx-tables"))
    team.land("aa-one")
    pull = team.repo.pulls[1]
    path = r"/pulls/1$"
    known = next(
        e.answer for e in team.hub.exchanges if e.path.endswith("/pulls/1") and e.answer
    )
    gone = {**known, "head": {**known["head"], "repo": None, "sha": pull.head_sha}}
    team.hub.fail("GET", path, status=200, body=gone, times=None)

    ran = team(AUTHOR, "refresh", 1)

    assert ran.code == 4
    assert "was deleted" in ran.err


def test_labels_of_others_are_left_alone(team: Team) -> None:
    """A label's name is text: it names no other thing to be removed."""
    team.propose("xlsx-tables")
    odd = "origin:/../../../../rulesets/1"
    team.repo.pulls[1].labels.append(team.repo.add_label(odd))
    team.repo.pulls[1].labels.append(team.repo.add_label("risk:dangerous"))

    team.propose("xlsx-tables")

    assert odd in team.labels(1)
    assert "risk:dangerous" not in team.labels(1)
    assert not [e for e in team.hub.exchanges if "rulesets" in e.path]


def test_users_without_write_access_are_warned_before_approving(team: Team) -> None:
    team.propose("xlsx-tables")

    refused = team(STRANGER, "review", 1, "--approve")

    assert refused.code == 4
    assert "would not count" in refused.err
    assert not team.repo.pulls[1].reviews
    team.approve(1)
    approvals = team.ok(STRANGER, "review", 1)["approvals"]
    assert approvals == [f"rita <{team.hub.user(REVIEWER).noreply}>"]


def test_an_approval_of_what_github_s_gate_refuses_is_marked(team: Team) -> None:
    team.propose("xlsx-tables")
    team.repo.check(team.repo.pulls[1].head_sha, "skill-gate", "failure")

    output = team(REVIEWER, "review", 1, "--approve").out

    assert "but the gate refuses it" in output
    assert "--reject" in output


def test_a_stranger_posts_no_report(team: Team) -> None:
    team.propose("xlsx-tables", who=STRANGER)

    team.ok(STRANGER, "gate", 1)

    assert team.remarks(1) == []
