"""Put a draft on its own branch and open a proposal to merge it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from skillforge.checks import Ruleset
from skillforge.checks.overlap import IDENTICAL, neighbours
from skillforge.checks.run import check_skills
from skillforge.config import Policy
from skillforge.document import MAX_BYTES, parse, too_large
from skillforge.errors import ConflictError, RequestError
from skillforge.forge import Forge
from skillforge.gitrepo.objects import blob_name
from skillforge.gitrepo.writing import NewCommit, Put, Who
from skillforge.library import SKILLS, Library
from skillforge.model import (
    SKILL_FILE,
    Action,
    Comment,
    Document,
    Draft,
    File,
    Kind,
    Proposal,
    Report,
    Skill,
    State,
)
from skillforge.propose import trailers, versions
from skillforge.propose.drafts import EVIDENCE

DAY = 86_400
FREE_GROWTH = 1000  # bytes that any SKILL.md may grow by: a small one has to
_TITLES = {
    Action.CREATE: "Add",
    Action.EDIT: "Edit",
    Action.DELETE: "Remove",
    Action.ROLLBACK: "Roll back",
    Action.CONSOLIDATE: "Consolidate into",
    Action.ARCHIVE: "Archive",
}


@dataclass(frozen=True, slots=True)
class Request:
    """A draft, and how it is to be proposed."""

    draft: Draft
    bump: str | None = None
    is_draft: bool = False
    supersede: bool = False


class Outcome(NamedTuple):
    """What became of a request: a proposal, or the findings that forbid one."""

    report: Report
    proposal: Proposal | None = None
    created: bool = False


@dataclass(frozen=True, slots=True)
class _Ready:
    """A draft as it will be committed, and what it is committed on."""

    request: Request
    draft: Draft  # its files are stamped with their version
    digest: str  # of the draft as it was given
    action: Action
    base: str
    policy: Policy


def propose(
    library: Library, forge: Forge, requests: list[Request], by: Who
) -> list[Outcome]:
    """Open a proposal for each draft, if all of them are fine; else for none.

    Safe to repeat, also after a crash: a draft is known by its bytes, so the same draft
    finds its proposal again.
    """
    base = library.repository().ref(f"refs/heads/{library.main}")
    policy = library.policy(base)
    ready = [_prepare(library, base, policy, request) for request in requests]
    reports = [_validate(one) for one in ready]
    if not all(report.ok for report in reports):
        return [Outcome(report) for report in reports]
    for one in ready:
        _refuse_growth(library, one)
        _refuse_double(library, one)
    return [
        _open(library, forge, one, report, by)
        for one, report in zip(ready, reports, strict=True)
    ]


def _prepare(library: Library, base: str, policy: Policy, request: Request) -> _Ready:
    draft = request.draft
    before = library.repository().find(f"{base}:{SKILLS}/{draft.skill}/{SKILL_FILE}")
    action = _action(draft, before is not None)
    stamped = draft
    if SKILL_FILE in draft.files:
        was = versions.of(before.data) if before else ""
        now = versions.of(draft.files[SKILL_FILE].data)
        version = versions.raised(was, now, request.bump)
        stamped = replace(draft, files=versions.stamped(draft.files, version))
    return _Ready(request, stamped, draft.digest, action, base, policy)


def _action(draft: Draft, exists: bool) -> Action:
    if draft.restores:
        return Action.ROLLBACK
    if draft.absorbed:
        return Action.CONSOLIDATE
    if draft.files:
        return Action.EDIT if exists else Action.CREATE
    if exists:
        return Action.DELETE
    raise RequestError(f"there is no skill {draft.skill!r} to remove", hint="ls skills")


def _validate(ready: _Ready) -> Report:
    """What the base's rules say of a draft before anything is written."""
    draft, policy = ready.draft, ready.policy
    if not draft.files:
        return Report()
    files = {
        path: File(Kind.EXECUTABLE if it.is_executable else Kind.FILE, len(it.data))
        for path, it in draft.files.items()
    }
    document = _document(draft)
    path = f"{SKILLS}/{draft.skill}"
    skill = Skill(
        draft.skill,
        path,
        files,
        document,
        lambda inside: draft.files[inside].data,
        origin=draft.origin,
    )
    return check_skills(Ruleset(policy.profile, policy.rules), [skill])


def _document(draft: Draft) -> Document | None:
    skill_md = draft.files.get(SKILL_FILE)
    if skill_md is None:
        return None
    size = len(skill_md.data)
    return parse(skill_md.data) if size <= MAX_BYTES else too_large(size)


def _refuse_growth(library: Library, ready: _Ready) -> None:
    """A skill that only ever grows is one that nobody can follow in the end."""
    if ready.action is not Action.EDIT:
        return
    path = f"{SKILLS}/{ready.draft.skill}/{SKILL_FILE}"
    before = library.repository().find(f"{ready.base}:{path}")
    was, now = (
        len(before.data if before else b""),
        len(ready.draft.files[SKILL_FILE].data),
    )
    limit = ready.policy.growth_limit
    if now > was * (1 + limit / 100) and now - was > FREE_GROWTH:
        raise ConflictError(
            f"{path} would grow by {now / was - 1:.0%}, from {was:,} to {now:,} bytes; "
            f"the policy allows {limit} %",
            hint="move details to references/, or replace text instead of adding to it",
        )


def _refuse_double(library: Library, ready: _Ready) -> None:
    """One skill for one thing: a near copy becomes an edit of what is there."""
    document = _document(ready.draft)
    if document is None or ready.action not in (Action.CREATE, Action.CONSOLIDATE):
        return
    for near in neighbours(library, ready.base, document):
        is_other = near.name not in ready.draft.skills
        if is_other and near.similarity >= IDENTICAL:
            raise ConflictError(
                f"{ready.draft.skill} says {near.similarity:.0%} the same as the skill "
                f"{near.name}",
                hint=f"propose an edit of it instead: change {SKILLS}/{near.name}/ and "
                f"run `skillforge propose {near.name}`",
            )


def _open(
    library: Library, forge: Forge, ready: _Ready, report: Report, by: Who
) -> Outcome:
    def admit(waiting: list[Proposal]) -> Proposal | None:
        for proposal in waiting:
            if proposal.digest == ready.digest and proposal.skill == ready.draft.skill:
                return _again(forge, proposal, ready, by)
        if _is_on_base(library, ready):
            return _merged_before(forge, ready)
        left = _make_room(forge, waiting, ready, by)
        if len(left) >= ready.policy.open_limit:
            raise ConflictError(
                f"{len(left)} proposals are open, as many as the policy allows",
                hint="review or close some: skillforge proposals",
            )
        return None

    changes = list(_puts(ready.draft))
    commit = NewCommit([ready.base], _message(ready, by), by, changes)
    return Outcome(report, *forge.open(commit, _proposal(ready, by), by, admit))


def _again(forge: Forge, proposal: Proposal, ready: _Ready, by: Who) -> Proposal:
    """The proposal that the same draft opened before."""
    if proposal.is_draft and not ready.request.is_draft:
        return forge.ready(proposal, by)
    return forge.keep(proposal)


def _is_on_base(library: Library, ready: _Ready) -> bool:
    """Whether main holds these bytes already, but for a version that we would raise."""
    repo, draft, base = library.repository(), ready.draft, ready.base
    if not all(
        repo.name_of(f"{base}:{EVIDENCE}/{draft.skill}/{number}.json")
        for number in draft.evidence
    ):
        return False
    if draft.restores:
        return all(
            repo.name_of(f"{base}:{SKILLS}/{name}") == tree
            for name, tree in draft.restores.items()
        )
    if not draft.files or draft.absorbed:
        return False
    there = repo.files_in(f"{base}:{SKILLS}/{draft.skill}")
    given = ready.request.draft.files
    if there.keys() != given.keys():
        return False
    before = repo.find(f"{base}:{SKILLS}/{draft.skill}/{SKILL_FILE}")
    was = versions.of(before.data) if before else ""
    now = versions.of(given[SKILL_FILE].data)
    if ready.request.bump is None and was and not versions.is_higher(now, was):
        given = versions.stamped(given, was)
    return all(
        entry.object == blob_name(given[path].data, entry.object)
        and (entry.mode == "100755") == given[path].is_executable
        for path, entry in there.items()
    )


def _merged_before(forge: Forge, ready: _Ready) -> Proposal:
    """The proposal that brought these bytes to main, for one who asks a second time."""
    for proposal in reversed(forge.proposals()):
        if proposal.digest == ready.digest and proposal.state is State.MERGED:
            return proposal
    raise ConflictError(
        f"main holds {ready.draft.skill} exactly like this already",
        hint="change something first; `skillforge log "
        f"{ready.draft.skill}` shows its versions",
    )


def _make_room(
    forge: Forge, waiting: list[Proposal], ready: _Ready, by: Who
) -> list[Proposal]:
    """One open proposal for a skill: close what is too old or is to be superseded."""
    kept = []
    for proposal in waiting:
        is_old = by.seconds - proposal.opened > ready.policy.days_limit * DAY
        is_rival = not set(proposal.skills).isdisjoint(ready.draft.skills)
        if is_old and is_rival:
            words = f"older than {ready.policy.days_limit} days"
            comment = Comment(str(by), words, by.seconds)
            forge.close(proposal, State.EXPIRED, comment, by)
        elif is_rival and ready.request.supersede:
            words = f"superseded by another draft of {ready.draft.skill}"
            forge.close(proposal, State.CLOSED, Comment(str(by), words, by.seconds), by)
        elif is_rival:
            raise ConflictError(
                f"proposal {proposal.number} for {proposal.skill} is open already",
                hint=f"`skillforge review {proposal.number}` shows it; --supersede "
                "closes it in favour of this one",
            )
        elif not is_old:
            kept.append(proposal)
    return kept


def _proposal(ready: _Ready, by: Who) -> Proposal:
    draft = ready.draft
    return Proposal(
        number=0,
        skill=draft.skill,
        skills=draft.skills,
        action=ready.action,
        origin=draft.origin,
        author=str(by),
        title=_title(ready),
        why=draft.why,
        branch=f"skill/{draft.skill}/{ready.digest[:8]}",
        head="",
        base=ready.base,
        digest=ready.digest,
        opened=by.seconds,
        examples=draft.examples,
        is_draft=ready.request.is_draft,
    )


def _title(ready: _Ready) -> str:
    return f"{_TITLES[ready.action]} {ready.draft.skill}"


def _message(ready: _Ready, by: Who) -> str:
    draft = ready.draft
    gone_into = draft.skill if draft.absorbed else draft.absorbed_into
    said = [
        *(("Skill", name) for name in draft.skills),
        ("Action", ready.action),
        ("Origin", draft.origin),
        ("Proposed-By", str(by)),
        ("Draft-Digest", f"sha256:{ready.digest}"),
        *(("Example", number) for number in draft.examples),
        ("Session", draft.session),
        ("Model", draft.model),
        ("Absorbed-Into", gone_into),
        *(("Reverts", commit) for commit in draft.reverts),
    ]
    return trailers.message(_title(ready), draft.why, said)


def _puts(draft: Draft) -> Iterator[Put]:
    """The changes to the tree: each skill is replaced as a whole."""
    if not draft.restores:
        yield Put(f"{SKILLS}/{draft.skill}")
    for path, file in draft.files.items():
        mode = "100755" if file.is_executable else "100644"
        yield Put(f"{SKILLS}/{draft.skill}/{path}", file.data, mode)
    for name in draft.absorbed:
        yield Put(f"{SKILLS}/{name}")
    for name, tree in draft.restores.items():
        yield Put(f"{SKILLS}/{name}", mode="040000", object=tree)
    for number, data in draft.evidence.items():
        yield Put(f"{EVIDENCE}/{draft.skill}/{number}.json", data)
