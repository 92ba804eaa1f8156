"""Which drafts may become proposals: limits on size, duplicates and open proposals."""

from collections.abc import Iterator
from dataclasses import dataclass

from skillforge.checks.overlap import IDENTICAL, neighbours
from skillforge.document.draft_skill import draft_document
from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Closing
from skillforge.gitrepo.ref_update import Signature
from skillforge.library import Library
from skillforge.model import (
    ARCHIVE,
    SKILL_FILE,
    Action,
    Comment,
    Draft,
    Origin,
    Proposal,
    State,
    is_of_agent,
)
from skillforge.model.time_units import DAY
from skillforge.policy import Policy
from skillforge.propose.proposal_request import ProposalRequest

_AGENTS = (Origin.AGENT_FOREGROUND, Origin.AGENT_BACKGROUND)
FREE_GROWTH = 1000  # bytes that any SKILL.md may grow by, however small it is


@dataclass(frozen=True, slots=True)
class AdmittedDraft:
    """A draft as it will be committed, and what it is committed on."""

    request: ProposalRequest
    draft: Draft  # its files have their new version
    digest: str  # of the requested draft and its version bump
    action: Action
    base: str
    policy: Policy
    before: bytes | None  # its SKILL.md on the base; None for a new skill


def refuse_together(
    waiting: list[Proposal], admitted: list[AdmittedDraft], by: Signature
) -> None:
    """Raise before the first of several drafts is opened, if any can't be."""
    digests = {proposal.digest for proposal in waiting}
    new = [draft for draft in admitted if draft.digest not in digests]
    for draft in new:
        refuse_rivals(waiting, draft, by)
    names = [name for draft in admitted for name in draft.draft.skills]
    if len(names) > len(set(names)):
        raise RequestError(
            "two of the drafts change the same skill", hint="name each skill once"
        )
    if new:
        refuse_many(waiting, new, by)


def refuse_many(
    waiting: list[Proposal], admitted: list[AdmittedDraft], by: Signature
) -> None:
    """Raise if reviewers would have too much to do; expired proposals don't count."""
    policy = admitted[0].policy
    skills = {name for draft in admitted for name in draft.draft.skills}
    others = (p for p in waiting if skills.isdisjoint(p.skills))
    count = sum(not is_old(p, policy, by) for p in others)
    if count + len(admitted) > policy.open_limit:
        raise ConflictError(
            f"{count} proposals are open; the policy allows {policy.open_limit}",
            hint="review or close some: skillforge proposals",
        )


def refuse_archived(library: Library, base: str, draft: Draft, action: Action) -> None:
    """Raise if a name is both in use and archived, or archiving changes a skill."""
    folders = library.path_of(draft.skill), f"{ARCHIVE}/{draft.skill}"
    skill, archived = library.repository().names_of(
        [f"{base}:{folder}" for folder in folders]
    )
    is_done = (skill, archived) == ("", draft.archives)
    has_more = bool(draft.files or draft.evidence or draft.absorbed)
    if action is Action.ARCHIVE and (
        has_more or draft.archives not in (skill, archived)
    ):
        raise ConflictError(
            f"{draft.skill} can only be archived unchanged",
            hint=f"skillforge log {draft.skill} shows its versions",
        )
    is_new = action is Action.ARCHIVE or (bool(draft.files) and not skill)
    if archived and not is_done and not library.archived_tree(base, draft.skill):
        if action is not Action.ARCHIVE:
            return
        raise ConflictError(
            f"the archive has skills that were inside {draft.skill}",
            hint="restore them first: skillforge curate --restore NAME --propose; "
            f"git ls-tree -r --name-only {base[:12]} {folders[1]}/ lists them",
        )
    if archived and is_new and not is_done:
        raise ConflictError(
            f"the archive contains a skill {draft.skill}",
            hint="restore it, and edit it: skillforge curate --restore "
            f"{draft.skill} --propose",
        )


def refuse_growth(admitted: AdmittedDraft) -> None:
    """Raise if a SKILL.md grows by more than the policy allows in one proposal."""
    after = admitted.draft.files.get(SKILL_FILE)
    if admitted.action is not Action.EDIT or not admitted.before or not after:
        return
    was, now = len(admitted.before), len(after.data)
    limit = admitted.policy.growth_limit
    if now > was * (1 + limit / 100) and now - was > FREE_GROWTH:
        raise ConflictError(
            f"SKILL.md of {admitted.draft.skill} would grow by {now / was - 1:.0%}, "
            f"from {was:,} to {now:,} bytes; "
            f"the policy allows {limit}%",
            hint=f"growth up to {FREE_GROWTH:,} bytes is always allowed; move details "
            "to references/, or replace text instead of adding to it",
        )


def refuse_duplicate(library: Library, admitted: AdmittedDraft) -> None:
    """Raise if a new skill is a near copy of another: that should be edited."""
    draft = admitted.draft
    document = draft_document(draft)
    if document is None or admitted.action not in (Action.CREATE, Action.CONSOLIDATE):
        return
    for near in neighbours(library, admitted.base, document):
        if near.name not in draft.skills and near.similarity >= IDENTICAL:
            raise ConflictError(
                f"{draft.skill} is {near.similarity:.0%} similar to the skill "
                f"{near.name}",
                hint=f"edit that skill instead: change "
                f"{library.path_of(near.name)}/ and "
                f"run `skillforge propose {near.name}`; to rename it, send a batch of "
                f"create, and delete with absorbed_into: {draft.skill}",
                facts={"skill": near.name, "similarity": round(near.similarity, 3)},
            )


def is_old(proposal: Proposal, policy: Policy, by: Signature) -> bool:
    return by.seconds - proposal.opened > policy.days_limit * DAY


def _rivals(waiting: list[Proposal], admitted: AdmittedDraft) -> list[Proposal]:
    """Open proposals about a skill that a draft touches; a waiver doesn't touch it."""
    skills = set(admitted.draft.skills)
    is_waiver = admitted.action is Action.WAIVE
    return [
        proposal
        for proposal in waiting
        if not skills.isdisjoint(proposal.skills)
        and (proposal.action is Action.WAIVE) == is_waiver
    ]


def refuse_rivals(
    waiting: list[Proposal], admitted: AdmittedDraft, by: Signature
) -> None:
    """Raise if a skill has an open proposal, unless it expired or is superseded."""
    for rival in _rivals(waiting, admitted):
        # An agent may replace the proposals of agents, but not those of people.
        may_replace = admitted.draft.origin not in _AGENTS or is_of_agent(rival.origin)
        is_replaced = admitted.request.supersede and may_replace
        if is_replaced or is_old(rival, admitted.policy, by):
            continue
        how = "--supersede closes it in favour of this one"
        raise ConflictError(
            f"proposal {rival.number} for {rival.skill} is already open",
            hint=f"`skillforge review {rival.number}` shows it; "
            + (how if may_replace else "a person made it, so an agent can't close it"),
            facts={"proposal": rival.number, "skill": rival.skill},
        )


def replaced_rivals(
    waiting: list[Proposal], admitted: AdmittedDraft, by: Signature
) -> Iterator[Closing]:
    """Proposals for the same skill to close: expired, or superseded by this draft."""
    for rival in _rivals(waiting, admitted):
        state, why = State.CLOSED, "superseded by another draft of "
        why += admitted.draft.skill
        if is_old(rival, admitted.policy, by):
            state, why = State.EXPIRED, f"older than {admitted.policy.days_limit} days"
        yield Closing(rival, state, Comment(str(by), why, by.seconds))
