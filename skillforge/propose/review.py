"""What a reviewer needs to decide, and what the reviewer decides."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from skillforge.checks.overlap import Neighbour, neighbours
from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Forge
from skillforge.gitrepo.writing import Who
from skillforge.library import Library
from skillforge.model import (
    SKILL_FILE,
    Approval,
    Comment,
    Kind,
    Proposal,
    Skill,
    State,
    Verdict,
)
from skillforge.propose import gate, people, trailers
from skillforge.propose.drafts import EVIDENCE

_NETWORK = re.compile(
    rb"\bhttps?://[\w.-]+|\b(?:curl|wget|ssh|scp|rsync|ftp|nc|urllib|requests|httpx|"
    rb"aiohttp|socket|fetch|websocket)\b"
)
_SCRIPT = re.compile(r".*\.(?:py|sh|bash|zsh|js|mjs|ts|rb|pl|ps1|bat|lua|go)")


@dataclass(frozen=True, slots=True)
class Brief:
    """A proposal with all that bears on it."""

    proposal: Proposal
    verdict: Verdict
    diff: str
    description: str
    sizes: tuple[int, int]  # bytes of SKILL.md, before and after
    powers: tuple[str, ...]  # that it asks for and had not before
    neighbours: tuple[Neighbour, ...]
    standing: tuple[Approval, ...]  # approvals of exactly this


def brief(library: Library, forge: Forge, number: int, by: Who) -> Brief:
    """Gather what is known of a proposal; runs the gate if it has not judged this."""
    proposal = forge.get(number)
    if proposal.is_open and not _is_current(proposal):
        proposal = check(library, forge, proposal, by)
    verdict = proposal.verdict or Verdict(proposal.head, proposal.base, "", "")
    now = library.skill_at(proposal.head, proposal.skill)
    was = library.skill_at(proposal.base, proposal.skill)
    document = now.document if now else None
    near = neighbours(library, proposal.base, document) if document else []
    return Brief(
        proposal,
        verdict,
        library.repository().diff(proposal.base, proposal.head),
        document.words("description") if document else "",
        (_size(was), _size(now)),
        tuple(sorted(_powers(now) - _powers(was))),
        tuple(n for n in near if n.name != proposal.skill),
        tuple(standing(library, proposal)),
    )


def check(library: Library, forge: Forge, proposal: Proposal, by: Who) -> Proposal:
    """Run the gate on a proposal and store what it says."""
    if not proposal.is_open:
        raise ConflictError(
            f"proposal {proposal.number} is {proposal.state}",
            hint="skillforge proposals lists those that are open",
        )
    return forge.judge(proposal, gate.judge(library, gate.Case.of(proposal)), by)


def _is_current(proposal: Proposal) -> bool:
    verdict = proposal.verdict
    seen = verdict and (verdict.head, verdict.base)
    return seen == (proposal.head, proposal.base)


def _size(skill: Skill | None) -> int:
    file = skill.files.get(SKILL_FILE) if skill else None
    return file.size if file else 0


def _powers(skill: Skill | None) -> set[str]:
    """What a skill makes an agent able to do: run scripts, use tools, reach out."""
    return set(_named_powers(skill)) if skill else set()


def _named_powers(skill: Skill) -> Iterator[str]:
    if skill.document:
        for tool in skill.document.words("allowed-tools").split():
            yield f"tool {tool}"
    for path, file in skill.files.items():
        if file.kind is Kind.EXECUTABLE or _SCRIPT.fullmatch(path):
            yield f"script {path}"
        if file.kind in (Kind.FILE, Kind.EXECUTABLE):
            for word in set(_NETWORK.findall(skill.read(path))):
                yield f"network {word.decode()}"


def approve(library: Library, forge: Forge, number: int, by: Who) -> Proposal:
    """Say yes to exactly these bytes; never to one's own."""
    with forge.alone():
        proposal = _open(forge, number)
        if people.is_any(str(by), authors(library, proposal)):
            raise ConflictError(
                f"{by} made proposal {number} and cannot approve it",
                hint="ask somebody else; `--as 'Name <mail>'` says who reviews",
            )
        return forge.approve(proposal, _approval(library, proposal, by), by)


def _approval(library: Library, proposal: Proposal, by: Who) -> Approval:
    repo = library.repository()
    return Approval(
        trailers.one_line(str(by)),
        proposal.head,
        repo.name_of(f"{proposal.head}^{{tree}}"),
        proposal.base,
        repo.name_of(f"{proposal.head}:{EVIDENCE}/{proposal.skill}"),
        by.seconds,
    )


def reject(forge: Forge, number: int, why: str, by: Who) -> Proposal:
    """Say no: the proposal is closed, and its author can read why."""
    if not why.strip():
        raise RequestError("a rejection needs a reason", hint="--why TEXT")
    proposal = _open(forge, number)
    comment = Comment(str(by), f"rejected: {why}", by.seconds)
    return forge.close(proposal, State.CLOSED, comment, by)


def remark(forge: Forge, number: int, text: str, by: Who) -> Proposal:
    comment = Comment(str(by), text, by.seconds)
    return forge.comment(_open(forge, number), comment, by)


def _open(forge: Forge, number: int) -> Proposal:
    proposal = forge.get(number)
    if not proposal.is_open:
        raise ConflictError(
            f"proposal {number} is {proposal.state}",
            hint="skillforge proposals lists those that are open",
        )
    return proposal


def authors(library: Library, proposal: Proposal) -> list[str]:
    """Everybody who had a hand in what a proposal's branch holds."""
    found = [proposal.author]
    span = f"{proposal.base}..{proposal.head}"
    for commit in library.repository().log(span):
        said = trailers.read(commit.message)
        found += [commit.author, commit.committer, *said.get("Proposed-By", ())]
    return found


def standing(library: Library, proposal: Proposal) -> list[Approval]:
    """The approvals that hold for what is there now, each reviewer counted once."""
    by_authors = authors(library, proposal)
    found: list[Approval] = []
    for approval in proposal.approvals:
        exact = _approval(library, proposal, Who("", "", "0 +0000"))
        is_exact = approval[1:5] == exact[1:5]
        others = [a.by for a in found]
        if is_exact and not people.is_any(approval.by, (*by_authors, *others)):
            found.append(approval)
    return found
