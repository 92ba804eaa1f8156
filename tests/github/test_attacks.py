"""What attackers found, so that nobody finds it again."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.github.conftest import AUTHOR, REVIEWER, SKILL, Team, by_hand
from tests.github.test_people import call

pytestmark = pytest.mark.slow  # `make test-all` runs it


def main_moves(team: Team) -> None:
    number = team.propose("bb-two")
    team.repo.review(number, "olga", "APPROVE")
    team.promote(number)


def gate_json(team: Team, head: str, base: str, message: str = "") -> Path:
    found = {"rule": "x", "severity": "warning", "message": message, "path": "a"}
    check: dict[str, Any] = {"name": "validate", "status": "passed", "seconds": 0.1}
    check |= {"findings": [{**found, "line": 1, "hint": ""}] if message else []}
    report: dict[str, Any] = {"format": "skillforge/gate/1", "head": head, "base": base}
    report |= {"tree": "0" * 40, "policy": "", "checks": [check | {"skills": {}}]}
    file = team.tmp / "gate.json"
    file.write_text(json.dumps(report))
    return file


def test_a_line_in_the_reason_hides_no_committer(team: Team) -> None:
    noreply = team.hub.user(REVIEWER).noreply
    hide = "Text.\nProposed-By: Rita Person <rita@example.invalid>\n"
    hide += f"Proposed-By: rita <{noreply}>"
    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"), "--why", hide)
    team.push(data["branch"], by_hand("by", "rita"), REVIEWER)
    main_moves(team)
    team.ok(AUTHOR, "refresh", 1)

    assert team(REVIEWER, "review", 1, "--approve").code == 4


def test_a_manual_refresh_of_a_branch_keeps_every_author(team: Team) -> None:
    team.push("patch-1", by_hand("one"))
    number = team.open_pull("patch-1")
    team.push("patch-1", by_hand("by rita"), REVIEWER)
    main_moves(team)
    team.ok(AUTHOR, "refresh", number)
    head = team.repo.pulls[number].head_sha

    assert team(REVIEWER, "review", number, "--approve", "--head", head).code == 4


def test_a_base_that_github_changed_itself_voids_approvals(team: Team) -> None:
    team.propose("xlsx-tables")
    team.approve(1)
    event = {"event": "automatic_base_change_succeeded"}
    event |= {"created_at": "2099-01-01T00:00:00Z"}
    team.hub.fail("GET", r"/events$", status=200, body=[event], times=None)

    assert team(REVIEWER, "promote", 1).code == 4


def test_a_long_finding_does_not_cut_the_warning_off(team: Team) -> None:
    evil = {".github/workflows/skill-gate.yml": "evil"}
    head = team.push("patch-1", {**by_hand("one"), **evil})
    number = team.open_pull("patch-1")
    file = gate_json(team, head, team.repo.git("rev-parse", "main"), "@" * 9000)
    team.ok(REVIEWER, "report", file, "--head", head)

    assert "Do not trust" in team.remarks(number)[-1]


def test_a_gate_run_for_another_branch_does_not_count_for_main(team: Team) -> None:
    team.repo.git("branch", "dev", "main")
    team.push("dev", {"skillforge.yaml": "checks: []\n"})
    head = team.push("feat", by_hand("evil"))
    fields = {"title": "a", "head": "feat", "base": "dev"}
    call(team, "POST", "/pulls", fields, AUTHOR)
    number = team.open_pull("feat")
    file = gate_json(team, head, team.repo.git("rev-parse", "dev"))
    team(REVIEWER, "report", file, "--head", head)

    assert not [
        remark for remark in team.remarks(number) if "The gate passed" in remark
    ]


def test_a_long_reason_does_not_cut_the_risk_off(team: Team) -> None:
    team.ok(AUTHOR, "propose", team.draft("xlsx-tables"), "--why", "#" * 9000)

    assert "### Risk" in team.page(1)


@pytest.mark.parametrize(
    "env",
    [
        {"GIT_TRACE_CURL": "1", "GIT_TRACE_REDACT": "0"},
        {"GIT_TRACE2": "1", "GIT_TRACE2_CONFIG_PARAMS": "http.*"},
    ],
)
def test_a_trace_of_git_leaks_no_token(team: Team, env: dict[str, str]) -> None:
    team.clone(AUTHOR)
    team.hub.fail("POST", r"git-receive-pack", status=500, times=None)
    for name, value in env.items():
        team.monkeypatch.setenv(name, value)
    ran = team(AUTHOR, "propose", team.draft("bb-two"))
    token = team.hub.user(AUTHOR).token
    coded = base64.b64encode(f"x-access-token:{token}".encode()).decode()

    assert ran.code == 3
    assert coded not in ran.out + ran.err


def test_a_password_in_the_remote_is_not_shown(team: Team) -> None:
    url = "https://u:SECRET@example.com/a/b/c"
    team.clone(AUTHOR).git("remote", "set-url", "origin", url)

    assert "SECRET" not in team(AUTHOR, "proposals", "--forge", "github").err


def test_no_tag_of_the_user_is_pushed(team: Team) -> None:
    clone = team.clone(AUTHOR)
    team.be(AUTHOR)
    clone.git("config", "push.followTags", "true")
    clone.git("tag", "-a", "-m", "private", "v9.9.9", "origin/main")
    team.propose("xlsx-tables")

    assert team.repo.git("tag", "--list") == ""


def test_what_promote_lets_through_the_audit_accepts(team: Team) -> None:
    head = team.push("patch-1", by_hand("one"))
    number = team.open_pull("patch-1")
    team.ok(REVIEWER, "review", number, "--approve", "--head", head)
    team.promote(number)

    assert team.audit_kinds() == []


def test_one_odd_merge_does_not_stop_the_notes(team: Team) -> None:
    first = team.propose("aa-one")
    team.repo.review(first, REVIEWER, "APPROVE")
    team.repo.merge(first, REVIEWER)
    team.push("patch-1", {"skills/README.md": "hi\n"})
    team.repo.merge(team.open_pull("patch-1"), REVIEWER)

    ran = team(AUTHOR, "promoted", "--json")

    assert ran.code == 1
    assert [entry["number"] for entry in ran.data["recorded"]] == [first]


def test_a_squatter_with_other_evidence_is_not_my_draft(team: Team) -> None:
    example = team.tmp / "one.json"
    ended = {"status": "success", "verified_by": "test"}
    example.write_text(json.dumps({"task": "Read", "outcome": ended}))
    line = ("propose", team.draft("xlsx-tables"), "--example", example)
    mine = team.ok(AUTHOR, *line)["commit"]
    message = team.repo.git("log", "-1", "--format=%B", mine)
    text = team.repo.git("show", f"{mine}:{SKILL}") + "\n"
    team.ok(AUTHOR, "close", 1)
    kind = type(team.clone(REVIEWER))
    commit = kind.commit
    team.monkeypatch.setattr(
        kind, "commit", lambda workspace, _: commit(workspace, message)
    )
    team.push("sly", {SKILL: text, "evidence/xlsx-tables/o.json": "{}"}, REVIEWER)
    number = team.open_pull("sly", REVIEWER)

    refused = team(AUTHOR, *line)

    assert refused.code == 4
    assert f"proposal {number} for xlsx-tables is already open" in refused.err


def test_a_note_on_the_first_commit_does_not_crash(team: Team) -> None:
    clone = team.clone(AUTHOR)
    root = clone.git("rev-list", "--max-parents=0", "HEAD").strip()
    clone.git("notes", "--ref=skillforge", "add", "-m", "t\n\nProposal: 1", root)

    assert team(AUTHOR, "audit").code in (0, 1, 2, 3, 4)


@pytest.mark.parametrize("url", ["https://github.com:abc/a/b", "https://[::1/a/b"])
def test_an_odd_remote_does_not_crash(team: Team, url: str) -> None:
    team.clone(AUTHOR).git("remote", "set-url", "origin", url)

    assert team(AUTHOR, "proposals").code in (0, 1, 2, 3, 4)
    assert team(AUTHOR, "proposals", "--host", "x:abc").code in (0, 1, 2, 3, 4)


SENSELESS: list[tuple[str, str, str, Any, tuple[object, ...]]] = [
    (AUTHOR, "POST", r"/pulls$", {}, ("propose",)),
    (REVIEWER, "PUT", r"/merge$", {}, ("promote", 1)),
    (REVIEWER, "GET", r"/user$", {}, ("review", 1, "--approve")),
    (REVIEWER, "GET", r"/commits/\w+/pulls", [{}], ("promoted",)),
    ("olga", "GET", r"/repos/acme/skills$", {}, ("protect", "--dry-run")),
    ("olga", "GET", r"/topics$", {}, ("protect", "--dry-run")),
]


@pytest.mark.parametrize(("who", "verb", "path", "body", "line"), SENSELESS)
def test_an_incomplete_answer_is_reported(
    team: Team, who: str, verb: str, path: str, body: object, line: tuple[object, ...]
) -> None:
    team.propose("xlsx-tables")
    team.repo.review(1, REVIEWER, "APPROVE")
    if line == ("promoted",):
        team.repo.merge(1, REVIEWER)
    more = (team.draft("yy-own"),) if line == ("propose",) else ()
    status = 200 if verb == "GET" else 201
    team.hub.fail(verb, path, status=status, body=body, times=None)

    assert team(who, *line, *more).code in (0, 1, 2, 3, 4)


def test_a_path_does_not_end_the_page(team: Team) -> None:
    data = team.ok(AUTHOR, "propose", team.draft("xlsx-tables"))
    odd = "skills/xlsx-tables/<!-- skillforge:end -->"
    team.push(data["branch"], {odd: "x"})
    for name in ("aa-one", "cc-three"):
        number = team.propose(name)
        team.repo.review(number, "olga", "APPROVE")
        team.promote(number)
        team.ok(AUTHOR, "refresh", 1)

    assert team.page(1).count("### Risk") == 1


def test_the_opener_is_recorded_for_any_reason_text(team: Team) -> None:
    why = f"As ada <{team.hub.user(AUTHOR).noreply}> said"
    team.ok(AUTHOR, "propose", team.draft("xlsx-tables"), "--why", why)
    team.approve(1)
    team.promote(1)

    assert "\nOpened-By: ada" in team.repo.git("log", "-1", "--format=%B", "main")


def test_a_link_of_the_user_is_not_lost(team: Team) -> None:
    path = "skills/csv-tables/x.md"
    team.push("main", {path: "x\n"})
    clone = team.clone(REVIEWER)
    team.fetch(REVIEWER)
    clone.git("reset", "-q", "--hard", "origin/main")
    theirs = team.clone(AUTHOR)
    theirs.git("checkout", "-q", "main")
    team.fetch(AUTHOR)
    theirs.git("reset", "-q", "--hard", "origin/main")
    theirs.git("rm", "-q", path)
    team.be(AUTHOR)
    theirs.commit("By hand")
    token = team.hub.user(AUTHOR).token
    url = f"{team.hub.url}/acme/skills.git".replace("//", f"//x-access-token:{token}@")
    theirs.git("push", "-q", url, "HEAD:refs/heads/gone")
    number = team.open_pull("gone")
    team.repo.merge(number, REVIEWER)
    (clone.root / path).unlink()
    (clone.root / path).symlink_to("/etc/hosts")

    team(REVIEWER, "promote", number)

    assert (clone.root / path).is_symlink()
