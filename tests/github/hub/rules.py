"""Rulesets: what they forbid, in GitHub's words."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from tests.github.hub.state import ACTIONS_APP, Check, Pull, Repo, Review, User

Rule = dict[str, Any]
# GitHub answers with more parameters than it was given.
DEFAULTS: dict[str, Rule] = {
    "pull_request": {
        "required_reviewers": [],
        "allowed_merge_methods": ["merge", "squash", "rebase"],
    },
    "required_status_checks": {"do_not_enforce_on_create": False},
}
ROLE_IDS = {4: "write", 5: "admin"}
PASSING = ("success", "neutral", "skipped")
BY_PULL = "Changes must be made through a pull request."


def filled(rules: list[Rule]) -> list[Rule]:
    """The rules as GitHub stores them."""
    return [
        rule | {"parameters": DEFAULTS[rule["type"]] | rule.get("parameters", {})}
        if rule["type"] in DEFAULTS
        else rule
        for rule in rules
    ]


def active(repo: Repo, branch: str, by: User | None, via: str = "") -> Iterator[Rule]:
    """The rules that hold for a branch, unless this user may pass them by.

    `via` is "pull_request" for a merge: some bypass only there.
    """
    for ruleset in repo.rulesets.values():
        holds = ruleset["enforcement"] == "active" and _covers(ruleset, repo, branch)
        if holds and not may_bypass(ruleset, repo, by, via):
            yield from ruleset["rules"]


def may_bypass(ruleset: Rule, repo: Repo, by: User | None, via: str) -> bool:
    modes = {"always", "exempt", via}
    return any(
        actor["actor_type"] == "RepositoryRole"
        and actor.get("bypass_mode", "always") in modes
        and repo.allows(by, ROLE_IDS.get(actor.get("actor_id"), "admin"))
        for actor in ruleset["bypass_actors"]
    )


def _covers(ruleset: Rule, repo: Repo, branch: str) -> bool:
    names = (ruleset["conditions"] or {}).get("ref_name", {})
    ref, default = f"refs/heads/{branch}", repo.settings["default_branch"]

    def matches(pattern: str) -> bool:
        if pattern == "~DEFAULT_BRANCH":
            return branch == str(default)
        return pattern == "~ALL" or fnmatchcase(ref, pattern)

    excluded = any(map(matches, names.get("exclude", [])))
    included = any(map(matches, names.get("include", [])))
    return bool(ruleset["target"] == "branch" and included and not excluded)


def forbidden_pushes(repo: Repo, by: User) -> dict[str, str]:
    """For the hook: which branches this user may not update, delete or rewind."""
    lists: dict[str, list[str]] = {"LOCKED": [], "KEPT": [], "FORWARD": []}
    meaning = {
        "pull_request": "LOCKED",
        "required_status_checks": "LOCKED",
        "update": "LOCKED",
        "deletion": "KEPT",
        "non_fast_forward": "FORWARD",
    }
    for branch in repo.bare.tips():
        for rule in active(repo, branch, by):
            if rule["type"] in meaning:
                lists[meaning[rule["type"]]].append(f"refs/heads/{branch}")
    return {f"HUB_{name}": " ".join(refs) for name, refs in lists.items()}


def needs_pull(repo: Repo, branch: str, by: User) -> bool:
    return any(rule["type"] == "pull_request" for rule in active(repo, branch, by))


def violations(pull: Pull, by: User | None, method: str = "") -> list[str]:
    """Why a pull request may not be merged; empty if it may."""
    found: list[str] = []
    for rule in active(pull.repo, pull.base, by, "pull_request"):
        parameters = rule.get("parameters", {})
        if rule["type"] == "required_status_checks":
            found += _check_violations(pull, parameters)
        elif rule["type"] == "pull_request":
            found += _review_violations(pull, parameters, method)
        elif rule["type"] == "required_linear_history" and method == "merge":
            found.append("This branch must not contain merge commits.")
    return found


def _check_violations(pull: Pull, parameters: Rule) -> list[str]:
    missing = []
    for check in parameters["required_status_checks"]:
        run = latest_check(pull.repo, pull.head_sha, check["context"])
        if check.get("integration_id") not in (None, ACTIONS_APP):
            run = None
        if run is None or run.conclusion not in PASSING:
            missing.append((check["context"], _standing(run)))
    if len(missing) > 1:
        total = len(parameters["required_status_checks"])
        return [f"{len(missing)} of {total} required status checks are expected."]
    found = [f'Required status check "{name}" is {how}.' for name, how in missing]
    behind = not pull.repo.bare.contains(pull.head_sha, pull.base_sha)
    if parameters["strict_required_status_checks_policy"] and behind:
        found.append("This branch must be up to date before merging.")
    return found


def _standing(run: Check | None) -> str:
    if run is None:
        return "expected"
    return "in progress" if run.conclusion is None else "failing"


def latest_check(repo: Repo, sha: str, name: str) -> Check | None:
    runs = (run for run in repo.checks if (run.sha, run.name) == (sha, name))
    return max(runs, key=lambda run: run.id, default=None)


def _review_violations(pull: Pull, parameters: Rule, method: str) -> list[str]:
    found = []
    opinions = opinions_of_writers(pull)
    approved = [
        review
        for review in opinions
        if review.state == "APPROVED" and review.commit == pull.head_sha
    ]
    count = parameters["required_approving_review_count"]
    if len(approved) < count:
        reviews = "review is" if count == 1 else "reviews are"
        found.append(
            f"At least {count} approving {reviews} required by reviewers with write"
            " access."
        )
    if count and any(review.state == "CHANGES_REQUESTED" for review in opinions):
        found.append("Changes were requested by reviewers with write access.")
    if method and method not in parameters["allowed_merge_methods"]:
        found.append(f"Merge method {method} is not allowed on this branch.")
    return found


def opinions_of_writers(pull: Pull) -> list[Review]:
    """The last word of everybody whose review counts."""
    last = {
        review.author.login: review
        for review in pull.reviews
        if review.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
    }
    return [r for r in last.values() if pull.repo.allows(r.author, "write")]


def dismisses_stale_reviews(pull: Pull) -> bool:
    return any(
        rule["type"] == "pull_request"
        and rule["parameters"].get("dismiss_stale_reviews_on_push")
        for rule in active(pull.repo, pull.base, None)
    )
