"""From an approved proposal to main, and what else ends or renews a proposal."""

from collections.abc import Iterator
from dataclasses import replace

from skillforge.config import Policy
from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Forge
from skillforge.gitrepo import GitRepo, checkout
from skillforge.gitrepo.writing import NewCommit, Put, Who
from skillforge.library import SKILLS, Library
from skillforge.model import (
    SKILL_FILE,
    Action,
    Approval,
    Comment,
    DraftFile,
    Origin,
    Proposal,
    State,
    Verdict,
    is_of_agent,
)
from skillforge.propose import review, trailers, versions
from skillforge.propose.drafts import EVIDENCE
from skillforge.propose.history import NOW
from skillforge.propose.opening import DAY


def promote(
    library: Library, forge: Forge, number: int, by: Who, *, now: bool = False
) -> Proposal:
    """Merge a proposal whose exact bytes the gate passed and others approved.

    Only main moves, and only from the base that was judged. A checkout of main follows
    if nothing unsaved is in it. Safe to repeat: a merge that was made is found again.
    """
    with forge.alone():
        proposal = _found_merged(library, forge, forge.get(number), by)
        if proposal.state is State.MERGED:
            _follow(library, proposal)
            return proposal
        policy = _refuse_unready(library, proposal, by)
        approvals = review.standing(library, proposal)
        if now:
            _refuse_now(proposal, policy)
        elif len(approvals) < policy.approvals:
            raise _unapproved(proposal, policy, len(approvals))
        proposal = review.check(library, forge, proposal, by)
        assert proposal.verdict is not None
        if not proposal.verdict.passed:
            return proposal
        for place in checkout.showing(library.repository(), library.main):
            _in_the_way(place, proposal)
        message = _message(proposal, proposal.verdict, approvals, by if now else None)
        proposal = forge.merge(proposal, message, by)
        _follow(library, proposal)
        return proposal


def _found_merged(
    library: Library, forge: Forge, proposal: Proposal, by: Who
) -> Proposal:
    """A crash may come between the merge and the note of it; then this is that note."""
    repo = library.repository()
    tip = repo.ref(f"refs/heads/{library.main}")
    if not proposal.is_open or proposal.base == tip:
        return proposal
    out = repo.git("rev-list", "--first-parent", "--parents", f"{proposal.base}..{tip}")
    for line in out.decode().splitlines():
        merge, *parents = line.split()
        if parents == [proposal.base, proposal.head]:
            return forge.mark_merged(proposal, merge, by)
    return proposal


def _refuse_unready(library: Library, proposal: Proposal, by: Who) -> Policy:
    """Stop where a proposal cannot be promoted now, and say what would help."""
    number = proposal.number
    tip = library.repository().ref(f"refs/heads/{library.main}")
    policy = library.policy(tip)
    if not proposal.is_open:
        raise ConflictError(
            f"proposal {number} is {proposal.state}", hint="propose it again"
        )
    if proposal.is_draft:
        raise ConflictError(
            f"proposal {number} is a draft",
            hint="propose it again without --draft when it is ready",
        )
    if proposal.base != tip:
        raise ConflictError(
            f"{library.main} has moved since proposal {number} was made",
            hint=f"skillforge refresh {number}, and have it reviewed again",
        )
    if by.seconds - proposal.opened > policy.days_limit * DAY:
        raise ConflictError(
            f"proposal {number} is older than {policy.days_limit} days",
            hint=f"skillforge refresh {number}, and have it reviewed again",
        )
    return policy


def _unapproved(proposal: Proposal, policy: Policy, count: int) -> ConflictError:
    void = len(proposal.approvals) - count
    note = f"; {void} of something else do not count" if void else ""
    return ConflictError(
        f"proposal {proposal.number} has {count} of {policy.approvals} approvals{note}",
        hint=f"skillforge review {proposal.number} --approve, by somebody other than "
        f"{proposal.author}",
    )


def _refuse_now(proposal: Proposal, policy: Policy) -> None:
    allowed = policy.rollback_now
    by_agent = is_of_agent(proposal.origin) or proposal.origin is Origin.IMPORT
    if proposal.action is not Action.ROLLBACK:
        raise RequestError("only a rollback can be promoted at once", hint="review it")
    if allowed == "nobody" or (allowed == "people" and by_agent):
        raise ConflictError(
            f"the policy lets {allowed} roll back without an approval",
            hint=f"skillforge review {proposal.number} --approve, then promote",
        )


def _message(
    proposal: Proposal, verdict: Verdict, approvals: list[Approval], now: Who | None
) -> str:
    said = [
        ("Proposal", str(proposal.number)),
        *(("Approved-By", approval.by) for approval in approvals),
        (NOW, str(now) if now else ""),
        ("Approved-Tree", verdict.tree),
        ("Checks-Digest", f"sha256:{verdict.digest}"),
        ("Policy", verdict.policy or "none"),
    ]
    title = f"Merge proposal {proposal.number}: {proposal.title}"
    return trailers.message(title, "", said)


def _in_the_way(place: GitRepo, proposal: Proposal) -> list[str]:
    """Files of a checkout that hold the draft itself; anything else unsaved is a stop.

    A draft that was proposed from the checkout still lies there. What main is about to
    bring is the same but for the version, so nothing is lost when main's comes.
    """
    unsaved = checkout.unsaved(place, proposal.base)
    changed = {p for p, *_ in place.changed_files(proposal.base, proposal.head)}
    mine = sorted((unsaved.tracked | unsaved.untracked) & changed)
    lost = sorted(unsaved.tracked - changed)
    lost += [path for path in mine if not _is_draft_of(place, proposal.head, path)]
    if lost:
        shown = ", ".join(lost[:3]) + (" and more" if len(lost) > 3 else "")
        raise ConflictError(
            f"{place.root} is on main with unsaved changes: {shown}",
            hint="commit or stash them there, or check out another branch; nothing was "
            "changed",
        )
    return mine


def _is_draft_of(place: GitRepo, head: str, path: str) -> bool:
    """Whether a file on disk is what a commit holds, but for the version."""
    file = place.root / path
    committed = place.find(f"{head}:{path}")
    try:
        data = None if file.is_symlink() or not file.exists() else file.read_bytes()
    except OSError:
        return False
    if data is None or committed is None:
        return data is None and committed is None
    if data == committed.data or not path.endswith(f"/{SKILL_FILE}"):
        return data == committed.data
    version = versions.of(committed.data)
    try:
        same = versions.stamped({SKILL_FILE: DraftFile(data)}, version)
    except RequestError:
        return False
    return same[SKILL_FILE].data == committed.data


def _follow(library: Library, proposal: Proposal) -> None:
    """Bring clean checkouts of main along; also for a merge made by a run that died."""
    for place in checkout.showing(library.repository(), library.main):
        merged = replace(proposal, head=proposal.merge)
        if not checkout.unsaved(place, proposal.merge).tracked:
            continue
        try:
            mine = _in_the_way(place, merged)
        except ConflictError:
            continue  # it is on something else by now, or somebody works there
        checkout.follow(place, proposal.base, proposal.merge, mine)


def refresh(library: Library, forge: Forge, number: int, by: Who) -> Proposal:
    """Put a proposal on today's main; whoever approved it has to look again."""
    with forge.alone():
        proposal = _found_merged(library, forge, forge.get(number), by)
        if not proposal.is_open:
            raise ConflictError(
                f"proposal {number} is {proposal.state}", hint="propose it again"
            )
        repo = library.repository()
        tip = repo.ref(f"refs/heads/{library.main}")
        if proposal.base == tip and not _is_old(library, proposal, tip, by):
            return proposal
        try:
            tree = repo.merged_tree(tip, proposal.head)
        except ConflictError as err:
            raise ConflictError(
                f"proposal {number} does not fit on {library.main}: {err.message}",
                hint=f"look at it, then propose anew with --supersede; or skillforge "
                f"close {number}",
            ) from err
        changes = list(_carried(library, proposal, tip, tree))
        message = _first_message(library, proposal)
        commit = NewCommit([tip], message, by, changes)
        return forge.update(proposal, commit, tip, by)


def _is_old(library: Library, proposal: Proposal, tip: str, by: Who) -> bool:
    return by.seconds - proposal.opened > library.policy(tip).days_limit * DAY


def _first_message(library: Library, proposal: Proposal) -> str:
    """What the proposal's own commit said; commits put on top are folded into it."""
    span = f"{proposal.base}..{proposal.head}"
    commits = list(library.repository().log("--reverse", span))
    return commits[0].message + "\n"


def _carried(
    library: Library, proposal: Proposal, tip: str, tree: str
) -> Iterator[Put]:
    """What a proposal changes, put on another base; nothing but what it may touch."""
    repo = library.repository()
    for name in proposal.skills:
        for top in (SKILLS, EVIDENCE):
            merged = repo.name_of(f"{tree}:{top}/{name}")
            if merged != repo.name_of(f"{tip}:{top}/{name}"):
                yield Put(f"{top}/{name}", mode="040000", object=merged)
    if proposal.action is Action.ROLLBACK:
        return
    path = f"{SKILLS}/{proposal.skill}/{SKILL_FILE}"
    before, after = repo.find(f"{tip}:{path}"), repo.find(f"{tree}:{path}")
    if before and after:
        was, now = versions.of(before.data), versions.of(after.data)
        files = versions.stamped(
            {SKILL_FILE: DraftFile(after.data)}, versions.raised(was, now, None)
        )
        if files[SKILL_FILE].data != after.data:
            yield Put(path, files[SKILL_FILE].data)


def conflicts(library: Library, proposal: Proposal) -> bool | None:
    """Whether an open proposal does not fit on today's main; None if it is over."""
    repo = library.repository()
    tip = repo.ref(f"refs/heads/{library.main}")
    if not proposal.is_open:
        return None
    touched = any(
        repo.name_of(f"{tip}:{SKILLS}/{name}")
        != repo.name_of(f"{proposal.base}:{SKILLS}/{name}")
        for name in proposal.skills
    )
    if not touched:
        return False
    try:
        repo.merged_tree(tip, proposal.head)
    except ConflictError:
        return True
    return False


def close(forge: Forge, number: int, why: str, by: Who) -> Proposal:
    """End a proposal without merging it."""
    proposal = forge.get(number)
    if not proposal.is_open:
        raise ConflictError(
            f"proposal {number} is {proposal.state} already", hint="nothing to close"
        )
    comment = Comment(str(by), why or "closed", by.seconds)
    return forge.close(proposal, State.CLOSED, comment, by)


def expire(library: Library, forge: Forge, by: Who) -> list[Proposal]:
    """Close what has waited longer than the policy allows."""
    tip = library.repository().ref(f"refs/heads/{library.main}")
    days = library.policy(tip).days_limit
    comment = Comment(str(by), f"older than {days} days", by.seconds)
    return [
        forge.close(proposal, State.EXPIRED, comment, by)
        for proposal in forge.proposals(only_open=True)
        if by.seconds - proposal.opened > days * DAY
    ]
