"""How GitHub writes pull requests, and what hangs on them, as JSON."""

from tests.github.hub.pulls import commits_of
from tests.github.hub.rules import may_bypass, violations
from tests.github.hub.shapes import LONG_AGO, Json, repo_json, user_json
from tests.github.hub.state import (
    ACTIONS_APP,
    Check,
    Comment,
    Label,
    Pull,
    Repo,
    Review,
    User,
)


def simple_pull_json(pull: Pull, by: User) -> Json:
    """A pull request as it stands in a list."""
    hub, links = pull.repo.hub, _links(pull)
    return {
        **{f"{name}_url": href for name, href in links.items() if name != "self"},
        "url": links["self"],
        "diff_url": f"{links['html']}.diff",
        "patch_url": f"{links['html']}.patch",
        "id": pull.id,
        "node_id": f"PR_{pull.id}",
        "number": pull.number,
        "state": "open" if pull.open else "closed",
        "locked": False,
        "title": pull.title,
        "user": user_json(hub, pull.author),
        "body": pull.body,
        "labels": [label_json(pull.repo, label) for label in pull.labels],
        "created_at": pull.created,
        "updated_at": pull.changed,
        "closed_at": pull.closed_at,
        "merged_at": pull.merged_at,
        "merge_commit_sha": _merge_commit(pull),
        "draft": pull.draft,
        "head": _side(pull.head, pull.branch, pull.head_sha, by),
        "base": _side(pull.repo, pull.base, pull.base_sha, by),
        "_links": {name: {"href": href} for name, href in links.items()},
        "author_association": association(pull.repo, pull.author),
        **dict.fromkeys(("milestone", "assignee", "auto_merge", "active_lock_reason")),
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
    }


def pull_json(pull: Pull, by: User, *, fresh: bool = False) -> Json:
    """A pull request as its own endpoint shows it.

    GitHub finds out later whether a fresh one can be merged, and says so with null.
    """
    changes = pull.repo.bare.changes(pull.base_sha, pull.head_sha)
    state = "unknown" if fresh or not pull.open else _mergeable_state(pull, by)
    return simple_pull_json(pull, by) | {
        "merged": pull.merged_at is not None,
        "mergeable": None if state == "unknown" else state != "dirty",
        "rebaseable": None if state == "unknown" else state != "dirty",
        "mergeable_state": state,
        "merged_by": pull.merged_by and user_json(pull.repo.hub, pull.merged_by),
        "comments": len(pull.comments),
        "review_comments": 0,
        "maintainer_can_modify": pull.head is not pull.repo,
        "commits": len(commits_of(pull)),
        "additions": sum(change.added for change in changes),
        "deletions": sum(change.removed for change in changes),
        "changed_files": len(changes),
    }


def _links(pull: Pull) -> dict[str, str]:
    api = f"{pull.repo.hub.api}/repos/{pull.repo.full_name}"
    url = f"{api}/pulls/{pull.number}"
    issue = f"{api}/issues/{pull.number}"
    return {
        "self": url,
        "html": pull_page(pull),
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{api}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{api}/statuses/{pull.head_sha}",
    }


def pull_page(pull: Pull) -> str:
    return f"{pull.repo.hub.url}/{pull.repo.full_name}/pull/{pull.number}"


def _side(repo: Repo, branch: str, sha: str, by: User) -> Json:
    return {
        "label": f"{repo.owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": user_json(repo.hub, repo.owner),
        "repo": repo_json(repo, by),
    }


def _merge_commit(pull: Pull) -> str | None:
    if pull.landed:
        return pull.landed[-1]
    return pull.repo.bare.trial_merge(pull.base_sha, pull.head_sha)


def _mergeable_state(pull: Pull, by: User) -> str:
    if pull.repo.bare.merged_tree(pull.base_sha, pull.head_sha) is None:
        return "dirty"
    if pull.draft:
        return "draft"
    return "blocked" if violations(pull, by) else "clean"


def association(repo: Repo, user: User) -> str:
    if user is repo.owner:
        return "OWNER"
    if user.login in repo.roles:
        return "MEMBER" if repo.owner.kind == "Organization" else "COLLABORATOR"
    merged = (pull for pull in repo.pulls.values() if pull.merged_at)
    return "CONTRIBUTOR" if any(p.author is user for p in merged) else "NONE"


def label_json(repo: Repo, label: Label) -> Json:
    name = label.name.replace(" ", "%20")
    return {
        "id": label.id,
        "node_id": f"LA_{label.id}",
        "url": f"{repo.hub.api}/repos/{repo.full_name}/labels/{name}",
        "name": label.name,
        "description": label.description,
        "color": label.color,
        "default": label.default,
    }


def comment_json(pull: Pull, comment: Comment) -> Json:
    api = f"{pull.repo.hub.api}/repos/{pull.repo.full_name}"
    return {
        "id": comment.id,
        "node_id": f"IC_{comment.id}",
        "url": f"{api}/issues/comments/{comment.id}",
        "html_url": f"{pull_page(pull)}#issuecomment-{comment.id}",
        "issue_url": f"{api}/issues/{pull.number}",
        "body": comment.body,
        "user": user_json(pull.repo.hub, comment.author),
        "created_at": comment.created,
        "updated_at": comment.changed,
        "author_association": association(pull.repo, comment.author),
        "performed_via_github_app": None,
    }


def review_json(pull: Pull, review: Review) -> Json:
    page = f"{pull_page(pull)}#pullrequestreview-{review.id}"
    url = _links(pull)["self"]
    return {
        "id": review.id,
        "node_id": f"PRR_{review.id}",
        "user": user_json(pull.repo.hub, review.author),
        "body": review.body,
        "state": review.state,
        "html_url": page,
        "pull_request_url": url,
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        "commit_id": review.commit,
        "author_association": association(pull.repo, review.author),
        **({} if review.state == "PENDING" else {"submitted_at": review.created}),
    }


def check_json(repo: Repo, check: Check) -> Json:
    api = f"{repo.hub.api}/repos/{repo.full_name}/check-runs/{check.id}"
    page = f"{repo.hub.url}/{repo.full_name}/actions/runs/1/job/{check.id}"
    return {
        "id": check.id,
        "node_id": f"CR_{check.id}",
        "external_id": "",
        "head_sha": check.sha,
        "name": check.name,
        "url": api,
        "html_url": page,
        "details_url": page,
        "status": "completed" if check.conclusion else "in_progress",
        "conclusion": check.conclusion,
        "started_at": check.created,
        "completed_at": check.created if check.conclusion else None,
        "output": {
            **dict.fromkeys(("title", "summary", "text")),
            "annotations_count": 0,
            "annotations_url": f"{api}/annotations",
        },
        "check_suite": {"id": check.id},
        "app": _actions_json(repo),
        "pull_requests": [],
    }


def _actions_json(repo: Repo) -> Json:
    hub = repo.hub
    return {
        "id": ACTIONS_APP,
        "slug": "github-actions",
        "node_id": "A_actions",
        "client_id": "Iv1.05c79e9ad1f6bdfa",
        "owner": user_json(hub, User("github", 9919, "", kind="Organization")),
        "name": "GitHub Actions",
        "description": "Automate your workflow from idea to production",
        "external_url": "https://help.github.com/en/actions",
        "html_url": f"{hub.url}/apps/github-actions",
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
        "permissions": {"checks": "write", "metadata": "read"},
        "events": [],
    }


def ruleset_json(repo: Repo, ruleset: Json, by: User, *, full: bool) -> Json:
    """A ruleset; a list leaves out the rules, and a guest never sees the bypasses."""
    url = f"{repo.hub.api}/repos/{repo.full_name}/rulesets/{ruleset['id']}"
    page = f"{repo.hub.url}/{repo.full_name}/rules/{ruleset['id']}"
    parts = ("bypass_actors", "conditions", "rules")
    hidden = set(() if full else parts)
    if not repo.allows(by, "admin"):
        hidden.add("bypass_actors")
    bypass = may_bypass(ruleset, repo, by, "")
    extra = {"current_user_can_bypass": "always" if bypass else "never"}
    return {
        **{name: part for name, part in ruleset.items() if name not in hidden},
        "source": repo.full_name,
        "source_type": "Repository",
        "node_id": f"RRS_{ruleset['id']}",
        "_links": {"self": {"href": url}, "html": {"href": page}},
        **(extra if full else {}),
    }
