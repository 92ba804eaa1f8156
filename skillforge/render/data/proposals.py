"""Proposals, verdicts and reviews as the `data` of `--json`."""

import hashlib
import json
import time
from typing import TYPE_CHECKING, NotRequired, TypedDict

from skillforge.model import CheckResult, Proposal, Verdict
from skillforge.model.time_units import DAY
from skillforge.report import FindingData, finding_data

if TYPE_CHECKING:
    from skillforge.propose.review import ReviewBrief
    from skillforge.workflows.promote import Promotion, Rollback
    from skillforge.workflows.proposals import ProposalList
    from skillforge.workflows.submit import SubmissionBatch


class CheckData(TypedDict):
    """One check of the gate."""

    name: str
    status: str
    seconds: float
    digest: str
    skills: dict[str, str]


class VerdictData(TypedDict):
    """The decision of the gate on one head and base."""

    passed: bool
    checks: list[CheckData]
    findings: list[FindingData]
    head: str
    base: str
    tree: str
    policy: str | None
    digest: str


class ProposalRow(TypedDict):
    """A proposal in a listing."""

    number: int
    skill: str
    action: str
    state: str
    author: str
    origin: str
    branch: str
    head: str
    age_days: float
    checks: str
    conflicts: bool | None
    approvals: list[str]
    draft: bool
    title: str
    skills: list[str]
    merge: str | None
    url: str


class OpenedData(TypedDict):
    """A proposal that a command opened, or found open."""

    proposal: int
    branch: str
    commit: str
    skill: str
    created: bool
    url: str
    state: str


class SubmissionData(TypedDict):
    """Drafts that were proposed. Without a proposal, the findings say why."""

    proposal: int | None
    branch: str | None
    commit: str | None
    skill: str
    created: bool
    url: str | None
    findings: list[FindingData]
    state: NotRequired[str]
    proposals: NotRequired[list[OpenedData]]
    left_out: NotRequired[list[str]]


class MergeData(OpenedData):
    """A merge into main, and the rollout that it started."""

    merge: str
    version: str | None
    left_behind: list[str]
    rollout: str | None


class RefusalData(OpenedData, VerdictData):
    """A proposal that the gate refused to merge."""

    merge: None
    version: str | None
    left_behind: list[str]


class RollbackData(OpenedData):
    """A proposal to restore a version, not merged yet."""

    merge: None
    version: str | None


class GateData(VerdictData):
    """The decision of the gate, and the proposal it is about."""

    proposal: int | None


class DecisionData(ProposalRow):
    """A proposal after an approval, a rejection, a refresh or a close."""

    proposal: int


class ProposalsData(TypedDict):
    """Proposals, and what stands in the way of reading all of them."""

    proposals: list[ProposalRow]
    expired: list[int]
    broken: list[str]


class SizeData(TypedDict):
    """A size in bytes, on main and in the draft."""

    before: int
    after: int


class NeighbourData(TypedDict):
    """A skill of main that is similar to the draft."""

    name: str
    similarity: float


class CommentData(TypedDict):
    """A comment on a proposal; `seconds` is Unix time."""

    by: str
    text: str
    seconds: int


class ReviewData(ProposalRow):
    """All that a reviewer needs to decide on a proposal."""

    stale: bool
    next: str
    proposal: int
    why: str
    examples: list[str]
    description: str
    base: str
    diff: str
    gate: VerdictData
    size: SizeData
    total_size: SizeData
    scan: str | None
    powers: list[str]
    overlap: list[NeighbourData]
    comments: list[CommentData]


def age_days(proposal: Proposal) -> float:
    return round(max(0.0, time.time() - proposal.opened) / DAY, 2)


def proposal_row(proposal: Proposal, conflicts: bool | None = None) -> ProposalRow:
    return {
        "number": proposal.number,
        "skill": proposal.skill,
        "action": proposal.action,
        "state": proposal.state,
        "author": proposal.author,
        "origin": proposal.origin,
        "branch": proposal.branch,
        "head": proposal.head,
        "age_days": age_days(proposal),
        "checks": _check_status(proposal),
        "conflicts": conflicts,
        "approvals": [a.by for a in proposal.approvals if a.head == proposal.head],
        "draft": proposal.is_draft,
        "title": proposal.title,
        "skills": list(proposal.skills),
        "merge": proposal.merge or None,
        "url": proposal.url,
    }


def _check_status(proposal: Proposal) -> str:
    """passed or failed; stale if the verdict is about another head."""
    verdict = proposal.verdict
    if verdict is None:
        return str(proposal.ci or "none")
    if verdict.head != proposal.head:
        return "stale"
    return "passed" if verdict.passed else "failed"


def opened(proposal: Proposal, created: bool) -> OpenedData:
    return {
        "proposal": proposal.number,
        "branch": proposal.branch,
        "commit": proposal.head,
        "skill": proposal.skill,
        "created": created,
        "url": proposal.url,
        "state": proposal.state,
    }


def submission(result: "SubmissionBatch") -> SubmissionData:
    """Drafts that were proposed; without a proposal, the findings say why."""
    findings = [finding_data(finding) for finding in result.report.findings]
    if not result.opened:
        names = [path.rpartition("/")[2] for path in result.report.skills]
        return {
            "proposal": None,
            "branch": None,
            "commit": None,
            "created": False,
            "skill": names[0],
            "url": None,
            "findings": findings,
        }
    rows = [opened(proposal, created) for proposal, created in result.opened]
    left_out = list(result.left_out)
    return {**rows[0], "findings": findings, "proposals": rows, "left_out": left_out}


def promotion(result: "Promotion", created: bool = False) -> MergeData | RefusalData:
    """A merge and the rollout it started, or the verdict that refused it."""
    proposal = result.proposal
    about = opened(proposal, created)
    version = result.version or None
    left_behind = [str(checkout) for checkout in result.left_behind]
    if result.merge:
        return {
            **about,
            "merge": result.merge,
            "version": version,
            "left_behind": left_behind,
            "rollout": result.rollout.id if result.rollout else None,
        }
    assert proposal.verdict is not None
    return {
        **about,
        "merge": None,
        "version": version,
        "left_behind": left_behind,
        **verdict(proposal.verdict),
    }


def rollback(result: "Rollback") -> RollbackData:
    """A proposal to restore a version, not merged yet."""
    return {
        **opened(result.proposal, result.created),
        "merge": None,
        "version": result.version or None,
    }


def decision(proposal: Proposal) -> DecisionData:
    """A proposal after an approval, a rejection, a refresh or a close."""
    return {**proposal_row(proposal), "proposal": proposal.number}


def proposals(result: "ProposalList") -> ProposalsData:
    return {
        "proposals": list(result.rows),
        "expired": [proposal.number for proposal in result.expired],
        "broken": [f"{error.message}; {error.hint}" for error in result.unreadable],
    }


def _check(verdict: Verdict, check: CheckResult) -> CheckData:
    findings = [finding_data(finding) for finding in check.findings]
    subject = [verdict.head, verdict.base, verdict.policy, check.name, check.status]
    content = json.dumps([*subject, findings])
    return {
        "name": check.name,
        "status": check.status,
        "seconds": round(check.seconds, 4),
        "digest": f"sha256:{hashlib.sha256(content.encode()).hexdigest()}",
        "skills": {name: str(status) for name, status in check.skills.items()},
    }


def verdict(verdict: Verdict) -> VerdictData:
    findings = [finding for check in verdict.checks for finding in check.findings]
    return {
        "passed": verdict.passed,
        "checks": [_check(verdict, check) for check in verdict.checks],
        "findings": [finding_data(finding) for finding in findings],
        "head": verdict.head,
        "base": verdict.base,
        "tree": verdict.tree,
        "policy": verdict.policy or None,
        "digest": f"sha256:{verdict.digest}",
    }


def review(brief: "ReviewBrief") -> ReviewData:
    before, after = brief.sizes
    total_before, total_after = brief.totals
    return {
        **proposal_row(brief.proposal, brief.conflicts),
        "stale": brief.is_stale,
        "next": brief.next_step,
        "proposal": brief.proposal.number,
        "why": brief.proposal.why,
        "examples": list(brief.proposal.examples),
        "description": brief.description,
        "base": brief.proposal.base,
        "diff": brief.diff,
        "gate": verdict(brief.verdict),
        "size": {"before": before, "after": after},
        "total_size": {"before": total_before, "after": total_after},
        "scan": brief.verdict.danger,
        "powers": list(brief.powers),
        "overlap": [
            {"name": neighbour.name, "similarity": neighbour.similarity}
            for neighbour in brief.neighbours
        ],
        "approvals": [approval.by for approval in brief.approvals],
        "comments": [
            {"by": comment.by, "text": comment.text, "seconds": comment.seconds}
            for comment in brief.proposal.comments
        ],
    }
