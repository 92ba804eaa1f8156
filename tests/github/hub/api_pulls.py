"""Endpoints of pull requests: the list, the merge, commits, files and reviews."""

import re
from typing import Any

from tests.github.hub.api_repos import commit_of
from tests.github.hub.landing import METHODS, land
from tests.github.hub.pull_shapes import pull_json, review_json, simple_pull_json
from tests.github.hub.pulls import (
    EVENTS,
    change_pull,
    commits_of,
    follow_branches,
    invalid,
    open_pull,
    review_pull,
)
from tests.github.hub.routes import Answer, Call, route
from tests.github.hub.shapes import change_json, commit_json
from tests.github.hub.state import Pull, RefusedError, State, User


@route("GET", "{R}/pulls")
def list_pulls(call: Call) -> Answer:
    query = call.query
    state = query.get("state", "open")
    if state not in ("open", "closed", "all"):
        raise invalid(code="invalid", field="state")
    sort = query.get("sort", "created")
    pulls = [p for p in call.repo.pulls.values() if _is_wanted(p, state, query)]
    pulls.sort(
        key=lambda pull: (pull.changed if sort == "updated" else "", pull.number),
        reverse=query.get("direction", _direction(sort)) == "desc",
    )
    shown = [simple_pull_json(pull, call.by) for pull in call.slice(pulls)]
    return Answer(200, shown, call.links(len(pulls)))


def _direction(sort: str) -> str:
    return "desc" if sort == "created" else "asc"


def _is_wanted(pull: Pull, state: str, query: dict[str, str]) -> bool:
    # GitHub takes no notice of a head that does not name its owner.
    head = query.get("head", "")
    return (
        state in ("all", "open" if pull.open else "closed")
        and (":" not in head or head.lower() == pull.label.lower())
        and query.get("base", pull.base) == pull.base
    )


@route("POST", "{R}/pulls")
def create_pull(call: Call) -> Answer:
    for name in ("head", "base"):
        if name not in call.fields:
            raise invalid(code="missing_field", field=name)
    owner = call.fields["head"].rpartition(":")[0] or call.repo.owner.login
    sources = [call.repo] if owner == call.repo.owner.login else []
    sources += [r for r in call.hub.repos.values() if r.owner.login == owner]
    if sources and not any(repo.allows(call.by, "write") for repo in sources):
        raise RefusedError(403, "Must have push access to repository")
    pull = open_pull(call.repo, call.by, call.fields)
    body = pull_json(pull, call.by, fresh=True)
    return Answer(201, body, {"Location": body["url"]})


@route("GET", "{R}/pulls/{number}")
def show_pull(call: Call) -> Answer:
    return Answer(200, pull_json(call.pull, call.by))


@route("PATCH", "{R}/pulls/{number}")
def edit_pull(call: Call) -> Answer:
    if call.by is not call.pull.author:
        call.need("write")
    change_pull(call.pull, call.fields)
    return show_pull(call)


@route("PUT", "{R}/pulls/{number}/merge")
def merge_pull(call: Call) -> Answer:
    call.need("write")
    given = call.fields
    method = given.get("merge_method", "merge")
    if method not in METHODS:
        raise invalid(code="invalid", field="merge_method")
    sha = land(
        call.pull,
        call.by,
        method,
        given.get("commit_title"),
        given.get("commit_message"),
        given.get("sha"),
    )
    follow_branches(call.hub, call.by)
    text = "Pull Request successfully merged"
    return Answer(200, {"sha": sha, "merged": True, "message": text})


@route("GET", "{R}/pulls/{number}/commits")
def list_commits(call: Call) -> Answer:
    return call.paged([commit_json(call.repo, c) for c in commits_of(call.pull)])


@route("GET", "{R}/pulls/{number}/files")
def list_files(call: Call) -> Answer:
    pull = call.pull
    changes = pull.repo.bare.changes(pull.base_sha, pull.head_sha)
    return call.paged([change_json(pull.repo, pull.head_sha, c) for c in changes])


@route("GET", "{R}/pulls/{number}/reviews")
def list_reviews(call: Call) -> Answer:
    reviews = call.pull.reviews
    submitted = [r for r in reviews if r.state != "PENDING" or r.author is call.by]
    return call.paged([review_json(call.pull, review) for review in submitted])


@route("POST", "{R}/pulls/{number}/reviews")
def add_review(call: Call) -> Answer:
    given = call.fields
    event = given.get("event") or None
    if event is not None and event not in EVENTS:
        raise RefusedError(422, "Unprocessable Entity", ["Event is not valid"])
    review = review_pull(
        call.pull, call.by, event, given.get("body") or "", given.get("commit_id")
    )
    return Answer(200, review_json(call.pull, review))


@route("GET", "{R}/commits/{ref}/pulls")
def pulls_of_commit(call: Call) -> Answer:
    sha = commit_of(call)
    found = [p for p in call.repo.pulls.values() if sha in _shas(p)]
    return call.paged([simple_pull_json(pull, call.by) for pull in found])


def _shas(pull: Pull) -> set[str]:
    return {*pull.landed, *(commit.sha for commit in commits_of(pull))}


def graphql(hub: State, by: User, body: dict[str, Any]) -> Answer:
    """The one mutation that REST does not have."""
    name = "markPullRequestReadyForReview"
    if name not in body.get("query", ""):
        text = "Only markPullRequestReadyForReview is known here"
        return Answer(200, {"errors": [{"message": text}]})
    node = _node_id(body)
    pull = next((p for p in _all_pulls(hub) if f"PR_{p.id}" == node), None)
    if pull is None or not pull.repo.allows(by, "read"):
        text = f"Could not resolve to a node with the global id of '{node}'."
        return _graphql_error(name, "NOT_FOUND", text)
    if by is not pull.author and not pull.repo.allows(by, "write"):
        text = f"{by.login} does not have the correct permissions to execute `{name}`"
        return _graphql_error(name, "FORBIDDEN", text)
    pull.draft = False
    pull.touch()
    shown = {"id": node, "number": pull.number, "isDraft": False}
    return Answer(200, {"data": {name: {"pullRequest": shown}}})


def _graphql_error(name: str, kind: str, text: str) -> Answer:
    error = {"type": kind, "path": [name], "message": text}
    return Answer(200, {"data": {name: None}, "errors": [error]})


def _node_id(body: dict[str, Any]) -> str:
    """The pull request that is meant, wherever the client has put it."""
    written = re.search(r'pullRequestId:\s*"([^"]+)"', body["query"])
    if written:
        return written[1]
    given = body.get("variables") or {}
    named = re.search(r"pullRequestId:\s*\$(\w+)", body["query"])
    if named:
        return str(given.get(named[1]))
    objects = (value for value in given.values() if isinstance(value, dict))
    return str(next((v.get("pullRequestId") for v in objects), None))


def _all_pulls(hub: State) -> list[Pull]:
    return [pull for repo in hub.repos.values() for pull in repo.pulls.values()]
