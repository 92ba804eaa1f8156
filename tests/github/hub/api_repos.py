"""Endpoints of accounts, repositories, their files and their rulesets."""

import base64
import binascii
import re
from typing import Any

from tests.github.hub.bare import Signature
from tests.github.hub.pull_shapes import check_json, ruleset_json
from tests.github.hub.routes import Answer, Call, not_found, route
from tests.github.hub.rules import BY_PULL, filled, needs_pull
from tests.github.hub.shapes import (
    commit_json,
    content_json,
    file_json,
    full_repo_json,
    git_commit_json,
    own_account_json,
    parents_json,
    user_json,
)
from tests.github.hub.state import ACTIONS_APP, GITHUB, RefusedError, Repo, now

_MERGES = ("allow_merge_commit", "allow_squash_merge", "allow_rebase_merge")
_RULESET = ("name", "target", "enforcement", "bypass_actors", "conditions", "rules")
_KINDS = {"blob": "file", "tree": "dir", "commit": "submodule"}


@route("GET", "/user")
def whoami(call: Call) -> Answer:
    headers = {"X-OAuth-Scopes": "repo, workflow"}
    return Answer(200, own_account_json(call.hub, call.by), headers)


@route("GET", "{R}")
def show_repo(call: Call) -> Answer:
    return Answer(200, full_repo_json(call.repo, call.by))


@route("PATCH", "{R}")
def change_repo(call: Call) -> Answer:
    call.need("admin")
    changes = {k: v for k, v in call.fields.items() if k in call.repo.settings}
    settings = call.repo.settings | changes
    if not any(settings[name] for name in _MERGES):
        raise _invalid(
            "Repository",
            "Sorry, you need to allow at least one merge strategy. (no_merge_method)",
            field="merge_commit_allowed",
        )
    if settings["default_branch"] != call.repo.settings["default_branch"]:
        _move_head(call.repo, settings["default_branch"])
    call.repo.settings.update(changes)
    return show_repo(call)


def _move_head(repo: Repo, branch: str) -> None:
    if branch not in repo.bare.tips():
        text = f"The branch {branch} was not found. Please push that ref first or"
        text += " create it via the Git Data API."
        raise _invalid("Repository", text, field="default_branch")
    repo.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")


def _invalid(resource: str, message: str, **more: str) -> RefusedError:
    error = {"resource": resource, "code": "custom", "message": message, **more}
    return RefusedError(422, "Validation Failed", [error])


@route("GET", "{R}/git/ref/heads/{path}")
def show_branch(call: Call) -> Answer:
    branch = call.args["path"]
    tip = call.repo.bare.tips().get(branch)
    if tip is None:
        raise not_found()
    api = f"{call.hub.api}/repos/{call.repo.full_name}/git"
    ref = f"refs/heads/{branch}"
    body = {
        "ref": ref,
        "node_id": "REF_" + tip[:12],
        "url": f"{api}/{ref}",
        "object": {"type": "commit", "sha": tip, "url": f"{api}/commits/{tip}"},
    }
    return Answer(200, body)


@route("GET", "{R}/collaborators/{login}/permission")
def show_permission(call: Call) -> Answer:
    call.need("write")
    user = call.hub.account(call.args["login"])
    role = call.repo.role(user)
    old = {"triage": "read"}.get(role, role)  # the older word has fewer steps
    about = {**user_json(call.hub, user), "role_name": role}
    return Answer(200, {"permission": old, "role_name": role, "user": about})


@route("GET", "{R}/topics")
def show_topics(call: Call) -> Answer:
    return Answer(200, {"names": call.repo.topics})


@route("PUT", "{R}/topics")
def set_topics(call: Call) -> Answer:
    call.need("admin")
    names = [name.lower() for name in call.fields["names"]]
    wrong = [n for n in names if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,49}", n)]
    if wrong:
        text = "Topics must start with a lowercase letter or number, consist of 50"
        text += " characters or less, and can include hyphens."
        raise RefusedError(422, f"Validation Failed: {text}", [text])
    call.repo.topics = list(dict.fromkeys(names))
    return show_topics(call)


@route("POST", "{R}/forks")
def fork(call: Call) -> Answer:
    source, hub = call.repo, call.hub
    owner = call.fields.get("organization", call.by.login)
    name = f"{owner}/{call.fields.get('name', source.name)}"
    known = hub.repos.get(name.lower())
    if known is source:
        raise RefusedError(403, "Repository cannot be forked into its own owner")
    if known is None:
        known = hub.repo(name, admins=[call.by.login])
        known.settings["private"] = source.settings["private"]
        known.settings["default_branch"] = source.settings["default_branch"]
        known.parent = source
        refs = "+refs/heads/*:refs/heads/*"
        known.git("fetch", "--quiet", "--tags", str(source.path), refs)
        head = source.git("symbolic-ref", "HEAD")
        known.git("symbolic-ref", "HEAD", head)
    return Answer(202, full_repo_json(known, call.by))


@route("GET", "{R}/commits/{ref}/check-runs")
def list_checks(call: Call) -> Answer:
    sha, query = commit_of(call), call.query
    runs = [run for run in reversed(call.repo.checks) if run.sha == sha]
    if query.get("filter", "latest") == "latest":
        runs = list({run.name: run for run in reversed(runs)}.values())
    if "check_name" in query:
        runs = [run for run in runs if run.name == query["check_name"]]
    if query.get("app_id", str(ACTIONS_APP)) != str(ACTIONS_APP):
        runs = []
    found = [check_json(call.repo, run) for run in runs]
    if "status" in query:
        found = [run for run in found if run["status"] == query["status"]]
    body = {"total_count": len(found), "check_runs": call.slice(found)}
    return Answer(200, body, call.links(len(found)))


def commit_of(call: Call) -> str:
    sha = call.repo.bare.commit_of(call.args["ref"])
    if sha is None:
        raise RefusedError(422, f"No commit found for SHA: {call.args['ref']}")
    return sha


@route("GET", "{R}/rulesets")
def list_rulesets(call: Call) -> Answer:
    found = call.repo.rulesets.values()
    return call.paged([ruleset_json(call.repo, r, call.by, full=False) for r in found])


@route("POST", "{R}/rulesets")
def add_ruleset(call: Call) -> Answer:
    call.need("admin")
    ruleset = {
        "id": call.hub.next_id(),
        "target": "branch",
        "bypass_actors": [],
        "conditions": {"ref_name": {"include": [], "exclude": []}},
        "rules": [],
        "created_at": now(),
    }
    return Answer(201, _store(call, ruleset))


@route("GET", "{R}/rulesets/{id}")
def show_ruleset(call: Call) -> Answer:
    return Answer(200, ruleset_json(call.repo, _ruleset(call), call.by, full=True))


@route("PUT", "{R}/rulesets/{id}")
def change_ruleset(call: Call) -> Answer:
    call.need("admin")
    return Answer(200, _store(call, _ruleset(call)))


def _ruleset(call: Call) -> dict[str, Any]:
    ruleset = call.repo.rulesets.get(int(call.args["id"]))
    if ruleset is None:
        raise not_found()
    return ruleset


def _store(call: Call, ruleset: dict[str, Any]) -> dict[str, Any]:
    fields = {k: v for k, v in call.fields.items() if k in _RULESET}
    for other in call.repo.rulesets.values():
        if other is not ruleset and other["name"] == fields.get("name"):
            raise _invalid("RepositoryRuleset", "Name must be unique", field="name")
    ruleset = ruleset | fields | {"updated_at": now()}
    ruleset["rules"] = filled(ruleset["rules"])
    call.repo.rulesets[ruleset["id"]] = ruleset
    return ruleset_json(call.repo, ruleset, call.by, full=True)


@route("GET", "{R}/contents/{path}")
def show_content(call: Call) -> Answer:
    path = call.args["path"].strip("/")
    ref = call.query.get("ref", call.repo.settings["default_branch"])
    sha = call.repo.bare.commit_of(ref)
    if sha is None:
        raise not_found(f"No commit found for the ref {ref}")
    found = _entries(call.repo, sha, ref, path)
    if len(found) != 1 or found[0]["path"] != path:
        raise not_found()
    if found[0]["type"] == "dir":
        return Answer(200, _entries(call.repo, sha, ref, f"{path}/"))
    content = call.repo.bare.bytes("cat-file", "blob", found[0]["sha"])
    return Answer(200, content_json(found[0], content))


def _entries(repo: Repo, sha: str, ref: str, path: str) -> list[dict[str, Any]]:
    listing = repo.bare.bytes("ls-tree", "-l", "-z", sha, "--", path).decode()
    found = []
    for line in listing.split("\0")[:-1]:
        facts, _, name = line.partition("\t")
        mode, kind, blob, size = facts.split()
        what = "symlink" if mode == "120000" else _KINDS[kind]
        count = 0 if size == "-" else int(size)
        found.append(file_json(repo, ref, name, blob, count, what))
    return found


@route("PUT", "{R}/contents/{path}")
def write_content(call: Call) -> Answer:
    call.need("write")
    repo, path = call.repo, call.args["path"]
    branch = call.fields.get("branch", repo.settings["default_branch"])
    tip = _writable_tip(call, branch)
    before = _entries(repo, tip, branch, path) if tip else []
    _refuse_unless_current(call, path, before)
    commit = repo.bare.commit(_commit_file(call, branch, tip, path))
    entry = _entries(repo, commit.sha, branch, path)[0]
    body = {
        "content": entry,
        "commit": commit_json(repo, commit)
        | git_commit_json(repo, commit)
        | {"parents": parents_json(repo, commit)},
    }
    return Answer(200 if before else 201, body)


def _writable_tip(call: Call, branch: str) -> str | None:
    tips = call.repo.bare.tips()
    if tips and branch not in tips:
        raise not_found(f"Branch {branch} not found")
    if tips and needs_pull(call.repo, branch, call.by):
        raise RefusedError(409, f"Repository rule violations found\n\n{BY_PULL}\n\n")
    return tips.get(branch)


def _refuse_unless_current(call: Call, path: str, before: list[dict[str, Any]]) -> None:
    given = call.fields.get("sha")
    if before and not given:
        raise RefusedError(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
    if before and given != before[0]["sha"]:
        raise RefusedError(409, f"{path} does not match {given}")


def _commit_file(call: Call, branch: str, tip: str | None, path: str) -> str:
    bare = call.repo.bare
    try:
        content = base64.b64decode(call.fields["content"], validate=False)
    except binascii.Error as err:
        raise RefusedError(422, "content is not valid Base64") from err
    index = str(call.hub.root / f"index-{call.hub.next_id()}")
    blob = bare.bytes("hash-object", "-w", "--stdin", stdin=content).decode().strip()
    if tip:
        bare.bytes("read-tree", tip, GIT_INDEX_FILE=index)
    entry = f"100644,{blob},{path}"
    bare.bytes("update-index", "--add", "--cacheinfo", entry, GIT_INDEX_FILE=index)
    tree = bare.bytes("write-tree", GIT_INDEX_FILE=index).decode().strip()
    author = _person(call, "author") or call.by.signature
    committer = _person(call, "committer") or GITHUB
    parents = [tip] if tip else []
    sha = bare.write_commit(tree, parents, call.fields["message"], author, committer)
    bare.git("update-ref", f"refs/heads/{branch}", sha)
    return sha


def _person(call: Call, role: str) -> Signature | None:
    given = call.fields.get(role)
    return Signature(given["name"], given["email"]) if given else None
