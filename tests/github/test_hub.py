"""The loopback GitHub behaves like the one it stands for."""

import base64
import http.client
import json
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.github.hub import Hub, Repo, User, serve

pytestmark = pytest.mark.slow  # `make test-all` runs it

R = "/repos/acme/skills"
RULESET = {
    "name": "main",
    "enforcement": "active",
    "conditions": {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}},
    "rules": [
        {
            "type": "pull_request",
            "parameters": {
                "required_approving_review_count": 1,
                "dismiss_stale_reviews_on_push": True,
                "require_code_owner_review": False,
                "require_last_push_approval": False,
                "required_review_thread_resolution": False,
            },
        },
        {
            "type": "required_status_checks",
            "parameters": {
                "strict_required_status_checks_policy": False,
                "required_status_checks": [{"context": "skill-gate"}],
            },
        },
    ],
}


@dataclass(frozen=True)
class Site:
    """A hub with one repository, and a checkout of it."""

    hub: Hub
    repo: Repo
    ada: User
    rita: User
    bob: User
    checkout: Path

    def api(
        self, method: str, path: str, body: Any = None, by: User | None = None
    ) -> tuple[int, Any]:
        link = http.client.HTTPConnection(urlsplit(self.hub.url).netloc, timeout=10)
        headers = {"Authorization": f"Bearer {(by or self.ada).token}"}
        data = None if body is None else json.dumps(body)
        try:
            link.request(method, f"/api/v3{path}", data, headers)
            answer = link.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            link.close()

    def remote(self, by: User | None, name: str = "acme/skills") -> str:
        who = f"x-access-token:{by.token}@" if by else ""
        return f"http://{who}{urlsplit(self.hub.url).netloc}/{name}.git"

    def git(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *args],
            cwd=self.checkout,
            capture_output=True,
            text=True,
            env=os.environ | {"GIT_TERMINAL_PROMPT": "0"},
        )

    def push(self, branch: str, *files: str, by: User | None = None) -> str:
        """Commit each file on the branch, push it, and return its tip."""
        name = by.login if by else "acme"
        self.git("checkout", "--quiet", "-B", branch)
        for file in files:
            (self.checkout / file).write_text(f"{branch}\n")
            self.git("add", file)
            self.git("commit", "--quiet", "--message", f"Add {file}\n\nFor {branch}.")
        url = self.remote(by or self.ada, f"{name}/skills")
        done = self.git("push", "--force", url, branch)
        assert done.returncode == 0, done.stderr
        return self.git("rev-parse", branch).stdout.strip()

    def open(self, branch: str, *files: str, **more: Any) -> Any:
        self.git("checkout", "--quiet", "--detach", "origin/main")
        self.push(branch, *(files or [f"{branch}.txt"]))
        given = {"title": f"Propose {branch}", "head": branch, "base": "main"}
        status, pull = self.api("POST", f"{R}/pulls", given | more)
        assert status == 201
        return pull

    def parents(self, sha: str) -> list[str]:
        return self.repo.git("log", "-1", "--format=%P", sha).split()

    def people(self, sha: str) -> list[str]:
        return self.repo.git("log", "-1", "--format=%ae%n%ce", sha).split()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with serve(tmp_path) as hub:
        ada = hub.user("ada", mail="test@example.invalid")
        repo = hub.repo(
            "acme/skills", admins=["ada"], writers=["rita"], files={"README.md": "Hi\n"}
        )
        checkout = tmp_path / "checkout"
        found = Site(hub, repo, ada, hub.user("rita"), hub.user("bob"), checkout)
        subprocess.run(
            ["git", "clone", "--quiet", found.remote(None), checkout], check=True
        )
        yield found


def test_everybody_reads_and_only_writers_push(site: Site) -> None:
    refused = {
        "nobody": site.git("push", site.remote(None), "HEAD:refs/heads/x"),
        "bob": site.git("push", site.remote(site.bob), "HEAD:refs/heads/x"),
    }

    assert "could not read Username" in refused["nobody"].stderr
    assert "denied to bob" in refused["bob"].stderr
    assert site.push("fine", "a.txt", by=None) == site.repo.git("rev-parse", "fine")


def test_a_private_repository_does_not_show_itself(site: Site) -> None:
    site.hub.repo("acme/secret", admins=["ada"], private=True, files={"a": "b"})

    assert site.api("GET", "/repos/acme/secret", by=site.bob)[0] == 404
    assert site.git("ls-remote", site.remote(site.bob, "acme/secret")).returncode
    assert not site.git("ls-remote", site.remote(site.ada, "acme/secret")).returncode


def test_a_recorded_head_cannot_be_overwritten(site: Site) -> None:
    site.open("one")

    done = site.git("push", site.remote(site.ada), "+HEAD:refs/pull/1/head")

    assert "deny updating a hidden ref" in done.stderr


def test_an_open_pull_request_follows_its_branch(site: Site) -> None:
    pull = site.open("one")
    tip = site.push("one", "more.txt")

    shown = site.api("GET", f"{R}/pulls/1")[1]

    assert pull["head"]["sha"] != tip == shown["head"]["sha"]
    assert site.repo.git("rev-parse", "refs/pull/1/head") == tip
    assert shown["commits"] == shown["changed_files"] == 2


def test_a_deleted_branch_closes_its_pull_request(site: Site) -> None:
    site.open("one")
    site.git("push", site.remote(site.ada), ":one")

    assert site.api("GET", f"{R}/pulls/1")[1]["state"] == "closed"
    status, refusal = site.api("PATCH", f"{R}/pulls/1", {"state": "open"})
    assert (status, "has been deleted" in str(refusal)) == (422, True)


def test_one_branch_has_one_open_pull_request(site: Site) -> None:
    site.open("one")
    given = {"title": "Again", "head": "one", "base": "main"}

    status, refusal = site.api("POST", f"{R}/pulls", given)

    assert status == 422
    expected = "A pull request already exists for acme:one."
    assert refusal["errors"][0]["message"] == expected


def test_a_fork_offers_what_its_owner_pushed(site: Site) -> None:
    site.api("POST", f"{R}/forks", {}, by=site.bob)
    site.push("idea", "idea.txt", by=site.bob)
    given = {"title": "Idea", "head": "bob:idea", "base": "main"}
    site.api("POST", f"{R}/pulls", given, by=site.bob)
    tip = site.push("idea", "second.txt", by=site.bob)

    assert site.repo.git("rev-parse", "refs/pull/1/head") == tip
    assert site.api("GET", f"{R}/pulls/1")[1]["head"]["label"] == "bob:idea"


def test_a_merge_keeps_both_parents(site: Site) -> None:
    head = site.open("one")["head"]["sha"]
    base = site.repo.git("rev-parse", "main")

    sha = site.repo.merge(1, "rita")

    assert site.parents(sha) == [base, head]
    assert site.people(sha) == [site.rita.noreply, "noreply@github.com"]
    message = site.repo.git("log", "-1", "--format=%B", sha)
    assert message == "Merge pull request #1 from acme/one\n\nPropose one"


def test_a_squash_is_one_commit_of_the_one_who_proposed(site: Site) -> None:
    site.open("two", "a.txt", "b.txt")
    base = site.repo.git("rev-parse", "main")

    sha = site.repo.merge(1, "rita", method="squash")

    assert site.parents(sha) == [base]
    assert site.people(sha) == [site.ada.noreply, "noreply@github.com"]
    assert site.repo.git("log", "-1", "--format=%s", sha) == "Propose two (#1)"
    assert [p["number"] for p in site.api("GET", f"{R}/commits/{sha}/pulls")[1]] == [1]


def test_a_rebase_copies_each_commit(site: Site) -> None:
    head = site.open("two", "a.txt", "b.txt")["head"]["sha"]
    site.open("other")
    site.repo.merge(2, "rita")

    sha = site.repo.merge(1, "rita", method="rebase")

    subjects = site.repo.git("log", "--first-parent", "--format=%s", "-2", sha)
    assert subjects.splitlines() == ["Add b.txt", "Add a.txt"]
    assert sha != head
    assert site.people(sha) == ["test@example.invalid", site.rita.noreply]
    for found in (sha, f"{sha}~1"):
        commit = site.repo.git("rev-parse", found)
        assert site.api("GET", f"{R}/commits/{commit}/pulls")[1][0]["number"] == 1


def test_rules_refuse_until_they_are_met(site: Site) -> None:
    head = site.open("one")["head"]["sha"]
    site.api("POST", f"{R}/rulesets", RULESET)

    status, refusal = site.api("PUT", f"{R}/pulls/1/merge", {})
    site.repo.check(head, "skill-gate", "success")
    site.repo.review(1, "rita", "APPROVE")

    assert status == 405
    assert 'Required status check "skill-gate" is expected.' in refusal["message"]
    assert "1 approving review is required" in refusal["message"]
    assert site.api("PUT", f"{R}/pulls/1/merge", {"sha": head})[0] == 200


def test_rules_close_the_other_ways_into_a_branch(site: Site) -> None:
    site.api("POST", f"{R}/rulesets", RULESET)
    content = base64.b64encode(b"x").decode()
    given = {"message": "Sneak in", "content": content}

    status, _ = site.api("PUT", f"{R}/contents/a.txt", given)
    site.git("commit", "--quiet", "--allow-empty", "--message", "Sneak in")
    done = site.git("push", site.remote(site.ada), "HEAD:main")

    assert status == 409
    assert "Changes must be made through a pull request." in done.stderr


def test_an_approval_does_not_outlive_a_push(site: Site) -> None:
    site.open("one")
    site.api("POST", f"{R}/rulesets", RULESET)
    site.repo.review(1, "rita", "APPROVE")
    site.push("one", "more.txt")

    assert site.api("GET", f"{R}/pulls/1/reviews")[1][0]["state"] == "DISMISSED"


def test_a_fault_comes_instead_of_the_deed(site: Site) -> None:
    site.push("one", "a.txt")
    site.hub.fail("POST", r"/pulls$", status=502)
    given = {"title": "T", "head": "one", "base": "main"}

    assert site.api("POST", f"{R}/pulls", given)[0] == 502
    assert site.api("POST", f"{R}/pulls", given)[0] == 201


def test_an_answer_can_get_lost_after_the_deed(site: Site) -> None:
    site.push("one", "a.txt")
    site.hub.fail("POST", r"/pulls$", drop=True, after=True)
    given = {"title": "T", "head": "one", "base": "main"}

    with pytest.raises(http.client.RemoteDisconnected):
        site.api("POST", f"{R}/pulls", given)

    assert [pull.title for pull in site.repo.pulls.values()] == ["T"]


def test_an_answer_can_be_slow(site: Site) -> None:
    site.hub.fail("GET", r"/user$", delay=0.2)
    start = time.monotonic()

    assert site.api("GET", "/user")[1]["login"] == "ada"
    assert time.monotonic() - start >= 0.2


def test_no_token_is_kept_in_the_record(site: Site) -> None:
    site.api("GET", "/user")

    assert site.hub.exchanges
    assert site.ada.token not in str(site.hub.exchanges)
