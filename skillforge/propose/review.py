"""What a reviewer needs to decide, and what the reviewer decides."""

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
    SKILLS,
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
from skillforge.propose.evidence_summary import ExampleSummary, told

_SECONDS = 60  # to read what a skill is able to do


@dataclass(frozen=True, slots=True)
class ReviewBrief:
    """A proposal with all that bears on it."""

    proposal: Proposal
    verdict: Verdict
    diff: str
    description: str
    sizes: tuple[int, int]  # bytes of SKILL.md, before and after
    totals: tuple[int, int]  # bytes of all files, before and after
    powers: tuple[str, ...]  # that it asks for and had not before
    neighbours: tuple[Neighbour, ...]
    standing: tuple[Approval, ...]  # approvals of exactly this
    is_stale: bool  # main has moved since
    conflicts: bool | None
    needed: int  # approvals
    next_step: str  # for somebody who wants it to go on; empty if it is over
    told: tuple[ExampleSummary, ...]  # by the examples that it rests on


def brief(library: Library, forge: Forge, number: int) -> ReviewBrief:
    """Gather what is known of a proposal; runs the gate if it has not judged this.

    Nothing is written: to look at a proposal changes nothing about it.
    """
    proposal = forge.get(number)
    verdict = proposal.verdict or Verdict(proposal.head, proposal.base, "", "")
    if proposal.is_open and not _is_current(proposal):
        verdict = gate.judge(library, Candidate.of(proposal))
    return gather(library, proposal, verdict)


def gather(library: Library, proposal: Proposal, verdict: Verdict) -> ReviewBrief:
    """All that bears on a proposal, with what the gate said of it."""
    tip = library.tip
    judged = replace(proposal, verdict=verdict)
    now = library.skill_at(proposal.head, proposal.skill)
    was = library.skill_at(proposal.base, proposal.skill)
    document = now.document if now else None
    near = neighbours(library, proposal.base, document) if document else []
    return ReviewBrief(
        proposal,
        verdict,
        diff.diff(library.repository(), proposal.base, proposal.head, EVIDENCE),
        document.words("description") if document else "",
        (_size(was), _size(now)),
        (_total(was), _total(now)),
        _new_powers(was, now),
        tuple(n for n in near if n.name != proposal.skill),
        tuple(standing(library, proposal)),
        proposal.is_open and proposal.base != tip,
        conflicts(library, proposal),
        needed(library.policy(tip), judged),
        next_step(library, judged, verdict.passed),
        tuple(told(library, proposal.head, proposal.skill, proposal.examples)),
    )


def next_step(library: Library, proposal: Proposal, passed: bool) -> str:
    """What has to happen for an open proposal to reach main."""
    number = proposal.number
    tip = library.tip
    missing = needed(library.policy(tip), proposal) - len(standing(library, proposal))
    again = f"skillforge review {number}"
    if not proposal.is_open:
        return ""
    if proposal.base != tip:
        return (
            f"{library.main} has moved: {proposal.author} runs skillforge refresh "
            f"{number}; whoever does has a hand in it, and cannot approve it"
        )
    if proposal.is_draft:
        return "it is a draft: propose it again without --draft when it is ready"
    if not passed:
        return f"{again} --reject --why TEXT; a better draft can be proposed"
    if missing > 0:
        who = f"by somebody other than {proposal.author}"
        if needed(library.policy(tip), proposal) > library.policy(tip).approvals:
            who += " (one more than usual: the scan asks for caution)"
        return f"{again} --approve, {who}; or {again} --reject --why TEXT"
    return f"skillforge promote {number}"


def needed(policy: Policy, proposal: Proposal) -> int:
    """How many approvals a proposal needs: one more where the scan asks for caution."""
    verdict = proposal.verdict if _is_current(proposal) else None
    is_doubtful = verdict is not None and verdict.danger is Danger.CAUTION
    return policy.approvals + is_doubtful


def conflicts(library: Library, proposal: Proposal) -> bool | None:
    """Whether an open proposal does not fit on today's main; None if it is over."""
    repo = library.repository()
    tip = library.tip
    if not proposal.is_open:
        return None
    names = [f"{SKILLS}/{name}" for name in proposal.skills]
    before = repo.names_of([f"{proposal.base}:{name}" for name in names])
    if before == repo.names_of([f"{tip}:{name}" for name in names]):
        return False
    try:
        merged(library, proposal, tip)
    except (ConflictError, ToolError):
        return True
    return False


def merged(library: Library, proposal: Proposal, tip: str) -> str:
    """The tree of a proposal on another main.

    A skill that main has removed or renamed is a conflict: git would carry the change
    over to whatever looks like it.
    """
    repo = library.repository()
    for name in proposal.skills:
        path = f"{SKILLS}/{name}"
        was, now, new = repo.names_of(
            [f"{commit}:{path}" for commit in (proposal.base, tip, proposal.head)]
        )
        if was and not now and new not in ("", was):
            raise ConflictError(f"{library.main} has removed or renamed {path}")
        if proposal.action is Action.ARCHIVE and was != now:
            raise ConflictError(f"{library.main} has changed {path} since")
    return diff.merged_tree(repo, tip, proposal.head)


def check(
    library: Library, forge: Forge, proposal: Proposal, by: Signature
) -> Proposal:
    """Run the gate on a proposal and store what it says."""
    refuse_over(proposal)
    return forge.record_verdict(
        proposal, gate.judge(library, Candidate.of(proposal)), by
    )


def is_refused(proposal: Proposal) -> bool:
    """Whether the gate has said no to exactly what the branch holds now."""
    verdict = proposal.verdict
    if verdict is None:
        return proposal.ci is Status.FAILED
    return _is_current(proposal) and not verdict.passed


def _is_current(proposal: Proposal) -> bool:
    verdict = proposal.verdict
    seen = verdict and (verdict.head, verdict.base)
    return seen == (proposal.head, proposal.base)


def _size(skill: Skill | None) -> int:
    file = skill.files.get(SKILL_FILE) if skill else None
    return file.size if file else 0


def _total(skill: Skill | None) -> int:
    return sum(file.size for file in skill.files.values()) if skill else 0


def _new_powers(was: Skill | None, now: Skill | None) -> tuple[str, ...]:
    """What a skill is able to do and was not before; read apart, as it is untrusted."""
    return tuple(worker_pool.apart(partial(_compare_powers, was, now), _SECONDS))


def _compare_powers(was: Skill | None, now: Skill | None) -> list[str]:
    before = set(able(was).named()) if was else set()
    after = able(now).named() if now else ()
    return [power for power in after if power not in before]


def approve(
    library: Library, forge: Forge, number: int, by: Signature, seen: str = ""
) -> Proposal:
    """Say yes to exactly these bytes; never to one's own.

    `seen` is the head that the reviewer has looked at. A branch that somebody changed
    by hand can be approved only so: what it holds may not be what was shown.
    """
    with forge.exclusive():
        proposal = get_open(forge, number)
        library.policy(proposal.base)  # one that cannot be read stops everything
        library.repository().verify(proposal.head, proposal.base)
        is_seen = proposal.head.startswith(seen) if seen else True
        if not is_seen or (not seen and proposal.head != proposal.made):
            raise ConflictError(
                f"the branch of proposal {number} holds {proposal.head[:12]}, not "
                f"{(seen or proposal.made)[:12]}",
                hint=f"look at it: skillforge review {number}; then approve just that: "
                f"skillforge review {number} --approve --head {proposal.head[:12]}",
            )
        if identity.is_any(str(by), authors(library, proposal)):
            raise ConflictError(
                f"{by} has a hand in proposal {number} and cannot approve it",
                hint="ask somebody else"
                + ("; `--as 'Name <mail>'` says who reviews" if forge.is_local else ""),
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


def reject(forge: Forge, number: int, why: str, by: Signature) -> Proposal:
    """Say no: the proposal is closed, and its author can read why."""
    if not why.strip():
        raise RequestError("a rejection needs a reason", hint="--why TEXT")
    proposal = get_open(forge, number)
    comment = Comment(str(by), f"rejected: {why}", by.seconds)
    return forge.close(proposal, State.CLOSED, comment, by)


def remark(forge: Forge, number: int, text: str, by: Signature) -> Proposal:
    comment = Comment(str(by), text, by.seconds)
    return forge.comment(get_open(forge, number), comment, by)


def get_open(forge: Forge, number: int) -> Proposal:
    """A proposal about which something can still be decided."""
    proposal = forge.get(number)
    refuse_over(proposal)
    return proposal


def refuse_over(proposal: Proposal) -> None:
    if not proposal.is_open:
        raise ConflictError(
            f"proposal {proposal.number} is {proposal.state} already",
            hint="skillforge proposals lists those that are open",
        )


def authors(library: Library, proposal: Proposal) -> list[str]:
    """Everybody who had a hand in what a proposal's branch holds."""
    found = [proposal.author, *proposal.makers]
    span = f"{proposal.base}..{proposal.head}"
    for commit in library.repository().log(span):
        said = trailers.read(commit.message)
        found += [commit.author, commit.committer, *said.get("Proposed-By", ())]
    return found


def standing(library: Library, proposal: Proposal) -> list[Approval]:
    """The approvals that hold for what is there now, each reviewer counted once."""
    by_authors = authors(library, proposal)
    found: list[Approval] = []
    exact = _approval(library, proposal, Signature("", "", "0 +0000"))
    for approval in proposal.approvals:
        is_exact = approval[1:5] == exact[1:5]
        others = [a.by for a in found]
        if is_exact and not identity.is_any(approval.by, (*by_authors, *others)):
            found.append(approval)
    return found
