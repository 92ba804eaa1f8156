"""A pull request as a proposal: its commits are the record, GitHub adds the people.

Title, body and labels can be changed by anybody who may write; the trailers of the
commit that was proposed are part of what is reviewed, so they are what counts.
"""

import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

from skillforge.forge import PULLS
from skillforge.gitrepo import GitRepo, diff, trailers
from skillforge.gitrepo.commit_log import Commit
from skillforge.model import (
    EVIDENCE,
    OURS,
    Action,
    Approval,
    Comment,
    Origin,
    Proposal,
    State,
    Status,
)

EXPIRED = "expired"  # the label of one that was closed for its age
GATE = "skill-gate"  # the check that a pull request has to pass
_NOREPLY = "users.noreply.github.com"
_DECIDING = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
Json: TypeAlias = dict[str, Any]
Kind = TypeVar("Kind", Action, Origin)


def identity(user: Json | None) -> str:
    """A user of GitHub as `Name <mail>`, by the address that GitHub gives everybody."""
    if not user:
        return "ghost"  # GitHub's word for an account that is gone
    return f"{user['login']} <{user['id']}+{user['login']}@{_NOREPLY}>"


def seconds(when: str | None) -> int:
    return int(datetime.fromisoformat(when).timestamp()) if when else 0


def proposal_of(repo: GitRepo, pull: Json, main: str) -> Proposal | None:
    """The proposal that a pull request is; None if it is about no skill."""
    head = repo.ref(f"{PULLS}{pull['number']}")
    base = _base(repo, pull, main, head) if head else ""
    if not base:
        return None
    first = next(repo.log("--reverse", f"{base}..{head}"), None)
    if first is None:
        return None
    said = trailers.read(first.message)
    touched = _touched(repo, base, head)
    # It may claim what it likes: it is about the skills that it changes.
    named = tuple(name for name in said.get("Skill", ()) if name in touched)
    if named:
        about = _by_the_tool(pull, said, first, named)
    elif touched:
        about = _by_hand(pull, touched)
    else:
        return None
    return replace(about, base=base, head=head, made=first.name)


def _base(repo: GitRepo, pull: Json, main: str, head: str) -> str:
    """Where the branch left main; for one that was merged, main as it was before."""
    merge = repo.find(pull.get("merge_commit_sha") or "") if _is_merged(pull) else None
    if merge is not None:
        parents = [c.parents for c in repo.log("--max-count=1", merge.name)]
        before = parents[0][0] if parents and parents[0] else ""
        return repo.run("merge-base", before, head).out.decode().strip()
    return repo.run("merge-base", main, head).out.decode().strip()


def _touched(repo: GitRepo, base: str, head: str) -> list[str]:
    paths = diff.changed_paths(repo, base, head, ".")
    parts = (path.split("/") for path in paths)
    return sorted({p[1] for p in parts if p[0] in OURS and len(p) > 2})


def _by_the_tool(
    pull: Json, said: dict[str, list[str]], first: Commit, named: tuple[str, ...]
) -> Proposal:
    _title, *paragraphs = first.message.strip().split("\n\n")
    about = _bare(pull, named)
    return replace(
        about,
        action=_known(Action, trailers.first(said, "Action"), Action.EDIT),
        origin=_origin(pull, trailers.first(said, "Origin")),
        title=first.subject,
        why="\n\n".join(paragraphs[:-1]),
        digest=trailers.first(said, "Draft-Digest").removeprefix("sha256:"),
        examples=tuple(said.get("Example", ())),
        absorbed_into=trailers.first(said, "Absorbed-Into"),
        message=first.message,
        makers=tuple(said.get("Proposed-By", ())),
        # A refresh makes the commit anew, and the proposal young again.
        opened=max(about.opened, min(first.seconds, int(time.time()))),
    )


def _by_hand(pull: Json, touched: list[str]) -> Proposal:
    """A branch that somebody made without the tool: it may be about one skill."""
    return replace(_bare(pull, tuple(touched[:1])), why=str(pull.get("body") or ""))


def _bare(pull: Json, skills: tuple[str, ...]) -> Proposal:
    labels = {label["name"] for label in pull.get("labels", ())}
    state = State.MERGED if _is_merged(pull) else State(pull["state"])
    state = State.EXPIRED if state is State.CLOSED and EXPIRED in labels else state
    return Proposal(
        number=pull["number"],
        skill=skills[0],
        skills=skills,
        action=Action.EDIT,
        origin=_origin(pull, Origin.HUMAN),
        author=identity(pull["user"]),
        title=pull["title"],
        why="",
        branch=pull["head"]["ref"],
        head="",
        base="",
        digest="",
        opened=seconds(pull["created_at"]),
        is_draft=bool(pull.get("draft")),
        state=state,
        merge=(pull.get("merge_commit_sha") or "") if _is_merged(pull) else "",
        url=pull["html_url"],
        is_from_fork=(pull["head"]["repo"] or {}).get("id")
        != pull["base"]["repo"]["id"],
    )


def _is_merged(pull: Json) -> bool:
    return bool(pull.get("merged_at"))


def _origin(pull: Json, said: str) -> Origin:
    """Who wants it; what a bot opened is not of a person, whatever it says."""
    origin = _known(Origin, said, Origin.HUMAN)
    is_bot = (pull["user"] or {}).get("type") == "Bot"
    return Origin.AGENT_BACKGROUND if is_bot and origin is Origin.HUMAN else origin


def _known(kind: type[Kind], word: str, default: Kind) -> Kind:
    return kind(word) if word in list(kind) else default


def decisions(reviews: Iterable[Json]) -> list[Json]:
    """What each person decided last."""
    decided = {
        review["user"]["id"]: review
        for review in reviews
        if review["user"] and review["user"].get("type") != "Bot"
        if review["state"] in _DECIDING
    }
    return list(decided.values())


def with_reviews(
    repo: GitRepo, proposal: Proposal, reviews: Iterable[Json], since: int
) -> Proposal:
    """What reviewers decided; a yes from before `since` was to something else."""
    approvals: list[Approval] = []
    against: list[str] = []
    for review in reviews:
        if review["state"] == "CHANGES_REQUESTED":
            against.append(identity(review["user"]))
        elif review["state"] == "APPROVED":
            is_of_this = seconds(review.get("submitted_at")) >= since
            approvals.append(_approval(repo, proposal, review, is_of_this))
    return replace(proposal, approvals=tuple(approvals), objections=tuple(against))


def _approval(
    repo: GitRepo, proposal: Proposal, review: Json, is_of_this: bool
) -> Approval:
    """A review names the commit that it is of; what that holds, git knows."""
    of = review.get("commit_id") or ""
    is_exact = of == proposal.head and is_of_this
    return Approval(
        identity(review["user"]),
        of,
        repo.name_of(f"{of}^{{tree}}") if is_exact else "",
        proposal.base if is_exact else "",
        repo.name_of(f"{of}:{EVIDENCE}/{proposal.skill}") if is_exact else "",
        seconds(review.get("submitted_at")),
    )


def with_comments(proposal: Proposal, comments: Iterable[Json]) -> Proposal:
    """What people said."""
    said = [
        Comment(identity(it["user"]), it["body"] or "", seconds(it["created_at"]))
        for it in comments
    ]
    return replace(proposal, comments=tuple(said))


def with_makers(proposal: Proposal, commits: Iterable[Json]) -> Proposal:
    """Everybody whose account GitHub finds behind a commit."""
    found = [
        identity(user)
        for commit in commits
        for user in (commit.get("author"), commit.get("committer"))
        if user and user.get("login")
    ]
    return replace(proposal, makers=tuple(dict.fromkeys((*proposal.makers, *found))))


def with_checks(proposal: Proposal, runs: Iterable[Json]) -> Proposal:
    """What the newest run of the gate on GitHub said of this head."""
    for run in sorted(runs, key=lambda it: it["id"], reverse=True):
        ends = {"success": Status.PASSED, None: Status.NOT_RUN}
        return replace(proposal, ci=ends.get(run["conclusion"], Status.FAILED))
    return proposal
