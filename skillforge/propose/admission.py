"""Which drafts may become proposals: not too long, no near copy, one for each skill."""

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
    SKILLS,
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

_AGENTS = (Origin.AGENT_FOREGROUND, Origin.AGENT_BACKGROUND)
FREE_GROWTH = 1000  # bytes that any SKILL.md may grow by: a small one has to


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """A draft, and how it is to be proposed."""

    draft: Draft
    base: str  # main as it was when the draft was gathered
    bump: str | None = None
    is_draft: bool = False
    supersede: bool = False


@dataclass(frozen=True, slots=True)
class AdmittedDraft:
    """A draft as it will be committed, and what it is committed on."""

    request: ProposalRequest
    draft: Draft  # its files are stamped with their version
    digest: str  # of the draft as it was given, and of how its version is raised
    action: Action
    base: str
    policy: Policy
    before: bytes | None  # its SKILL.md on the base; None for a skill that is new


def refuse_together(
    waiting: list[Proposal], ready: list[AdmittedDraft], by: Signature
) -> None:
    """Stop before the first of several is opened, if one of them could not be."""
    digests = {proposal.digest for proposal in waiting}
    fresh = [one for one in ready if one.digest not in digests]
    for one in fresh:
        refuse_rivals(waiting, one, by)
    names = [name for one in ready for name in one.draft.skills]
    if len(names) > len(set(names)):
        raise RequestError(
            "two of the drafts are about the same skill", hint="name each skill once"
        )
    if fresh:
        refuse_many(waiting, fresh, by)


def refuse_many(
    waiting: list[Proposal], ready: list[AdmittedDraft], by: Signature
) -> None:
    """A cap on what reviewers have before them; what is too old does not count."""
    policy = ready[0].policy
    mine = {name for one in ready for name in one.draft.skills}
    others = (p for p in waiting if mine.isdisjoint(p.skills))
    stay = [p for p in others if not is_old(p, policy, by)]
    if len(stay) + len(ready) > policy.open_limit:
        raise ConflictError(
            f"{len(stay)} proposals are open; the policy allows {policy.open_limit}",
            hint="review or close some: skillforge proposals",
        )


def refuse_archived(library: Library, base: str, draft: Draft, action: Action) -> None:
    """A name is in use or in the archive, and what moves there is what was in use."""
    places = [f"{base}:{top}/{draft.skill}" for top in (SKILLS, ARCHIVE)]
    skill, archived = library.repository().names_of(places)
    is_there = (skill, archived) == ("", draft.archives)
    is_more = bool(draft.files or draft.evidence or draft.absorbed)
    if action is Action.ARCHIVE and (
        is_more or draft.archives not in (skill, archived)
    ):
        raise ConflictError(
            f"{draft.skill} moves to the archive as it is on main, or not at all",
            hint=f"skillforge log {draft.skill} shows its versions",
        )
    is_new = action is Action.ARCHIVE or (bool(draft.files) and not skill)
    if archived and is_new and not is_there:
        raise ConflictError(
            f"the archive holds a skill {draft.skill}",
            hint="bring that one back, and edit it: skillforge curate --restore "
            f"{draft.skill} --propose",
        )


def refuse_growth(ready: AdmittedDraft) -> None:
    """A skill that only ever grows is one that nobody can follow in the end."""
    after = ready.draft.files.get(SKILL_FILE)
    if ready.action is not Action.EDIT or not ready.before or not after:
        return
    path = f"{SKILLS}/{ready.draft.skill}/{SKILL_FILE}"
    was, now = len(ready.before), len(after.data)
    limit = ready.policy.growth_limit
    if now > was * (1 + limit / 100) and now - was > FREE_GROWTH:
        raise ConflictError(
            f"{path} would grow by {now / was - 1:.0%}, from {was:,} to {now:,} bytes; "
            f"the policy allows {limit}%",
            hint=f"{FREE_GROWTH:,} bytes are free; move details to references/, or "
            "replace text instead of adding to it",
        )


def refuse_double(library: Library, ready: AdmittedDraft) -> None:
    """One skill for one thing: a near copy becomes an edit of what is there."""
    document = draft_document(ready.draft)
    if document is None or ready.action not in (Action.CREATE, Action.CONSOLIDATE):
        return
    for near in neighbours(library, ready.base, document):
        is_other = near.name not in ready.draft.skills
        if is_other and near.similarity >= IDENTICAL:
            raise ConflictError(
                f"{ready.draft.skill} says {near.similarity:.0%} the same as the skill "
                f"{near.name}",
                hint=f"propose an edit of it instead: change {SKILLS}/{near.name}/ and "
                f"run `skillforge propose {near.name}`; to rename it, send a batch of "
                f"create, and delete with absorbed_into: {ready.draft.skill}",
                facts={"skill": near.name, "similarity": round(near.similarity, 3)},
            )


def is_old(proposal: Proposal, policy: Policy, by: Signature) -> bool:
    return by.seconds - proposal.opened > policy.days_limit * DAY


def _rivals(waiting: list[Proposal], ready: AdmittedDraft) -> list[Proposal]:
    """Open proposals about a skill that a draft touches."""
    mine = set(ready.draft.skills)
    return [proposal for proposal in waiting if not mine.isdisjoint(proposal.skills)]


def refuse_rivals(waiting: list[Proposal], ready: AdmittedDraft, by: Signature) -> None:
    """One open proposal for a skill, unless it is too old or is to be superseded."""
    for rival in _rivals(waiting, ready):
        may_replace = _is_replaceable(rival, ready)
        if is_old(rival, ready.policy, by) or (ready.request.supersede and may_replace):
            continue
        how = "--supersede closes it in favour of this one"
        raise ConflictError(
            f"proposal {rival.number} for {rival.skill} is open already",
            hint=f"`skillforge review {rival.number}` shows it; "
            + (how if may_replace else "it is a person's, and not an agent's to close"),
            facts={"proposal": rival.number, "skill": rival.skill},
        )


def _is_replaceable(rival: Proposal, ready: AdmittedDraft) -> bool:
    """Whether a draft may take the place of a proposal: an agent's, of agents' only."""
    return ready.draft.origin not in _AGENTS or is_of_agent(rival.origin)


def replaced_rivals(
    waiting: list[Proposal], ready: AdmittedDraft, by: Signature
) -> Iterator[Closing]:
    """Proposals for the same skill to close: expired, or superseded by this draft."""
    for rival in _rivals(waiting, ready):
        expired = is_old(rival, ready.policy, by)
        why = f"superseded by another draft of {ready.draft.skill}"
        why = f"older than {ready.policy.days_limit} days" if expired else why
        state = State.EXPIRED if expired else State.CLOSED
        yield Closing(rival, state, Comment(str(by), why, by.seconds))
