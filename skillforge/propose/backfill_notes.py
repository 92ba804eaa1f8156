"""Note what a merge of ours says itself of those that people made on GitHub."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.forge import HostedForge
from skillforge.gitrepo import notes, trailers
from skillforge.gitrepo.ref_update import Signature
from skillforge.history.github_merges import BASE
from skillforge.history.steps import HistoryStep, read_steps, touches_skills
from skillforge.library import Library
from skillforge.model import Proposal
from skillforge.policy import POLICY_FILE
from skillforge.propose import gate, review
from skillforge.propose.candidate import Candidate


class NotedMerge(NamedTuple):
    """A merge that was noted: of which proposal, and what the gate said of it."""

    commit: str
    number: int
    passed: bool


def record(
    library: Library, forge: HostedForge, commits: set[str] | None, by: Signature
) -> list[NotedMerge]:
    """Note who approved what, and what the gate says, for merges that do not say so.

    `commits` are those to look at; None for all of main.
    """
    done: list[NotedMerge] = []

    def change() -> None:
        done.clear()
        found: dict[str, str] = {}
        for number, steps in _by_number(library, forge, commits).items():
            try:
                proposal = forge.get(number)
            except (RequestError, ConflictError):
                continue  # no proposal of ours: the audit names what it did
            recorded, found[recorded.commit] = _note(library, proposal, steps)
            done.append(recorded)
        if found:
            notes.write(library.repository(), found, by)

    forge.share(notes.NOTES, change)
    return done


def _by_number(
    library: Library, forge: HostedForge, commits: set[str] | None
) -> dict[int, list[HistoryStep]]:
    """The steps without a record, by the pull request that brought them."""
    found: dict[int, list[HistoryStep]] = {}
    for step in _unsaid(library):
        is_wanted = commits is None or step.name in commits
        number = forge.number_of(step.name) if is_wanted else None
        if number is not None:
            found.setdefault(number, []).append(step)
    return found


def _unsaid(library: Library) -> Iterator[HistoryStep]:
    for step in read_steps(library, library.tip):
        is_clear = step.is_promotion or step.is_exact_revert
        if touches_skills(step) and not is_clear:
            yield step


def _note(
    library: Library, proposal: Proposal, steps: list[HistoryStep]
) -> tuple[NotedMerge, str]:
    repo = library.repository()
    base = steps[0].commit.parents[0]
    candidate = replace(Candidate.of(proposal), base=base)
    verdict = gate.judge(library, candidate)
    approvals = review.standing(library, proposal)
    said = [
        ("Proposal", str(proposal.number)),
        ("Opened-By", proposal.author),
        *(("Approved-By", approval.by) for approval in approvals),
        ("Approved-Tree", repo.name_of(f"{proposal.head}^{{tree}}")),
        ("Checks-Digest", f"sha256:{verdict.digest}" if verdict.passed else ""),
        ("Scan", verdict.danger or ""),
        ("Policy", repo.name_of(f"{base}:{POLICY_FILE}") or "none"),
        (BASE, base),
    ]
    title = f"Pull request {proposal.number}, merged on GitHub"
    last = steps[-1].name
    passed = NotedMerge(last, proposal.number, verdict.passed)
    return passed, trailers.message(title, "", said)
