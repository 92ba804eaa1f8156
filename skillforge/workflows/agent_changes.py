"""Changes that agents propose, and the status of proposals as agents see it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from skillforge.model import SCAN, SKILL_FILE, Finding, Proposal, Verdict
from skillforge.propose.operations import Operation, with_full_names
from skillforge.propose.proposal_request import ProposalOptions as ProposalOptions
from skillforge.propose.submit import Submission
from skillforge.propose.workspace import Workspace
from skillforge.workflows.proposals import find_proposal
from skillforge.workflows.submit import operations_draft, parse_batch, submit_drafts


class Batch(NamedTuple):
    """Operations on one skill, and options of the proposal by name."""

    operations: list[Operation]
    options: Mapping[str, Any]


class BaseFile(NamedTuple):
    """A file of main that an operation is based on, and the tree of its skill."""

    operation: Operation
    tree: str
    path: str


def read_batch(arguments: Mapping[str, Any]) -> Batch:
    """The operations of a call, and the other arguments."""
    return Batch(*parse_batch(dict(arguments)))


def base_files(workspace: Workspace, batch: Iterable[Operation]) -> Iterator[BaseFile]:
    """The files that operations change, each with SKILL.md; not those of new skills."""
    repo = workspace.library.repository()
    created: set[str] = set()
    for operation in with_full_names(workspace.library, batch):
        name = operation.name
        tree = workspace.library.skill_tree(workspace.base, name)
        if not tree or name in created or operation.action == "create":
            created.add(name)
            continue
        path = operation["file_path"] or SKILL_FILE
        exists = bool(repo.name_of(f"{tree}:{path}"))
        for file in sorted({SKILL_FILE, path} if exists else {SKILL_FILE}):
            yield BaseFile(operation, tree, file)


def propose(
    workspace: Workspace, batch: list[Operation], options: ProposalOptions
) -> Submission:
    """Propose what a batch of operations makes of a skill."""
    draft = operations_draft(workspace, batch)
    return submit_drafts(workspace, [draft], options).submissions[0]


def checks(workspace: Workspace, proposal: Proposal) -> list[tuple[str, str]]:
    """The required checks and their status; only `validate` ran before the gate."""
    verdict = proposal.verdict
    if verdict is not None and verdict.head == proposal.head:
        return [(check.name, str(check.status)) for check in verdict.checks]
    required = workspace.library.policy(workspace.base).checks
    others = [(name, "not-run") for name in required if name != "validate"]
    return [("validate", "passed"), *others]


@dataclass(frozen=True, slots=True)
class ProposalStatus:
    """One proposal with its comments, and whether it conflicts with main."""

    proposal: Proposal
    has_conflicts: bool | None

    @property
    def verdict(self) -> Verdict | None:
        """The gate's verdict, unless the proposal was closed without a merge."""
        proposal = self.proposal
        return proposal.verdict if proposal.is_open or proposal.merge else None

    @property
    def findings(self) -> list[Finding]:
        """The findings that authors may see: the scan's would help to evade it."""
        results = self.verdict.checks if self.verdict else ()
        shown = (result for result in results if result.name != SCAN)
        return [finding for result in shown for finding in result.findings]


def status(workspace: Workspace, number: int) -> ProposalStatus:
    return ProposalStatus(*find_proposal(workspace, number))


def proposals(
    workspace: Workspace, skill: str | None, limit: int
) -> tuple[list[Proposal], int]:
    """The newest proposals, and how many there are: open ones, or all for a skill.

    Conflicts with main aren't computed: each would cost a merge.
    """
    forge = workspace.forge
    candidates = forge.proposals(only_open=not skill)
    chosen = [p for p in candidates if not skill or skill in p.skills]
    return list(forge.detailed(chosen[-limit:])), len(chosen)
