"""Propose drafts: from the checkout, from folders, or from a JSON batch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from skillforge.library import Library
from skillforge.model import Draft, Proposal, Report
from skillforge.propose import draft_source, operations
from skillforge.propose.operations import Operation
from skillforge.propose.proposal_request import ProposalOptions as ProposalOptions
from skillforge.propose.proposal_request import ProposalRequest, request
from skillforge.propose.submit import Submission, propose
from skillforge.propose.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SubmissionBatch:
    """What became of each draft: a proposal, or the findings that prevented it."""

    submissions: tuple[Submission, ...]
    left_out: tuple[str, ...] = ()  # files that git ignores
    note: str = ""  # a remark of the forge

    @property
    def report(self) -> Report:
        return Report.joined(submission.report for submission in self.submissions)

    @property
    def opened(self) -> list[tuple[Proposal, bool]]:
        """The proposals, each with whether it is new."""
        return [(s.proposal, s.created) for s in self.submissions if s.proposal]

    @property
    def ok(self) -> bool:
        return bool(self.opened)


def submit(
    workspace: Workspace,
    requests: Iterable[ProposalRequest],
    left_out: tuple[str, ...] = (),
) -> SubmissionBatch:
    """Open a proposal for each request, or for none if one of them isn't valid."""
    submissions = propose(workspace, requests)
    return SubmissionBatch(tuple(submissions), left_out, workspace.forge.note)


def submit_drafts(
    workspace: Workspace, drafts: list[Draft], options: ProposalOptions
) -> SubmissionBatch:
    """Open a proposal for each draft, with the same options."""
    ignored = (f"{draft.skill}/{path}" for draft in drafts for path in draft.left_out)
    requests = [request(workspace, draft, options) for draft in drafts]
    return submit(workspace, requests, tuple(ignored))


def folder_drafts(workspace: Workspace, targets: tuple[str, ...]) -> list[Draft]:
    """The drafts in folders: of skills in the checkout, or anywhere else."""
    return draft_source.drafts(workspace, targets)


def batch_draft(workspace: Workspace, text: str) -> tuple[Draft, Mapping[str, Any]]:
    """The draft that a JSON batch of operations makes, and the batch's own options."""
    batch, options = operations.read_batch(text)
    return operations_draft(workspace, batch), options


def parse_batch(batch: Any) -> tuple[list[Operation], dict[str, Any]]:
    """The operations and options of a batch that is parsed JSON already."""
    return operations.parse_batch(batch)


def operations_draft(workspace: Workspace, batch: Iterable[Operation]) -> Draft:
    """The draft that operations make of the skills on main."""
    return operations.draft_of(workspace.library, workspace.base, batch)


def removals(library: Library, targets: Iterable[str]) -> list[Draft]:
    """Drafts that remove skills."""
    layout = library.layout
    names = [library.full_name(target.rstrip("/")) for target in targets]
    for name in names:
        draft_source.refuse_name(layout, name)
    return [Draft(name) for name in dict.fromkeys(names)]
