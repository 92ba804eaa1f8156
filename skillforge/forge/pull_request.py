"""Convert a pull request to a proposal: the commits are the record.

Everyone with write access can change title, body and labels. The trailers of the
proposed commit are part of what is reviewed, so only they count.
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
    ARCHIVE,
    EVIDENCE,
    SKILL_FILE,
    Action,
    Approval,
    Comment,
    Layout,
    Origin,
    Proposal,
    State,
    Status,
)
from skillforge.policy import POLICY_FILE, read_layout

EXPIRED = "expired"  # label of a pull request that was closed because of its age
GATE = "skill-gate"  # the check that a pull request has to pass
_NOREPLY = "users.noreply.github.com"
_DECIDING = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
Json: TypeAlias = dict[str, Any]
Kind = TypeVar("Kind", Action, Origin)


def identity(user: Json | None) -> str:
    """A GitHub user as `Name <mail>`, with the noreply address of the account."""
    if not user:
        return "ghost"  # GitHub's name for a deleted account
    return f"{user['login']} <{user['id']}+{user['login']}@{_NOREPLY}>"


def seconds(when: str | None) -> int:
    return int(datetime.fromisoformat(when).timestamp()) if when else 0


def proposal_of(repo: GitRepo, pull: Json, main: str) -> Proposal | None:
    """A pull request as a proposal; None if it changes no skill."""
    head = repo.ref(f"{PULLS}{pull['number']}")
    base = _base(repo, pull, main, head) if head else ""
    if not base:
        return None
    first = next(repo.log("--reverse", f"{base}..{head}"), None)
    if first is None:
        return None
    record = trailers.read(first.message)
    policy = repo.find(f"{main}:{POLICY_FILE}")
    layout = read_layout(policy.data if policy else b"")
    changed = _changed_skills(repo, layout, base, head)
    # The trailers are only a claim: what counts is which skills it changes.
    claimed = tuple(name for name in record.get("Skill", ()) if name in changed)
    if claimed:
        proposal = _from_trailers(pull, record, first, claimed)
    elif changed:
        # Made without Skillforge: it may be about one skill.
        why = str(pull.get("body") or "")
        proposal = replace(_from_pull(pull, tuple(changed[:1])), why=why)
    else:
        return None
    return replace(proposal, base=base, head=head, made=first.name)


def _base(repo: GitRepo, pull: Json, main: str, head: str) -> str:
    """The merge base with main; after a merge, with main as it was before."""
    merge = repo.find(pull.get("merge_commit_sha") or "") if _is_merged(pull) else None
    if merge is not None:
        parents = [c.parents for c in repo.log("--max-count=1", merge.name)]
        before = parents[0][0] if parents and parents[0] else ""
        return repo.run("merge-base", before, head).out.decode().strip()
    return repo.run("merge-base", main, head).out.decode().strip()


def _changed_skills(repo: GitRepo, layout: Layout, base: str, head: str) -> list[str]:
    paths = diff.changed_paths(repo, base, head, ".")
    names = {name for path in paths for name in layout.names_around(path)}
    if not layout.is_single:
        names = _in_use(repo, layout, names, (base, head))
    for path in paths:
        top, _, inside = path.partition("/")
        if top == EVIDENCE and "/" in inside:
            names.add(layout.evidence_name(inside))
        elif top == ARCHIVE and "/" in inside:
            names.add(layout.leading_name(inside))
    return sorted(names)


def _in_use(
    repo: GitRepo, layout: Layout, names: set[str], commits: tuple[str, ...]
) -> set[str]:
    """The names whose folders are skills at one of some commits, not categories."""
    places = [(name, commit) for name in sorted(names) for commit in commits]
    files = [f"{at}:{layout.path_of(name)}/{SKILL_FILE}" for name, at in places]
    pairs = zip(places, repo.names_of(files), strict=True)
    return {name for (name, _), found in pairs if found}


def _from_trailers(
    pull: Json, record: dict[str, list[str]], first: Commit, skills: tuple[str, ...]
) -> Proposal:
    _title, *paragraphs = first.message.strip().split("\n\n")
    proposal = _from_pull(pull, skills)
    return replace(
        proposal,
        action=_known(Action, trailers.first(record, "Action"), Action.EDIT),
        origin=_origin(pull, trailers.first(record, "Origin")),
        title=first.subject,
        why="\n\n".join(paragraphs[:-1]),
        digest=trailers.first(record, "Draft-Digest").removeprefix("sha256:"),
        examples=tuple(record.get("Example", ())),
        absorbed_into=trailers.first(record, "Absorbed-Into"),
        message=first.message,
        makers=tuple(record.get("Proposed-By", ())),
        # A refresh creates a new commit, and the proposal counts as new.
        opened=max(proposal.opened, min(first.seconds, int(time.time()))),
    )


def _from_pull(pull: Json, skills: tuple[str, ...]) -> Proposal:
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


def _origin(pull: Json, claim: str) -> Origin:
    """The origin of a proposal; what a bot opened never counts as human."""
    origin = _known(Origin, claim, Origin.HUMAN)
    is_bot = (pull["user"] or {}).get("type") == "Bot"
    return Origin.AGENT_BACKGROUND if is_bot and origin is Origin.HUMAN else origin


def _known(kind: type[Kind], word: str, default: Kind) -> Kind:
    return kind(word) if word in list(kind) else default


def decisions(reviews: Iterable[Json]) -> list[Json]:
    """The latest decision of each person."""
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
    """A proposal with its reviews; approvals before `since` are of another base."""
    approvals: list[Approval] = []
    objections: list[str] = []
    for review in reviews:
        if review["state"] == "CHANGES_REQUESTED":
            objections.append(identity(review["user"]))
        elif review["state"] == "APPROVED":
            is_current = seconds(review.get("submitted_at")) >= since
            approvals.append(_approval(repo, proposal, review, is_current))
    return replace(proposal, approvals=tuple(approvals), objections=tuple(objections))


def _approval(
    repo: GitRepo, proposal: Proposal, review: Json, is_current: bool
) -> Approval:
    """An approval of the trees that the reviewed commit has."""
    commit = review.get("commit_id") or ""
    is_exact = commit == proposal.head and is_current
    return Approval(
        identity(review["user"]),
        commit,
        repo.name_of(f"{commit}^{{tree}}") if is_exact else "",
        proposal.base if is_exact else "",
        repo.name_of(f"{commit}:{EVIDENCE}/{proposal.skill}") if is_exact else "",
        seconds(review.get("submitted_at")),
    )


def with_comments(proposal: Proposal, comments: Iterable[Json]) -> Proposal:
    converted = (
        Comment(identity(c["user"]), c["body"] or "", seconds(c["created_at"]))
        for c in comments
    )
    return replace(proposal, comments=tuple(converted))


def with_makers(proposal: Proposal, commits: Iterable[Json]) -> Proposal:
    """A proposal with every account that GitHub associates with a commit."""
    makers = [
        identity(user)
        for commit in commits
        for user in (commit.get("author"), commit.get("committer"))
        if user and user.get("login")
    ]
    return replace(proposal, makers=tuple(dict.fromkeys((*proposal.makers, *makers))))


def with_checks(proposal: Proposal, runs: Iterable[Json]) -> Proposal:
    """A proposal with the result of the latest gate run on GitHub."""
    for run in sorted(runs, key=lambda run: run["id"], reverse=True):
        ends = {"success": Status.PASSED, None: Status.NOT_RUN}
        return replace(proposal, ci=ends.get(run["conclusion"], Status.FAILED))
    return proposal
