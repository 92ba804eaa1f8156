"""`protect` sets a repository up so that only judged proposals reach main."""

import subprocess
from pathlib import Path

from tests.github.conftest import AUTHOR, REVIEWER, Team

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


def test_drift_is_told_and_mended(team: Team) -> None:
    team.ok(ADMIN, "protect")
    team.repo.settings["allow_squash_merge"] = True
    [main] = [it for it in team.repo.rulesets.values() if it["target"] == "branch"]
    main["enforcement"] = "disabled"
    main["rules"] = [rule for rule in main["rules"] if rule["type"] != "deletion"]

    drift = team(ADMIN, "audit", "--remote", "--json").data["exceptions"]

    told = " ".join(exception["message"] for exception in drift)
    assert {exception["kind"] for exception in drift} == {"drift"}
    assert "allow_squash_merge" in told
    assert "enforcement" in told
    assert "deletion" in told
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


def test_the_policy_says_how_many_approve(team: Team) -> None:
    team.push("main", {"skillforge.yaml": "approvals: 2\n"}, AUTHOR)

    team.ok(ADMIN, "protect")

    [main] = [it for it in team.repo.rulesets.values() if it["target"] == "branch"]
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


def test_who_is_no_admin_is_told(team: Team) -> None:
    ran = team(REVIEWER, "protect")

    assert ran.code == 3
    assert "does not allow it" in ran.err


def test_an_owner_is_a_name_with_a_sign(team: Team) -> None:
    ran = team(ADMIN, "protect", "--owner", "olga")

    assert ran.code == 2
    assert "@LOGIN" in ran.err
