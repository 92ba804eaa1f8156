"""Write the notes that merges made on GitHub lack: who approved, what the gate says."""

from dataclasses import replace
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.forge.registry import hosted
from skillforge.gitrepo import notes, trailers
from skillforge.history.github_merges import BASE
from skillforge.history.steps import HistoryStep, read_steps, touches_skills
from skillforge.library import Library
from skillforge.model import Proposal
from skillforge.policy import POLICY_FILE
from skillforge.propose import gate, review
from skillforge.propose.candidate import Candidate
from skillforge.propose.workspace import Workspace


class NotedMerge(NamedTuple):
    """A merge with a new note: its proposal, and whether the gate passed it."""

    commit: str
    number: int
    passed: bool


def record(workspace: Workspace, commits: set[str] | None) -> list[NotedMerge]:
    """Note approvals and the gate's verdict for merges without such a record.

    `commits` limits the merges; None for all of main.
    """
    library, forge = workspace.library, hosted(workspace.forge)
    merges: list[NotedMerge] = []

    def change() -> None:
        texts: dict[str, str] = {}
        by_number: dict[int, list[HistoryStep]] = {}
        for step in _unrecorded(library, commits):
            if number := forge.number_of(step.name):
                by_number.setdefault(number, []).append(step)
        merges.clear()
        for number, steps in by_number.items():
            try:
                proposal = forge.get(number)
            except (RequestError, ConflictError):
                continue  # not one of our proposals: the audit reports its changes
            merge, texts[steps[-1].name] = _note(library, proposal, steps)
            merges.append(merge)
        if texts:
            notes.write(library.repository(), texts, workspace.by)

    forge.share(notes.NOTES, change)
    return merges


def _unrecorded(library: Library, commits: set[str] | None) -> list[HistoryStep]:
    return [
        step
        for step in read_steps(library, library.tip)
        if touches_skills(step)
        and not (step.is_promotion or step.is_exact_revert)
        and (commits is None or step.name in commits)
    ]


def _note(
    library: Library, proposal: Proposal, steps: list[HistoryStep]
) -> tuple[NotedMerge, str]:
    repo = library.repository()
    base = steps[0].commit.parents[0]
    verdict = gate.judge(library, replace(Candidate.of(proposal), base=base))
    lines = [
        ("Proposal", str(proposal.number)),
        ("Opened-By", proposal.author),
        *(("Approved-By", a.by) for a in review.valid_approvals(library, proposal)),
        ("Approved-Tree", repo.name_of(f"{proposal.head}^{{tree}}")),
        ("Checks-Digest", f"sha256:{verdict.digest}" if verdict.passed else ""),
        ("Scan", verdict.danger or ""),
        ("Policy", repo.name_of(f"{base}:{POLICY_FILE}") or "none"),
        (BASE, base),
    ]
    title = f"Pull request {proposal.number}, merged on GitHub"
    merge = NotedMerge(steps[-1].name, proposal.number, verdict.passed)
    return merge, trailers.message(title, "", lines)
