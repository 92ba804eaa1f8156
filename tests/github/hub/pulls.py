"""Pull requests from opening to closing, and how they follow the branches."""

from typing import Any

from tests.github.hub.bare import Commit
from tests.github.hub.rules import dismisses_stale_reviews
from tests.github.hub.state import Pull, RefusedError, Repo, Review, State, User, now

EVENTS = {
    "APPROVE": "APPROVED",
    "REQUEST_CHANGES": "CHANGES_REQUESTED",
    "COMMENT": "COMMENTED",
}
_OWN = {
    "APPROVE": "Can not approve your own pull request",
    "REQUEST_CHANGES": "Can not request changes on your own pull request",
}


def invalid(message: str = "", code: str = "custom", **more: str) -> RefusedError:
    error = {"resource": "PullRequest", "code": code, **more}
    return RefusedError(
        422,
        "Validation Failed",
        [error | ({"message": message} if message else {})],
    )


def follow_branches(hub: State, pusher: User | None = None) -> None:
    """Bring every open pull request in line with the refs as they are now."""
    tips: dict[Repo, dict[str, str]] = {}
    for repo in hub.repos.values():
        for pull in repo.open_pulls:
            for side in (pull.head, pull.repo):
                if side not in tips:
                    tips[side] = side.bare.tips()
            head, base = tips[pull.head].get(pull.branch), tips[repo].get(pull.base)
            _follow(pull, head, base, pusher)


def _follow(
    pull: Pull, head: str | None, base: str | None, pusher: User | None
) -> None:
    if head is None or base is None:
        pull.close()
        return
    head_moved, base_moved = head != pull.head_sha, base != pull.base_sha
    if head_moved:
        pull.head_sha = head
        _head_moved(pull)
    arrived = (head_moved or base_moved) and pull.repo.bare.contains(base, head)
    # Commits that came to the base by a push are merged, says GitHub. A head that
    # went back to the base has nothing to offer any more.
    if arrived and base_moved:
        pull.landed_as([head], pusher)
    elif arrived:
        pull.close()
    else:
        pull.base_sha = base


def _head_moved(pull: Pull) -> None:
    pull.touch()
    _keep_head(pull)
    if dismisses_stale_reviews(pull):
        for review in pull.reviews:
            if review.state == "APPROVED":
                review.state = "DISMISSED"


def _keep_head(pull: Pull) -> None:
    ref = f"refs/pull/{pull.number}/head"
    if pull.head is not pull.repo:
        source = str(pull.head.path)
        pull.repo.git("fetch", "--quiet", "--no-tags", source, pull.head_sha)
    pull.repo.git("update-ref", ref, pull.head_sha)


def open_pull(repo: Repo, by: User, body: dict[str, Any]) -> Pull:
    title = body.get("title")
    if not title:
        raise invalid(code="missing_field", field="title")
    head, branch = _head_of(repo, body)
    base = body["base"]
    head_sha, base_sha = _tip(head, branch, "head"), _tip(repo, base, "base")
    pull = Pull(
        repo.hub.next_id(),
        max(repo.pulls, default=0) + 1,
        by,
        title,
        body.get("body"),
        repo,
        base,
        head,
        branch,
        head_sha,
        base_sha,
        draft=bool(body.get("draft")),
    )
    _refuse_unless_new(pull)
    _keep_head(pull)
    if not repo.bare.log(base_sha, head_sha):
        repo.git("update-ref", "-d", f"refs/pull/{pull.number}/head")
        raise invalid(f"No commits between {_names(pull)}")
    repo.pulls[pull.number] = pull
    return pull


def _head_of(repo: Repo, body: dict[str, Any]) -> tuple[Repo, str]:
    owner, colon, branch = body["head"].rpartition(":")
    if not colon or owner.lower() == repo.owner.login.lower():
        return repo, branch
    for other in repo.hub.repos.values():
        if other.owner.login.lower() == owner.lower() and other.parent is repo:
            return other, branch
    raise invalid(code="invalid", field="head")


def _tip(repo: Repo, branch: str, field: str) -> str:
    tip = repo.bare.tips().get(branch)
    if tip is None:
        raise invalid(code="invalid", field=field)
    return tip


def _refuse_unless_new(pull: Pull) -> None:
    same = (pull.head, pull.branch, pull.base)
    for other in pull.repo.open_pulls:
        if (other.head, other.branch, other.base) == same:
            raise invalid(f"A pull request already exists for {pull.label}.")


def _names(pull: Pull) -> str:
    if pull.head is pull.repo:
        return f"{pull.base} and {pull.branch}"
    return f"{pull.repo.owner.login}:{pull.base} and {pull.label}"


def change_pull(pull: Pull, body: dict[str, Any]) -> None:
    if "title" in body and not body["title"]:
        raise invalid(code="missing_field", field="title")
    if body.get("state") == "open" and not pull.open:
        _reopen(pull)
    if body.get("state") == "closed" and pull.open:
        pull.close()
    if "base" in body:
        pull.base_sha = _tip(pull.repo, body["base"], "base")
        pull.base = body["base"]
        pull.moved.append(now())
    pull.title = body.get("title", pull.title)
    pull.body = body.get("body", pull.body)
    pull.touch()


def _reopen(pull: Pull) -> None:
    gone = "state cannot be changed. "
    if pull.merged_at:
        raise invalid(f"{gone}The pull request cannot be reopened.", field="state")
    tips = pull.head.bare.tips()
    if pull.branch not in tips:
        gone += f"The {pull.branch} branch has been deleted."
        raise invalid(gone, field="state")
    _refuse_unless_new(pull)
    pull.head_sha = tips[pull.branch]
    _keep_head(pull)
    pull.base_sha = _tip(pull.repo, pull.base, "base")
    pull.open, pull.closed_at = True, None


def review_pull(
    pull: Pull, by: User, event: str | None, body: str = "", commit: str | None = None
) -> Review:
    if by is pull.author and event in _OWN:
        raise RefusedError(422, "Unprocessable Entity", [_OWN[event]])
    if event in ("COMMENT", "REQUEST_CHANGES") and not body:
        raise RefusedError(422, "Unprocessable Entity", ["Body can't be blank"])
    shas = {found.sha for found in commits_of(pull)}
    if commit and commit not in shas:
        raise RefusedError(
            422, "Unprocessable Entity", ["Commit is not part of the pull request"]
        )
    state = EVENTS[event] if event else "PENDING"
    review = Review(pull.repo.hub.next_id(), by, state, body, commit or pull.head_sha)
    pull.reviews.append(review)
    pull.touch()
    return review


def commits_of(pull: Pull) -> list[Commit]:
    """The commits it offers or, once it is merged, those it offered."""
    return pull.repo.bare.log(pull.base_sha, pull.head_sha)
