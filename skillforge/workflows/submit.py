"""Propose drafts: of the checkout, of folders, or of a JSON batch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from skillforge.model import Draft, Proposal, Report
from skillforge.propose import draft_source, operations
from skillforge.propose import submit as submissions
from skillforge.propose.admission import ProposalRequest
from skillforge.propose.proposal_request import ProposalOptions, request
from skillforge.propose.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SubmissionBatch:
    """The proposals that were opened for drafts, or the findings that prevented it."""

    report: Report
    opened: tuple[tuple[Proposal, bool], ...]  # each with whether it is new
    left_out: tuple[str, ...] = ()  # files that git ignores
    note: str = ""  # a remark of the forge

    @property
    def ok(self) -> bool:
        return bool(self.opened)


def submit(
    workspace: Workspace,
    requests: Iterable[ProposalRequest],
    left_out: tuple[str, ...] = (),
) -> SubmissionBatch:
    """Open a proposal for each request, or for none if one of them isn't valid."""
    outcomes = submissions.propose(
        workspace.library, workspace.forge, list(requests), workspace.by
    )
    opened = ((one.proposal, one.created) for one in outcomes)
    return SubmissionBatch(
        Report.joined(outcome.report for outcome in outcomes),
        tuple((proposal, new) for proposal, new in opened if proposal is not None),
        left_out,
        workspace.forge.note,
    )


def submit_drafts(
    workspace: Workspace, drafts: list[Draft], options: ProposalOptions
) -> SubmissionBatch:
    """Open a proposal for each draft, with the same options."""
    ignored = (f"{draft.skill}/{path}" for draft in drafts for path in draft.left_out)
    requests = [request(workspace, draft, options) for draft in drafts]
    return submit(workspace, requests, tuple(ignored))


def batch_draft(workspace: Workspace, text: str) -> tuple[Draft, Mapping[str, Any]]:
    """The draft that a JSON batch of operations makes, and the batch's own options."""
    batch, options = operations.read_batch(text)
    return operations.draft_of(workspace.library, workspace.base, batch), options


def removals(targets: Iterable[str]) -> list[Draft]:
    """Drafts that remove skills."""
    names = [target.rstrip("/").removeprefix("skills/") for target in targets]
    for name in names:
        draft_source.refuse_paths(name, {})
    return [Draft(name) for name in dict.fromkeys(names)]
