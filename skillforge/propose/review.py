"""What a reviewer needs to decide on a proposal, and the decision."""

from dataclasses import dataclass, replace
from functools import partial

from skillforge import worker_pool
from skillforge.checks.overlap import Neighbour, neighbours
from skillforge.checks.scan import able
from skillforge.errors import ConflictError, RequestError, ToolError
from skillforge.forge import Forge
from skillforge.gitrepo import diff, trailers
from skillforge.gitrepo.ref_update import Signature
from skillforge.history import identity
from skillforge.library import Library
from skillforge.model import (
    EVIDENCE,
    SKILL_FILE,
    Action,
    Approval,
    Comment,
    Danger,
    Proposal,
    Skill,
    State,
    Status,
    Verdict,
)
from skillforge.policy import Policy
from skillforge.propose import gate
from skillforge.propose.candidate import Candidate
from skillforge.propose.evidence_summary import ExampleSummary, summaries
from skillforge.propose.workspace import Workspace

_SECONDS = 60  # to read the capabilities of a skill


@dataclass(frozen=True, slots=True)
class ReviewBrief:
    """A proposal with everything that matters for a decision."""

    proposal: Proposal
    verdict: Verdict
    diff: str
    description: str
    sizes: tuple[int, int]  # bytes of SKILL.md, before and after
    totals: tuple[int, int]  # bytes of all files, before and after
    powers: tuple[str, ...]  # new capabilities
    neighbours: tuple[Neighbour, ...]
    approvals: tuple[Approval, ...]  # of exactly these bytes
    is_stale: bool  # main has moved since
    conflicts: bool | None
    needed: int  # approvals
    next_step: str  # empty if the proposal is closed
    examples: tuple[ExampleSummary, ...]


def brief(workspace: Workspace, number: int) -> ReviewBrief:
    """Gather what is known of a proposal; runs the gate if its verdict is outdated.

    Nothing is written: showing a proposal changes nothing about it.
    """
    proposal = workspace.forge.get(number)
    verdict = proposal.verdict or Verdict(proposal.head, proposal.base, "", "")
    if proposal.is_open and not _is_current(proposal):
        verdict = gate.judge(workspace.library, Candidate.of(proposal))
    return gather(workspace.library, proposal, verdict)


def gather(library: Library, proposal: Proposal, verdict: Verdict) -> ReviewBrief:
    """The brief for a proposal and a verdict on it."""
    tip = library.tip
    judged = replace(proposal, verdict=verdict)
    after = library.skill_at(proposal.head, proposal.skill)
    before = library.skill_at(proposal.base, proposal.skill)
    document = after.document if after else None
    near = neighbours(library, proposal.base, document) if document else []
    return ReviewBrief(
        proposal,
        verdict,
        diff.diff(library.repository(), proposal.base, proposal.head, EVIDENCE),
        document.words("description") if document else "",
        (_size(before), _size(after)),
        (_total(before), _total(after)),
        # The files are untrusted, so another process reads them.
        tuple(worker_pool.apart(partial(_new_powers, before, after), _SECONDS)),
        tuple(n for n in near if n.name != proposal.skill),
        tuple(valid_approvals(library, proposal)),
        proposal.is_open and proposal.base != tip,
        conflicts(library, proposal),
        needed(library.policy(tip), judged),
        next_step(library, judged, verdict.passed),
        summaries(library, proposal.head, proposal.skill, proposal.examples),
    )


def next_step(library: Library, proposal: Proposal, passed: bool) -> str:
    """What has to happen for an open proposal to reach main."""
    number, policy = proposal.number, library.policy(library.tip)
    count = needed(policy, proposal)
    again = f"skillforge review {number}"
    if not proposal.is_open:
        return ""
    if proposal.base != library.tip:
        return (
            f"{library.main} has moved: {proposal.author} runs skillforge refresh "
            f"{number}; a refresh makes its user an author, who can't approve it"
        )
    if proposal.is_draft:
        return "it is a draft: propose it again without --draft when it is ready"
    if not passed:
        return f"{again} --reject --why TEXT; a better draft can be proposed"
    if count > len(valid_approvals(library, proposal)):
        who = f"by someone other than {proposal.author}"
        if count > policy.approvals:
            who += " (one more than usual because of the scan verdict caution)"
        return f"{again} --approve, {who}; or {again} --reject --why TEXT"
    return f"skillforge promote {number}"


def needed(policy: Policy, proposal: Proposal) -> int:
    """How many approvals a proposal needs: one more if the scan asks for caution."""
    verdict = proposal.verdict if _is_current(proposal) else None
    return policy.approvals + (verdict is not None and verdict.danger is Danger.CAUTION)


def conflicts(library: Library, proposal: Proposal) -> bool | None:
    """Whether an open proposal conflicts with main; None if it is closed."""
    if not proposal.is_open:
        return None
    repo, tip = library.repository(), library.tip
    paths = [library.path_of(name) for name in proposal.skills]
    before, now = (
        repo.names_of([f"{commit}:{path}" for path in paths])
        for commit in (proposal.base, tip)
    )
    if before == now and proposal.action is not Action.WAIVE:
        return False
    try:
        merged_tree(library, proposal, tip)
    except (ConflictError, ToolError):
        return True
    return False


def merged_tree(library: Library, proposal: Proposal, tip: str) -> str:
    """The tree of a proposal rebased onto another commit of main.

    A skill that main has removed or renamed is a conflict: git would apply the change
    to another folder that is similar.
    """
    repo = library.repository()
    for name in proposal.skills:
        path = library.path_of(name)
        before, now, new = repo.names_of(
            [f"{commit}:{path}" for commit in (proposal.base, tip, proposal.head)]
        )
        if before and not now and new not in ("", before):
            raise ConflictError(f"{library.main} has removed or renamed {path}")
        if proposal.action is Action.ARCHIVE and before != now:
            raise ConflictError(f"{library.main} has changed {path} since")
    return diff.merged_tree(repo, tip, proposal.head)


def check(workspace: Workspace, proposal: Proposal) -> Proposal:
    """Run the gate on a proposal and store the verdict."""
    require_open(proposal)
    verdict = gate.judge(workspace.library, Candidate.of(proposal))
    return workspace.forge.record_verdict(proposal, verdict, workspace.by)


def is_refused(proposal: Proposal) -> bool:
    """Whether the gate refused exactly what the branch contains now."""
    verdict = proposal.verdict
    if verdict is None:
        return proposal.ci is Status.FAILED
    return _is_current(proposal) and not verdict.passed


def _is_current(proposal: Proposal) -> bool:
    verdict = proposal.verdict
    judged = verdict and (verdict.head, verdict.base)
    return judged == (proposal.head, proposal.base)


def _size(skill: Skill | None) -> int:
    file = skill.files.get(SKILL_FILE) if skill else None
    return file.size if file else 0


def _total(skill: Skill | None) -> int:
    return sum(file.size for file in skill.files.values()) if skill else 0


def _new_powers(before: Skill | None, after: Skill | None) -> list[str]:
    """The capabilities that a skill did not have before."""
    known = set(able(before).named()) if before else set()
    powers = able(after).named() if after else ()
    return [power for power in powers if power not in known]


def approve(workspace: Workspace, number: int, head: str = "") -> Proposal:
    """Approve exactly these bytes; authors can't approve their own proposal.

    `head` is the commit that the reviewer has read. It is required if the branch was
    changed by hand: its content may not be what was shown.
    """
    library, forge, by = workspace.library, workspace.forge, workspace.reviewer
    with forge.exclusive():
        proposal = get_open(forge, number)
        library.policy(proposal.base)  # an unreadable policy stops everything
        library.repository().verify(proposal.head, proposal.base)
        is_made = proposal.head == proposal.made
        if not (proposal.head.startswith(head) if head else is_made):
            raise ConflictError(
                f"the branch of proposal {number} contains {proposal.head[:12]}, not "
                f"{(head or proposal.made)[:12]}",
                hint=f"read it: skillforge review {number}; then approve just that: "
                f"skillforge review {number} --approve --head {proposal.head[:12]}",
            )
        if identity.is_any(str(by), authors(library, proposal)):
            raise ConflictError(
                f"{by} is an author of proposal {number} and can't approve it",
                hint="ask someone else"
                + (
                    "; `--as 'Name <mail>'` names the reviewer"
                    if forge.is_local
                    else ""
                ),
            )
        return forge.approve(proposal, _approval(library, proposal, by), by)


def _approval(library: Library, proposal: Proposal, by: Signature) -> Approval:
    repo = library.repository()
    return Approval(
        trailers.one_line(str(by)),
        proposal.head,
        repo.name_of(f"{proposal.head}^{{tree}}"),
        proposal.base,
        repo.name_of(f"{proposal.head}:{EVIDENCE}/{proposal.skill}"),
        by.seconds,
    )


def reject(workspace: Workspace, number: int, why: str) -> Proposal:
    """Close a proposal; its author can read why."""
    if not why.strip():
        raise RequestError("a rejection needs a reason", hint="--why TEXT")
    return close(workspace, number, f"rejected: {why}")


def close(workspace: Workspace, number: int, why: str) -> Proposal:
    """Close an open proposal without merging it."""
    forge, by = workspace.forge, workspace.by
    comment = Comment(str(by), why, by.seconds)
    return forge.close(get_open(forge, number), State.CLOSED, comment, by)


def comment(workspace: Workspace, number: int, text: str) -> Proposal:
    forge, by = workspace.forge, workspace.by
    return forge.comment(
        get_open(forge, number), Comment(str(by), text, by.seconds), by
    )


def get_open(forge: Forge, number: int) -> Proposal:
    """A proposal that is not decided yet."""
    proposal = forge.get(number)
    require_open(proposal)
    return proposal


def require_open(proposal: Proposal) -> None:
    if not proposal.is_open:
        raise ConflictError(
            f"proposal {proposal.number} is already {proposal.state}",
            hint="skillforge proposals lists those that are open",
        )


def authors(library: Library, proposal: Proposal) -> list[str]:
    """Everyone who contributed to what a proposal's branch contains."""
    people = [proposal.author, *proposal.makers]
    for commit in library.repository().log(f"{proposal.base}..{proposal.head}"):
        named = trailers.read(commit.message).get("Proposed-By", ())
        people += [commit.author, commit.committer, *named]
    return people


def valid_approvals(library: Library, proposal: Proposal) -> list[Approval]:
    """The approvals of exactly these bytes, one for each reviewer."""
    people = authors(library, proposal)
    valid: list[Approval] = []
    exact = _approval(library, proposal, Signature("", "", "0 +0000"))
    for approval in proposal.approvals:
        if approval[1:5] == exact[1:5] and not identity.is_any(approval.by, people):
            valid.append(approval)
            people.append(approval.by)
    return valid
