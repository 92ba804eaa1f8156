"""Endpoints of what a pull request shares with issues: comments and labels."""

from tests.github.hub.pull_shapes import comment_json, label_json
from tests.github.hub.routes import Answer, Call, not_found, route
from tests.github.hub.shapes import user_json
from tests.github.hub.state import Comment, Label, Pull, RefusedError, Repo, now


@route("GET", "{R}/issues/{number}/comments")
def list_comments(call: Call) -> Answer:
    since = call.query.get("since", "")
    found = [c for c in call.pull.comments if c.changed >= since]
    return call.paged([comment_json(call.pull, comment) for comment in found])


@route("GET", "{R}/issues/{number}/events")
def list_events(call: Call) -> Answer:
    api = f"{call.hub.api}/repos/{call.repo.full_name}/issues/events"
    events = [
        {
            "id": at,
            "node_id": f"EV_{at}",
            "url": f"{api}/{at}",
            "actor": user_json(call.hub, call.pull.author),
            "event": "base_ref_changed",
            "commit_id": None,
            "commit_url": None,
            "created_at": when,
            "performed_via_github_app": None,
            "state_reason": None,
        }
        for at, when in enumerate(call.pull.moved, 1)
    ]
    return call.paged(events)


@route("POST", "{R}/issues/{number}/comments")
def add_comment(call: Call) -> Answer:
    pull = call.pull
    text = _text(call)
    comment = Comment(call.hub.next_id(), pull.number, call.by, text)
    pull.comments.append(comment)
    pull.touch()
    return Answer(201, comment_json(pull, comment))


@route("PATCH", "{R}/issues/comments/{id}")
def edit_comment(call: Call) -> Answer:
    pull, comment = _comment(call.repo, int(call.args["id"]))
    if call.by is not comment.author:
        call.need("write")
    comment.body, comment.changed = _text(call), now()
    return Answer(200, comment_json(pull, comment))


def _text(call: Call) -> str:
    text = call.fields.get("body")
    if not text:
        raise _invalid("IssueComment", "missing_field", "body")
    return str(text)


def _comment(repo: Repo, number: int) -> tuple[Pull, Comment]:
    for pull in repo.pulls.values():
        for comment in pull.comments:
            if comment.id == number:
                return pull, comment
    raise not_found()


def _invalid(resource: str, code: str, field: str) -> RefusedError:
    error = {"resource": resource, "code": code, "field": field}
    return RefusedError(422, "Validation Failed", [error])


@route("GET", "{R}/labels")
def list_labels(call: Call) -> Answer:
    return call.paged([label_json(call.repo, label) for label in call.repo.labels])


@route("POST", "{R}/labels")
def create_label(call: Call) -> Answer:
    call.need("write")
    given = call.fields
    if not given.get("name"):
        raise _invalid("Label", "missing_field", "name")
    if call.repo.label(given["name"]):
        raise _invalid("Label", "already_exists", "name")
    label = call.repo.add_label(
        given["name"], given.get("color", "ededed"), given.get("description")
    )
    return Answer(201, label_json(call.repo, label))


@route("PATCH", "{R}/labels/{name}")
def edit_label(call: Call) -> Answer:
    call.need("write")
    label = _label(call)
    label.name = call.fields.get("new_name", label.name)
    label.color = call.fields.get("color", label.color)
    label.description = call.fields.get("description", label.description)
    return Answer(200, label_json(call.repo, label))


def _label(call: Call) -> Label:
    label = call.repo.label(call.args["name"])
    if label is None:
        raise not_found()
    return label


@route("POST", "{R}/issues/{number}/labels")
def put_labels(call: Call) -> Answer:
    call.need("triage")
    pull = call.pull
    given = call.body if isinstance(call.body, list) else call.fields.get("labels", [])
    for entry in given:
        name = entry["name"] if isinstance(entry, dict) else entry
        label = call.repo.label(name) or call.repo.add_label(name)
        if label not in pull.labels:
            pull.labels.append(label)
    pull.touch()
    return Answer(200, [label_json(call.repo, label) for label in pull.labels])


@route("DELETE", "{R}/issues/{number}/labels/{name}")
def drop_label(call: Call) -> Answer:
    call.need("triage")
    pull, label = call.pull, call.repo.label(call.args["name"])
    if label not in pull.labels:
        raise not_found("Label does not exist")
    pull.labels.remove(label)
    pull.touch()
    return Answer(200, [label_json(call.repo, label) for label in pull.labels])
