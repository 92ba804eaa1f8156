"""How GitHub writes accounts, repositories, commits and files as JSON."""

import base64
from typing import Any

from tests.github.hub.bare import Change, Commit, Signature
from tests.github.hub.state import ROLES, Repo, State, User

Json = dict[str, Any]
LONG_AGO = "2020-01-01T00:00:00Z"
_USER_LINKS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_REPO_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_UNSAID = ("name", "company", "location", "hireable", "bio", "twitter_username")
_COUNTS = (
    "public_repos",
    "public_gists",
    "followers",
    "following",
    "private_gists",
    "total_private_repos",
    "owned_private_repos",
    "disk_usage",
    "collaborators",
)
_NOTHING = {
    "forks": 0,
    "forks_count": 0,
    "stargazers_count": 0,
    "watchers": 0,
    "watchers_count": 0,
    "size": 0,
    "language": None,
    "license": None,
    "mirror_url": None,
    "has_pages": False,
    "has_discussions": False,
    "has_downloads": True,
    "disabled": False,
}
# Only those who may push see how merging is set up.
_FOR_WRITERS = (
    "allow_merge_commit",
    "allow_squash_merge",
    "allow_rebase_merge",
    "allow_auto_merge",
    "allow_update_branch",
    "delete_branch_on_merge",
    "use_squash_pr_title_as_default",
    "squash_merge_commit_title",
    "squash_merge_commit_message",
    "merge_commit_title",
    "merge_commit_message",
)


def user_json(hub: State, user: User) -> Json:
    url = f"{hub.api}/users/{user.login}"
    return {
        "login": user.login,
        "id": user.id,
        "node_id": f"U_{user.id}",
        "avatar_url": f"{hub.url}/avatars/u/{user.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{hub.url}/{user.login}",
        "type": user.kind,
        "user_view_type": "public",
        "site_admin": False,
        **{name: url + end for name, end in _USER_LINKS.items()},
    }


def own_account_json(hub: State, user: User) -> Json:
    """What `GET /user` shows of an account to itself."""
    return {
        **user_json(hub, user),
        "user_view_type": "private",
        "blog": "",
        "email": None,
        **dict.fromkeys(_UNSAID),
        **dict.fromkeys(_COUNTS, 0),
        "two_factor_authentication": True,
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
    }


def repo_json(repo: Repo, by: User) -> Json:
    """A repository as it stands in a pull request."""
    hub, url = repo.hub, f"{repo.hub.api}/repos/{repo.full_name}"
    page = f"{hub.url}/{repo.full_name}"
    hidden = () if repo.allows(by, "write") else _FOR_WRITERS
    settings = {k: v for k, v in repo.settings.items() if k not in hidden}
    return {
        "id": repo.id,
        "node_id": f"R_{repo.id}",
        "name": repo.name,
        "full_name": repo.full_name,
        "owner": user_json(hub, repo.owner),
        "html_url": page,
        "url": url,
        **{name: url + end for name, end in _REPO_LINKS.items()},
        "git_url": f"git://127.0.0.1/{repo.full_name}.git",
        "ssh_url": f"git@127.0.0.1:{repo.full_name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "fork": repo.parent is not None,
        **_NOTHING,
        "open_issues": len(repo.open_pulls),
        "open_issues_count": len(repo.open_pulls),
        "topics": repo.topics,
        "visibility": "private" if repo.settings["private"] else "public",
        "pushed_at": repo.created,
        "created_at": repo.created,
        "updated_at": repo.created,
        "permissions": _permissions(repo, by),
        **settings,
    }


def full_repo_json(repo: Repo, by: User) -> Json:
    """A repository as its own endpoint shows it."""
    family: Json = {}
    if repo.parent:
        source = repo_json(repo.parent, by)
        family = {"parent": source, "source": source}
    counts = {"subscribers_count": 0, "network_count": 0, "temp_clone_token": None}
    return repo_json(repo, by) | counts | family


def _permissions(repo: Repo, by: User) -> dict[str, bool]:
    rank = ROLES.index(repo.role(by))
    return {
        "admin": rank >= ROLES.index("admin"),
        "maintain": rank >= ROLES.index("admin"),
        "push": rank >= ROLES.index("write"),
        "triage": rank >= ROLES.index("triage"),
        "pull": rank >= ROLES.index("read"),
    }


def commit_json(repo: Repo, commit: Commit) -> Json:
    hub, url = repo.hub, f"{repo.hub.api}/repos/{repo.full_name}"
    page = f"{hub.url}/{repo.full_name}/commit/"
    known = {
        role: hub.by_mail(signature.mail)
        for role, signature in (
            ("author", commit.author),
            ("committer", commit.committer),
        )
    }
    return {
        "sha": commit.sha,
        "node_id": f"C_{commit.sha}",
        "url": f"{url}/commits/{commit.sha}",
        "html_url": page + commit.sha,
        "comments_url": f"{url}/commits/{commit.sha}/comments",
        "commit": git_commit_json(repo, commit),
        **{role: user and user_json(hub, user) for role, user in known.items()},
        "parents": parents_json(repo, commit),
    }


def parents_json(repo: Repo, commit: Commit) -> list[Json]:
    url = f"{repo.hub.api}/repos/{repo.full_name}/commits/"
    page = f"{repo.hub.url}/{repo.full_name}/commit/"
    return [
        {"sha": sha, "url": url + sha, "html_url": page + sha} for sha in commit.parents
    ]


def git_commit_json(repo: Repo, commit: Commit) -> Json:
    url = f"{repo.hub.api}/repos/{repo.full_name}/git"
    return {
        "url": f"{url}/commits/{commit.sha}",
        "author": _signature_json(commit.author),
        "committer": _signature_json(commit.committer),
        "message": commit.message,
        "tree": {"sha": commit.tree, "url": f"{url}/trees/{commit.tree}"},
        "comment_count": 0,
        "verification": {
            "verified": False,
            "reason": "unsigned",
            "signature": None,
            "payload": None,
            "verified_at": None,
        },
    }


def _signature_json(signature: Signature) -> Json:
    return {
        "name": signature.name,
        "email": signature.mail,
        "date": signature.date,
    }


def change_json(repo: Repo, head: str, change: Change) -> Json:
    names = {"A": "added", "D": "removed", "R": "renamed", "C": "copied"}
    page = f"{repo.hub.url}/{repo.full_name}"
    api = f"{repo.hub.api}/repos/{repo.full_name}"
    optional = {"patch": change.patch, "previous_filename": change.before}
    return {
        "sha": change.blob,
        "filename": change.path,
        "status": names.get(change.status, "modified"),
        "additions": change.added,
        "deletions": change.removed,
        "changes": change.added + change.removed,
        "blob_url": f"{page}/blob/{head}/{change.path}",
        "raw_url": f"{page}/raw/{head}/{change.path}",
        "contents_url": f"{api}/contents/{change.path}?ref={head}",
        **{name: value for name, value in optional.items() if value is not None},
    }


def file_json(repo: Repo, ref: str, path: str, sha: str, size: int, kind: str) -> Json:
    """One entry of a folder; a file's own answer has its content too."""
    page = f"{repo.hub.url}/{repo.full_name}"
    api = f"{repo.hub.api}/repos/{repo.full_name}"
    links = {
        "self": f"{api}/contents/{path}?ref={ref}",
        "git": f"{api}/git/{'trees' if kind == 'dir' else 'blobs'}/{sha}",
        "html": f"{page}/{'tree' if kind == 'dir' else 'blob'}/{ref}/{path}",
    }
    raw = None if kind == "dir" else f"{page}/raw/{ref}/{path}"
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": sha,
        "size": size,
        "type": kind,
        "url": links["self"],
        "git_url": links["git"],
        "html_url": links["html"],
        "download_url": raw,
        "_links": links,
    }


def content_json(entry: Json, content: bytes) -> Json:
    encoded = base64.encodebytes(content).decode()
    return entry | {"content": encoded, "encoding": "base64"}
