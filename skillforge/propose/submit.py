"""Put a draft on its own branch and open a proposal to merge it."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from skillforge.checks import Ruleset
from skillforge.checks.runner import check_skills
from skillforge.document.draft_skill import draft_skill
from skillforge.errors import ConflictError
from skillforge.forge import Batch, Forge, ReviewPage
from skillforge.gitrepo import GitRepo, trailers
from skillforge.gitrepo.object_reader import blob_name
from skillforge.gitrepo.ref_update import NewCommit, Signature, TreeChange
from skillforge.history import readable_version
from skillforge.library import Library, no_such_skill
from skillforge.model import (
    ARCHIVE,
    EVIDENCE,
    SKILL_FILE,
    SKILLS,
    Action,
    Draft,
    DraftFile,
    Proposal,
    Report,
)
from skillforge.propose import admission
from skillforge.propose.admission import AdmittedDraft, ProposalRequest

_TITLES = {
    Action.CREATE: "Add",
    Action.EDIT: "Edit",
    Action.DELETE: "Remove",
    Action.ROLLBACK: "Roll back",
    Action.CONSOLIDATE: "Consolidate into",
    Action.ARCHIVE: "Archive",
}


class Submission(NamedTuple):
    """What became of a request: a proposal, or the findings that forbid one."""

    report: Report
    proposal: Proposal | None = None
    created: bool = False


def propose(
    library: Library, forge: Forge, requests: list[ProposalRequest], by: Signature
) -> list[Submission]:
    """Open a proposal for each draft, if all of them are fine; else for none.

    Safe to repeat, also after a crash: a draft is known by its bytes, so the same draft
    finds its proposal again.
    """
    ready = [_prepare(library, request) for request in requests]
    reports = [_validate(one) for one in ready]
    if not all(report.ok for report in reports):
        return [Submission(report) for report in reports]
    ready = [_stamped(one) for one in ready]
    for one in ready:
        admission.refuse_growth(one)
        admission.refuse_double(library, one)
    both = list(zip(ready, reports, strict=True))
    with forge.batch() as batch:
        if len(both) > 1:
            both = [pair for pair in both if not _is_on_base(library, pair[0])] or both
            waiting = batch.blocking_proposals()
            admission.refuse_together(waiting, [one for one, _ in both], by)
        submissions = [
            _open(library, forge, batch, one, report, by) for one, report in both
        ]
    for submission in submissions:
        if submission.proposal and submission.proposal.is_open:
            forge.describe(submission.proposal, partial(_page, library, forge))
    return submissions


def _prepare(library: Library, request: ProposalRequest) -> AdmittedDraft:
    draft, base = request.draft, request.base
    before = library.repository().find(f"{base}:{SKILLS}/{draft.skill}/{SKILL_FILE}")
    action = _action(library, draft, before is not None)
    admission.refuse_archived(library, base, draft, action)
    digest = draft.digest
    if request.bump:
        digest = hashlib.sha256(f"{digest} {request.bump}".encode()).hexdigest()
    fresh = replace(draft, evidence=_new_evidence(library, base, draft))
    policy, data = library.policy(base), before.data if before else None
    return AdmittedDraft(request, fresh, digest, action, base, policy, data)


def _new_evidence(library: Library, base: str, draft: Draft) -> dict[str, bytes]:
    """Example files that main does not hold yet; none may differ from what it holds."""
    fresh: dict[str, bytes] = {}
    for number, data in draft.evidence.items():
        path = f"{EVIDENCE}/{draft.skill}/{number}.json"
        there = library.repository().find(f"{base}:{path}")
        if there is None:
            fresh[number] = data
        elif there.data != data:
            raise ConflictError(
                f"{library.main} holds another {path}: evidence is added to, never "
                "changed",
                hint="give the new example an id of its own",
            )
    return fresh


def _stamped(ready: AdmittedDraft) -> AdmittedDraft:
    """The same with the version raised, once its document is known to be sound."""
    draft = ready.draft
    if SKILL_FILE not in draft.files:
        return ready
    was = readable_version.of(ready.before) if ready.before is not None else ""
    now = readable_version.of(draft.files[SKILL_FILE].data)
    version = readable_version.raised(was, now, ready.request.bump)
    stamped = readable_version.with_version(draft.files, version)
    return replace(ready, draft=replace(draft, files=stamped))


def _action(library: Library, draft: Draft, exists: bool) -> Action:
    if draft.restores:
        return Action.ROLLBACK
    if draft.archives:
        return Action.ARCHIVE
    if draft.absorbed:
        return Action.CONSOLIDATE
    if draft.files:
        return Action.EDIT if exists else Action.CREATE
    if exists:
        return Action.DELETE
    raise no_such_skill(draft.skill, (), library.main)


def _validate(ready: AdmittedDraft) -> Report:
    """What the base's rules say of a draft before anything is written."""
    draft, policy = ready.draft, ready.policy
    if not draft.files:
        return Report()
    return check_skills(Ruleset(policy.profile, policy.rules), [draft_skill(draft)])


def _open(  # noqa: PLR0913, PLR0917 - what a submission is made from
    library: Library,
    forge: Forge,
    batch: Batch,
    ready: AdmittedDraft,
    report: Report,
    by: Signature,
) -> Submission:
    waiting = batch.blocking_proposals()
    if existing := _existing(library, forge, waiting, ready):
        opened, created = existing, False
    else:
        admission.refuse_rivals(waiting, ready, by)
        admission.refuse_many(waiting, [ready], by)
        replaced = tuple(admission.replaced_rivals(waiting, ready, by))
        proposal = _proposal(ready, by)
        changes = list(_puts(ready.draft))
        commit = NewCommit([ready.base], proposal.message, by, changes)
        opened, created = batch.open(commit, proposal, by, replaced)
    if opened.is_open and not created:
        opened = _again(forge, opened, ready, by)
    return Submission(report, opened, created)


def _existing(
    library: Library, forge: Forge, waiting: list[Proposal], ready: AdmittedDraft
) -> Proposal | None:
    """The proposal of the same draft: an open one, or the one that main contains."""
    for proposal in waiting:
        key = (proposal.digest, proposal.skill)
        is_same = key == (ready.digest, ready.draft.skill)
        # On a shared forge, anyone may claim to propose this draft.
        if is_same and (forge.is_local or _holds(library, proposal.head, ready)):
            return proposal
    if _is_on_base(library, ready):
        return _merged_before(library, forge, ready)
    return None


def _page(library: Library, forge: Forge, proposal: Proposal) -> ReviewPage:
    from skillforge.propose import (
        review_page,  # all checks, for a forge that shows pages
    )

    return review_page.of(library, forge, proposal)


def _again(
    forge: Forge, proposal: Proposal, ready: AdmittedDraft, by: Signature
) -> Proposal:
    """The proposal that the same draft opened before."""
    if proposal.is_draft and not ready.request.is_draft:
        return forge.mark_ready(proposal, by)
    return forge.ensure_branch(proposal)


def _is_on_base(library: Library, ready: AdmittedDraft) -> bool:
    """Whether main holds these bytes already, but for a version that we would raise."""
    repo, draft, base = library.repository(), ready.draft, ready.base
    if draft.evidence:
        return False
    if draft.restores:
        return all(
            library.skill_tree(base, name) == tree
            for name, tree in draft.restores.items()
        )
    if draft.archives:
        return _is_moved(repo, base, draft)
    if not draft.files or draft.absorbed or ready.before is None:
        return False
    given = ready.request.draft.files
    if ready.request.bump is None:
        was, now = (
            readable_version.of(it) for it in (ready.before, given[SKILL_FILE].data)
        )
        if was and not readable_version.is_higher(now, was):
            given = readable_version.with_version(given, was)
    return _holds_files(repo, f"{base}:{SKILLS}/{draft.skill}", given)


def _holds(library: Library, head: str, ready: AdmittedDraft) -> bool:
    """Whether a commit holds a draft's bytes, and not only claims to."""
    repo, draft = library.repository(), ready.draft
    evidence = library.evidence_at(head, draft.skill)
    wanted = dict.fromkeys(draft.absorbed, "") | dict(draft.restores)
    names = [f"{head}:{SKILLS}/{name}" for name in wanted]
    is_else_there = repo.names_of(names) == list(wanted.values())
    if not is_else_there or draft.evidence.items() - evidence.items():
        return False
    if draft.archives:
        return _is_moved(repo, head, draft)
    folder = f"{head}:{SKILLS}/{draft.skill}"
    if draft.restores or not draft.files:
        return bool(draft.restores) or not repo.name_of(folder)
    skill_md = repo.find(f"{folder}/{SKILL_FILE}")
    version = readable_version.of(skill_md.data) if skill_md else ""
    return _holds_files(
        repo, folder, readable_version.with_version(draft.files, version)
    )


def _is_moved(repo: GitRepo, commit: str, draft: Draft) -> bool:
    """Whether a commit holds a skill in its archive, and there alone."""
    places = [f"{commit}:{top}/{draft.skill}" for top in (SKILLS, ARCHIVE)]
    return repo.names_of(places) == ["", draft.archives]


def _holds_files(repo: GitRepo, folder: str, given: Mapping[str, DraftFile]) -> bool:
    there = repo.files_in(folder)
    return there.keys() == given.keys() and all(
        entry.object == blob_name(given[path].data, entry.object)
        and (entry.mode == "100755") == given[path].is_executable
        for path, entry in there.items()
    )


def _merged_before(library: Library, forge: Forge, ready: AdmittedDraft) -> Proposal:
    """The proposal that brought these bytes to main, for one who asks a second time."""
    repo, path = library.repository(), f"{SKILLS}/{ready.draft.skill}"
    tree = repo.name_of(f"{ready.base}:{path}")
    for proposal in reversed(forge.proposals()):
        is_ours = proposal.skill == ready.draft.skill and bool(proposal.merge)
        if is_ours and repo.name_of(f"{proposal.merge}:{path}") == tree:
            return proposal
    raise ConflictError(
        f"{library.main} holds {ready.draft.skill} exactly like this already",
        hint="change something first; `skillforge log "
        f"{ready.draft.skill}` shows its versions",
    )


def _proposal(ready: AdmittedDraft, by: Signature) -> Proposal:
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
        message=_message(ready, by),
        absorbed_into=draft.absorbed_into,
    )


def _title(ready: AdmittedDraft) -> str:
    title = f"{_TITLES[ready.action]} {ready.draft.skill}"
    return f"{title} {ready.draft.target}" if ready.draft.target else title


def _message(ready: AdmittedDraft, by: Signature) -> str:
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


def _puts(draft: Draft) -> Iterator[TreeChange]:
    """The changes to the tree: each skill is replaced as a whole."""
    if not draft.restores:
        yield TreeChange(f"{SKILLS}/{draft.skill}")
    for path, file in draft.files.items():
        mode = "100755" if file.is_executable else "100644"
        yield TreeChange(f"{SKILLS}/{draft.skill}/{path}", file.data, mode)
    for name in draft.absorbed:
        yield TreeChange(f"{SKILLS}/{name}")
    for name, tree in draft.restores.items():
        yield TreeChange(f"{SKILLS}/{name}", mode="040000", object=tree)
        if tree:  # where it is back, it is not in the archive any more
            yield TreeChange(f"{ARCHIVE}/{name}")
    if draft.archives:
        yield TreeChange(
            f"{ARCHIVE}/{draft.skill}", mode="040000", object=draft.archives
        )
    for number, data in draft.evidence.items():
        yield TreeChange(f"{EVIDENCE}/{draft.skill}/{number}.json", data)
