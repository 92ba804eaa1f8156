"""Put a draft on its own branch and open a proposal to merge it."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from skillforge.checks import Ruleset
from skillforge.checks.baseline import library_baseline
from skillforge.checks.runner import check_skills
from skillforge.document.draft_skill import draft_skill
from skillforge.errors import ConflictError
from skillforge.forge import Batch, ReviewPage
from skillforge.gitrepo import trailers
from skillforge.gitrepo.object_reader import blob_name
from skillforge.gitrepo.ref_update import NewCommit, Signature, TreeChange
from skillforge.history import readable_version
from skillforge.history.lineage import unknown_skill
from skillforge.library import Library
from skillforge.model import (
    ARCHIVE,
    EVIDENCE,
    SKILL_FILE,
    WAIVERS_FILE,
    Action,
    Draft,
    DraftFile,
    Proposal,
    Report,
)
from skillforge.model.layout import inside, ref_name
from skillforge.propose import admission
from skillforge.propose.admission import AdmittedDraft
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.workspace import Workspace

_TITLES = {
    Action.CREATE: "Add",
    Action.EDIT: "Edit",
    Action.DELETE: "Remove",
    Action.ROLLBACK: "Roll back",
    Action.CONSOLIDATE: "Consolidate into",
    Action.ARCHIVE: "Archive",
    Action.WAIVE: "Waive a finding in",
}


class Submission(NamedTuple):
    """What became of a request: a proposal, or the findings that prevented one."""

    report: Report
    proposal: Proposal | None = None
    created: bool = False


def propose(
    workspace: Workspace, requests: Iterable[ProposalRequest]
) -> list[Submission]:
    """Open a proposal for each draft if all of them are valid, or else for none.

    Safe to repeat, also after a crash: a draft is identified by its bytes, so the same
    draft finds its proposal again.
    """
    library = workspace.library
    drafts = [_prepare(library, request) for request in requests]
    reports = [_validate(library, draft) for draft in drafts]
    if not all(report.ok for report in reports):
        return [Submission(report) for report in reports]
    drafts = [_with_version(draft) for draft in drafts]
    for draft in drafts:
        admission.refuse_growth(draft)
        admission.refuse_duplicate(library, draft)
    pairs = list(zip(drafts, reports, strict=True))
    with workspace.forge.batch() as batch:
        if len(pairs) > 1:
            pairs = [p for p in pairs if not _is_on_base(library, p[0])] or pairs
            waiting = batch.blocking_proposals()
            admission.refuse_together(waiting, [d for d, _ in pairs], workspace.by)
        submissions = [
            _open(workspace, batch, draft, report) for draft, report in pairs
        ]
    for submission in submissions:
        if submission.proposal and submission.proposal.is_open:
            workspace.forge.describe(submission.proposal, partial(_page, workspace))
    return submissions


def _prepare(library: Library, request: ProposalRequest) -> AdmittedDraft:
    draft, base = request.draft, request.base
    before = library.find_file(base, draft.skill)
    action = _action(library, draft, before is not None)
    admission.refuse_archived(library, base, draft, action)
    digest = draft.digest
    if request.bump:
        digest = hashlib.sha256(f"{digest} {request.bump}".encode()).hexdigest()
    draft = replace(draft, evidence=_new_evidence(library, base, draft))
    policy, data = library.policy(base), before.data if before else None
    return AdmittedDraft(request, draft, digest, action, base, policy, data)


def _new_evidence(library: Library, base: str, draft: Draft) -> dict[str, bytes]:
    """Example files that are not on main yet; a file that is must be the same."""
    new: dict[str, bytes] = {}
    for example, data in draft.evidence.items():
        path = f"{EVIDENCE}/{draft.skill}/{example}.json"
        existing = library.repository().find(f"{base}:{path}")
        if existing is None:
            new[example] = data
        elif existing.data != data:
            raise ConflictError(
                f"{library.main} has a different {path}: evidence is added, never "
                "changed",
                hint="give the new example a different id",
            )
    return new


def _with_version(admitted: AdmittedDraft) -> AdmittedDraft:
    """The draft with its version raised; its document must be valid."""
    draft, before = admitted.draft, admitted.before
    if SKILL_FILE not in draft.files:
        return admitted
    old = readable_version.of(before) if before is not None else ""
    own = readable_version.of(draft.files[SKILL_FILE].data)
    version = readable_version.raised(old, own, admitted.request.bump)
    files = readable_version.with_version(draft.files, version)
    return replace(admitted, draft=replace(draft, files=files))


def _action(library: Library, draft: Draft, exists: bool) -> Action:
    if draft.restores:
        return Action.ROLLBACK
    if draft.archives:
        return Action.ARCHIVE
    if draft.absorbed:
        return Action.CONSOLIDATE
    if draft.waivers:
        return Action.WAIVE
    if draft.files:
        return Action.EDIT if exists else Action.CREATE
    if exists:
        return Action.DELETE
    raise unknown_skill(library, library.tip, draft.skill)


def _validate(library: Library, admitted: AdmittedDraft) -> Report:
    """The findings of the base's rules, before anything is written."""
    draft, policy = admitted.draft, admitted.policy
    if not draft.files:
        return Report()
    rules = Ruleset(policy.profile, policy.rules)
    known = library_baseline(library, admitted.base)
    if not library.layout.is_single:  # it may refer to skills inside its folder
        inner = library.files_at(admitted.base, draft.skill, of_others=True)
        draft = replace(draft, files={**inner, **draft.files})
    skill = draft_skill(draft, library.path_of(draft.skill))
    skill = replace(skill, nested=library.layout.nested(skill.path, skill.files))
    return check_skills(rules, [skill], known)


def _open(
    workspace: Workspace, batch: Batch, admitted: AdmittedDraft, report: Report
) -> Submission:
    forge, by = workspace.forge, workspace.by
    waiting = batch.blocking_proposals()
    if existing := _existing(workspace, waiting, admitted):
        opened, created = existing, False
    else:
        admission.refuse_rivals(waiting, admitted, by)
        admission.refuse_many(waiting, [admitted], by)
        replaced = tuple(admission.replaced_rivals(waiting, admitted, by))
        proposal = _proposal(admitted, by)
        changes = list(_tree_changes(admitted, workspace.library))
        commit = NewCommit([admitted.base], proposal.message, by, changes)
        opened, created = batch.open(commit, proposal, by, replaced)
    if opened.is_open and not created:
        is_ready = opened.is_draft and not admitted.request.is_draft
        if is_ready:
            opened = forge.mark_ready(opened, by)
        else:
            opened = forge.ensure_branch(opened)
    return Submission(report, opened, created)


def _existing(
    workspace: Workspace, waiting: list[Proposal], admitted: AdmittedDraft
) -> Proposal | None:
    """The proposal of the same draft, open or merged, if there is one."""
    library, key = workspace.library, (admitted.digest, admitted.draft.skill)
    is_local = workspace.forge.is_local
    for proposal in waiting:
        is_same = (proposal.digest, proposal.skill) == key
        # On a shared forge, any proposal may claim to contain this draft.
        if is_same and (is_local or _contains(library, proposal, admitted)):
            return proposal
    if _is_on_base(library, admitted):
        return _merged_before(workspace, admitted)
    return None


def _page(workspace: Workspace, proposal: Proposal) -> ReviewPage:
    from skillforge.propose import review_page  # imports all checks, and few need it

    return review_page.of(workspace, proposal)


def _is_on_base(library: Library, admitted: AdmittedDraft) -> bool:
    """Whether main has these bytes already, apart from a version we would raise."""
    draft, base = admitted.draft, admitted.base
    if draft.evidence:
        return False
    if draft.restores:
        return all(
            library.skill_tree(base, name) == tree
            for name, tree in draft.restores.items()
        )
    if draft.archives:
        return _is_archived(library, base, draft)
    if not draft.files or draft.absorbed or admitted.before is None:
        return False
    files = admitted.request.draft.files
    if admitted.request.bump is None:
        old = readable_version.of(admitted.before)
        own = readable_version.of(files[SKILL_FILE].data)
        if old and not readable_version.is_higher(own, old):
            files = readable_version.with_version(files, old)
    return _has_files(library, base, draft.skill, files)


def _contains(library: Library, proposal: Proposal, admitted: AdmittedDraft) -> bool:
    """Whether a proposal's head has a draft's bytes, rather than just its digest."""
    draft, head = admitted.draft, proposal.head
    if draft.waivers:
        return library.read_file(WAIVERS_FILE, head) == draft.waivers
    evidence = library.evidence_at(head, draft.skill)
    trees = dict.fromkeys(draft.absorbed, "") | dict(draft.restores)
    names = [library.skill_tree(head, name) for name in trees]
    if names != list(trees.values()) or draft.evidence.items() - evidence.items():
        return False
    if draft.archives:
        return _is_archived(library, head, draft)
    if draft.restores or not draft.files:
        return bool(draft.restores) or not library.files_at(head, draft.skill)
    skill_md = library.find_file(head, draft.skill)
    version = readable_version.of(skill_md.data) if skill_md else ""
    files = readable_version.with_version(draft.files, version)
    return _has_files(library, head, draft.skill, files)


def _is_archived(library: Library, commit: str, draft: Draft) -> bool:
    """Whether a commit has a skill in its archive, and only there."""
    places = library.path_of(draft.skill), f"{ARCHIVE}/{draft.skill}"
    trees = library.repository().names_of([f"{commit}:{path}" for path in places])
    return trees == ["", draft.archives]


def _has_files(
    library: Library, commit: str, name: str, files: Mapping[str, DraftFile]
) -> bool:
    committed = library.repository().files_in(f"{commit}:{library.path_of(name)}")
    committed = library.layout.own_files(name, committed)
    return committed.keys() == files.keys() and all(
        entry.object == blob_name(files[path].data, entry.object)
        and (entry.mode == "100755") == files[path].is_executable
        for path, entry in committed.items()
    )


def _merged_before(workspace: Workspace, admitted: AdmittedDraft) -> Proposal:
    """The merged proposal that brought these bytes to main."""
    library, name = workspace.library, admitted.draft.skill
    tree = library.skill_tree(admitted.base, name)
    for proposal in reversed(workspace.forge.proposals()):
        is_merge = proposal.skill == name and bool(proposal.merge)
        if is_merge and library.skill_tree(proposal.merge, name) == tree:
            return proposal
    raise ConflictError(
        f"{workspace.library.main} already has exactly this {name}",
        hint=f"change something first; `skillforge log {name}` shows its versions",
    )


def _proposal(admitted: AdmittedDraft, by: Signature) -> Proposal:
    draft = admitted.draft
    title = f"{_TITLES[admitted.action]} {draft.skill} {draft.target}".rstrip()
    return Proposal(
        number=0,
        skill=draft.skill,
        skills=draft.skills,
        action=admitted.action,
        origin=draft.origin,
        author=str(by),
        title=title,
        why=draft.why,
        branch=f"skill/{ref_name(draft.skill)}/{admitted.digest[:8]}",
        head="",
        base=admitted.base,
        digest=admitted.digest,
        opened=by.seconds,
        examples=draft.examples,
        is_draft=admitted.request.is_draft,
        message=_message(admitted, title, by),
        absorbed_into=draft.absorbed_into,
    )


def _message(admitted: AdmittedDraft, title: str, by: Signature) -> str:
    draft = admitted.draft
    lines = [
        *(("Skill", name) for name in draft.skills),
        ("Action", admitted.action),
        ("Origin", draft.origin),
        ("Proposed-By", str(by)),
        ("Draft-Digest", f"sha256:{admitted.digest}"),
        *(("Example", example) for example in draft.examples),
        ("Session", draft.session),
        ("Model", draft.model),
        ("Absorbed-Into", draft.skill if draft.absorbed else draft.absorbed_into),
        *(("Reverts", commit) for commit in draft.reverts),
    ]
    return trailers.message(title, draft.why, lines)


def _tree_changes(admitted: AdmittedDraft, library: Library) -> Iterator[TreeChange]:
    """The changes of a draft's commit: each skill is replaced as a whole."""
    draft, layout = admitted.draft, library.layout
    if draft.waivers:
        yield TreeChange(WAIVERS_FILE, draft.waivers)
        return
    folder = layout.path_of(draft.skill)
    if not draft.restores:
        yield TreeChange(folder)
    for path, file in draft.files.items():
        mode = "100755" if file.is_executable else "100644"
        yield TreeChange(f"{folder}/{path}", file.data, mode)
    for name in draft.absorbed:
        yield TreeChange(layout.path_of(name))
    if not (draft.restores or draft.archives):
        removed = [layout.path_of(name) for name in (draft.skill, *draft.absorbed)]
        yield from _kept(library, admitted.base, removed)
    for name, tree in draft.restores.items():
        yield TreeChange(layout.path_of(name), mode="040000", object=tree)
        if tree and library.archived_tree(admitted.base, name):  # it is now in use
            yield TreeChange(f"{ARCHIVE}/{name}")
    if draft.archives:
        path = f"{ARCHIVE}/{draft.skill}"
        yield TreeChange(path, mode="040000", object=draft.archives)
    for example, data in draft.evidence.items():
        yield TreeChange(f"{EVIDENCE}/{draft.skill}/{example}.json", data)


def _kept(library: Library, base: str, removed: list[str]) -> Iterator[TreeChange]:
    """The skills inside of folders that are removed: they have their own proposals."""
    if library.layout.is_single:
        return
    for name, tree in library.skill_trees(base).items():
        path = library.path_of(name)
        if path not in removed and inside(path, removed):
            yield TreeChange(path, mode="040000", object=tree)
