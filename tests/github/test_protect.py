"""`protect` sets a repository up so that only judged proposals reach main."""

import subprocess
from pathlib import Path

import pytest

from tests.github.conftest import AUTHOR, REVIEWER, Team

pytestmark = pytest.mark.slow  # `make test-all` runs it

ADMIN = "olga"


def deeds(team: Team) -> list[str]:
    """What GitHub was asked to change."""
    asked = (e for e in team.hub.exchanges if e.path.startswith("/api/"))
    return [f"{e.method} {e.path}" for e in asked if e.method != "GET"]


def test_it_sets_all_up_and_twice_changes_nothing(team: Team) -> None:
    first = team.ok(ADMIN, "protect", "--owner", "@acme/reviewers")
    before = len(deeds(team))

    again = team.ok(ADMIN, "protect", "--owner", "@acme/reviewers")

    assert first["calls"]
    assert again["calls"] == []
    assert len(deeds(team)) == before
    owners = team.repo.git("show", "main:.github/CODEOWNERS")
    assert "/.github/ @acme/reviewers" in owners
    assert "/skillforge.yaml @acme/reviewers" in owners
    assert "agent-skills" in team.repo.topics
    assert team.repo.settings["allow_squash_merge"] is False
    assert {"skill", "risk:dangerous", "origin:curator"} <= {
        label.name for label in team.repo.labels
    }
    assert team.audit_kinds(ADMIN, "--remote") == []


def test_a_dry_run_changes_nothing(team: Team) -> None:
    ran = team(ADMIN, "protect", "--dry-run")

    assert ran.code == 0
    assert '"dismiss_stale_reviews_on_push": true' in ran.out
    assert '"context": "skill-gate"' in ran.out
    assert deeds(team) == []
    assert not team.repo.rulesets


def test_drift_is_reported_and_fixed(team: Team) -> None:
    team.ok(ADMIN, "protect")
    team.repo.settings["allow_squash_merge"] = True
    [main] = [
        ruleset
        for ruleset in team.repo.rulesets.values()
        if ruleset["target"] == "branch"
    ]
    main["enforcement"] = "disabled"
    main["rules"] = [rule for rule in main["rules"] if rule["type"] != "deletion"]

    drift = team(ADMIN, "audit", "--remote", "--json").data["exceptions"]

    messages = " ".join(exception["message"] for exception in drift)
    assert {exception["kind"] for exception in drift} == {"drift"}
    assert "allow_squash_merge" in messages
    assert "enforcement" in messages
    assert "deletion" in messages
    team.ok(ADMIN, "protect")
    assert team.audit_kinds(ADMIN, "--remote") == []


def test_what_an_agent_with_a_token_cannot_do(team: Team) -> None:
    """Branch protection holds whoever may write: no push to main, no early merge."""
    team.ok(ADMIN, "protect")
    number = team.propose("xlsx-tables")
    clone = team.clone(AUTHOR)
    token = team.hub.user(AUTHOR).token
    url = f"{team.hub.url}/acme/skills.git".replace("//", f"//x-access-token:{token}@")
    clone.git("fetch", "--quiet", "origin")
    main = team.repo.git("rev-parse", "main")

    branch = f"refs/remotes/origin/{team.repo.pulls[number].branch}"
    for refspec in (f"{branch}:main", "+origin/main~1:refs/heads/main", ":main"):
        assert pushed(clone.root, url, refspec) != 0, refspec
    ran = team(AUTHOR, "promote", number)

    assert ran.code == 4
    assert team.repo.git("rev-parse", "main") == main


def pushed(folder: Path, url: str, refspec: str) -> int:
    line = ["git", "push", "--quiet", url, refspec]
    done = subprocess.run(line, cwd=folder, capture_output=True, check=False)
    assert b"src refspec" not in done.stderr
    return done.returncode


def test_the_policy_sets_the_number_of_approvals(team: Team) -> None:
    team.push("main", {"skillforge.yaml": "approvals: 2\n"}, AUTHOR)

    team.ok(ADMIN, "protect")

    [main] = [
        ruleset
        for ruleset in team.repo.rulesets.values()
        if ruleset["target"] == "branch"
    ]
    [rule] = [rule for rule in main["rules"] if rule["type"] == "pull_request"]
    assert rule["parameters"]["required_approving_review_count"] == 2
    assert rule["parameters"]["require_last_push_approval"] is True


def test_codeowners_that_are_there_are_kept(team: Team) -> None:
    team.push("main", {".github/CODEOWNERS": "* @olga\n/.github/ @rita\n"}, AUTHOR)

    team.ok(ADMIN, "protect")

    owners = team.repo.git("show", "main:.github/CODEOWNERS")
    assert owners.startswith("* @olga\n/.github/ @rita\n")
    assert owners.count("/.github/ ") == 1
    assert "/waivers.yaml @olga" in owners


def test_users_who_are_not_admins_get_an_error(team: Team) -> None:
    ran = team(REVIEWER, "protect")

    assert ran.code == 3
    assert "denies access" in ran.err


def test_an_owner_is_a_name_with_a_sign(team: Team) -> None:
    ran = team(ADMIN, "protect", "--owner", "olga")

    assert ran.code == 2
    assert "@LOGIN" in ran.err


def test_rules_that_were_loosened_are_drift(team: Team) -> None:
    team.ok(ADMIN, "protect")
    [main] = [
        ruleset
        for ruleset in team.repo.rulesets.values()
        if ruleset["target"] == "branch"
    ]
    for rule in main["rules"]:
        if rule["type"] == "pull_request":
            rule["parameters"]["required_approving_review_count"] = 0
        if rule["type"] == "required_status_checks":
            rule["parameters"]["required_status_checks"] = []

    drift = team(ADMIN, "audit", "--remote", "--json").data["exceptions"]

    [message] = [exception["message"] for exception in drift]
    assert "pull_request" in message
    assert "required_status_checks" in message


def test_who_may_go_around_the_rules_is_drift(team: Team) -> None:
    team.ok(ADMIN, "protect")
    for rules in team.repo.rulesets.values():
        rules["bypass_actors"] = [{"actor_id": 5, "actor_type": "RepositoryRole"}]

    drift = team(ADMIN, "audit", "--remote", "--json").data["exceptions"]

    assert len(drift) == 2
    assert all("bypass_actors" in exception["message"] for exception in drift)


@pytest.mark.parametrize(
    ("rule", "name", "expected"),
    [
        pytest.param("pull_request", "require_code_owner_review", True, id="owners"),
        pytest.param("pull_request", "allowed_merge_methods", ["merge"], id="merge"),
        pytest.param("pull_request", "dismiss_stale_reviews_on_push", True, id="stale"),
        pytest.param(
            "required_status_checks",
            "strict_required_status_checks_policy",
            True,
            id="tested-on-main",
        ),
    ],
)
def test_the_rules_of_main(team: Team, rule: str, name: str, expected: object) -> None:
    team.ok(ADMIN, "protect")

    [main] = [
        ruleset
        for ruleset in team.repo.rulesets.values()
        if ruleset["target"] == "branch"
    ]
    [found] = [entry["parameters"] for entry in main["rules"] if entry["type"] == rule]
    assert found[name] == expected


ALL = "/.github/ @olga\n/skillforge.yaml @olga\n/waivers.yaml @olga\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".github/CODEOWNERS", ALL.replace("/.github/ @olga", "/.github/")),
        (".github/CODEOWNERS", f"{ALL}* @somebot\n"),
        (".github/CODEOWNERS", f"{ALL}/.github/workflows/\n"),
        ("CODEOWNERS", ALL),
    ],
    ids=["no-owner", "overridden", "hole", "not-itself"],
)
def test_owners_in_name_only_are_drift(team: Team, path: str, text: str) -> None:
    team.push("main", {path: text})

    drift = team(ADMIN, "audit", "--remote", "--json").data["exceptions"]

    assert any(
        "CODEOWNERS does not cover" in exception["message"] for exception in drift
    )
    team.ok(ADMIN, "protect")
    assert team.audit_kinds(ADMIN, "--remote") == []


def test_code_owners_that_cannot_be_written_are_reported(team: Team) -> None:
    team.ok(ADMIN, "protect")
    for rules in team.repo.rulesets.values():
        rules["enforcement"] = "disabled"
    team.push("main", {".github/CODEOWNERS": "# nobody\n"})
    for rules in team.repo.rulesets.values():
        rules["enforcement"] = "active"

    ran = team(ADMIN, "protect")

    assert ran.code == 4
    assert "CODEOWNERS does not cover" in ran.err
    assert "/.github/ @olga" in ran.err


def test_title_and_message_of_merges_are_set_together(team: Team) -> None:
    team.ok(ADMIN, "protect")
    team.repo.settings["merge_commit_message"] = "PR_BODY"

    [call] = team.ok(ADMIN, "protect")["calls"]

    assert call["body"].keys() == {"merge_commit_title", "merge_commit_message"}
