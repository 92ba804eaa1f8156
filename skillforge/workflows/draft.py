"""Draft a skill from a pattern: write it to the checkout, or propose it."""

from dataclasses import dataclass, replace
from enum import Enum

from skillforge.checks.overlap import Neighbour
from skillforge.learn import draft as drafts
from skillforge.learn import draft_checks, patterns, write_checkout
from skillforge.learn.draft import LearnedDraft
from skillforge.library import Library
from skillforge.model import Report
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.workspace import Workspace
from skillforge.workflows.submit import SubmissionBatch, submit


class DraftStatus(Enum):
    """How far a draft has come."""

    DRAFTED = "drafted"
    REFUSED = "refused"  # an agent rewrote it, and a check failed
    WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """A new skill's name, or the skill to edit; and an agent that may rewrite it."""

    name: str = ""
    into: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class DraftResult:
    """A draft and its checks; `is_unchanged` if an agent was asked to no effect."""

    learned: LearnedDraft
    report: Report
    folder: str  # of the skill in the library
    status: DraftStatus = DraftStatus.DRAFTED
    is_unchanged: bool = False

    @property
    def ok(self) -> bool:
        return self.report.ok

    @property
    def is_refused(self) -> bool:
        return self.status is DraftStatus.REFUSED


def draft(library: Library, pattern_id: str, options: DraftOptions) -> DraftResult:
    """Draft a skill and check it; writes nothing."""
    pattern = patterns.get(library, pattern_id)
    learned = drafts.from_pattern(library, pattern, options.name, options.into)
    if not options.agent:
        report = draft_checks.check(library, learned)
        return DraftResult(learned, report, library.path_of(learned.draft.skill))
    from skillforge.learn.agent_rewrite import rewrite

    rewritten = rewrite(learned, options.agent)
    report = draft_checks.check(library, rewritten)
    status = DraftStatus.DRAFTED if report.ok else DraftStatus.REFUSED
    is_unchanged = rewritten.draft.digest == learned.draft.digest
    folder = library.path_of(rewritten.draft.skill)
    return DraftResult(rewritten, report, folder, status, is_unchanged)


def similar_skills(library: Library, result: DraftResult) -> list[Neighbour]:
    """Skills on main that are nearly the same as a new draft."""
    return draft_checks.similar_skills(library, result.learned)


def write(library: Library, result: DraftResult) -> DraftResult:
    """Write a draft's files into the checkout; nothing there is overwritten."""
    learned = result.learned
    write_checkout.write(library, learned.draft, is_edit=learned.is_edit)
    return replace(result, status=DraftStatus.WRITTEN)


def propose(
    workspace: Workspace, result: DraftResult, why: str = ""
) -> SubmissionBatch:
    """Propose a draft without writing it to the checkout."""
    learned = result.learned.draft
    proposed = replace(learned, why=why or learned.why)
    return submit(workspace, [ProposalRequest(proposed, workspace.base)])
