"""The checks of one promotion in an audit: each yields kinds and messages."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from skillforge.gitrepo import trailers
from skillforge.gitrepo.commit_log import PathChange
from skillforge.history import github_merges, identity, steps
from skillforge.history.steps import NOW, HistoryStep
from skillforge.model import ARCHIVE, EVIDENCE, Action, Danger, Layout, Proposal
from skillforge.model.layout import inside
from skillforge.policy import Policy

UNREADABLE = "unreadable-record"
SIDE_HISTORY = "promotions are no longer on the first-parent line of the branch"
_NO_CHANGE = PathChange("", "", True)
Exceptions: TypeAlias = Iterator[tuple[str, str]]


@dataclass
class Facts:
    """What the checks of a step need, gathered in bulk."""

    records: dict[int, Proposal]
    damaged: dict[int, str]  # records that can't be read, and how to fix them
    policies: dict[str, str]  # the policy's blob at each base
    policy_of: dict[str, Policy | None]  # by blob
    missing: set[str]  # evidence that does not exist
    returned: dict[str, list[str]]  # reverts that restore a reverted version
    versions: dict[str, set[str]] = field(default_factory=dict)  # up to this step

    def policy_at(self, commit: str) -> Policy | None:
        return self.policy_of.get(self.policies.get(commit, ""), Policy())


def evidence_paths(step: HistoryStep) -> list[str]:
    skill = trailers.first(step.draft_trailers, "Skill")
    return [
        f"{step.name}:{EVIDENCE}/{skill}/{example}.json"
        for example in step.draft_trailers.get("Example", ())
    ]


def _merges_the_approved_tree(step: HistoryStep, _facts: Facts) -> Exceptions:
    """The checked tree, the approved tree and the merged tree are the same."""
    head = step.merged[0] if step.merged else None
    approved = trailers.first(step.trailers, "Approved-Tree")
    is_merge = len(step.commit.parents) == 2
    if step.number is None:
        yield "no-proposal", "it has no proposal number"
    elif step.is_cut:
        yield "unreachable", github_merges.missing_commits(step.number)
    elif head is None or (is_merge and head.name != step.commit.parents[1]):
        yield "no-proposal", "its second parent is not a new commit"
    elif step.brings_promotions:
        yield "side-history", SIDE_HISTORY
    elif not step.commit.tree == head.tree == approved:
        yield "tree-mismatch", "the merged tree is not the approved one"


def _layout(step: HistoryStep, facts: Facts) -> Layout:
    """Where skills were, and how they were called, when a step was checked."""
    policy = facts.policy_at(step.commit.parents[0])
    return policy.layout if policy else step.layout


def _stays_in_its_skill(step: HistoryStep, facts: Facts) -> Exceptions:
    # A branch made with git alone names no skill, and may be about one.
    layout = _layout(step, facts)
    named = step.draft_trailers.get("Skill") or sorted(step.skills)[:1]
    is_about_several = step.action in (Action.CONSOLIDATE, Action.ROLLBACK)
    own = named if is_about_several else named[:1]
    others = steps.outside(step, own, layout)
    if step.action not in (Action.ROLLBACK, Action.ARCHIVE):  # those move whole folders
        others += _inner(step, own, layout)
    if others:
        shown = ", ".join(others[:3])
        yield "outside-skill", f"it changed more than {', '.join(own)}: {shown}"


def _inner(step: HistoryStep, own: list[str], layout: Layout) -> list[str]:
    """The skills that a step changed inside of its own: they have own proposals."""
    folders = [layout.path_of(name) for name in own]
    changed = map(step.layout.path_of, step.skills)
    return [p for p in changed if p not in folders and inside(p, folders)]


def _is_approved(step: HistoryStep, facts: Facts) -> Exceptions:
    policy = facts.policy_at(step.commit.parents[0])
    if policy is None:
        yield "policy-mismatch", "the policy of its base cannot be read"
        return
    authors = [who for c in step.merged for who in (c.author, c.committer)]
    authors += step.draft_trailers.get("Proposed-By", [])
    authors += step.trailers.get("Opened-By", [])
    approvers = identity.distinct(step.trailers.get("Approved-By", ()))
    others = [who for who in approvers if not identity.is_any(who, authors)]
    if NOW in step.trailers:
        origin = trailers.first(step.draft_trailers, "Origin")
        if step.action != Action.ROLLBACK or not policy.lets_roll_back(origin):
            yield "missing-approval", "the policy did not allow an immediate merge"
    elif len(others) < len(approvers):
        yield "self-approval", "an author approved the proposal"
    else:
        # One more approval is needed where the scan asked for caution.
        is_doubtful = trailers.first(step.trailers, "Scan") == Danger.CAUTION
        needed = policy.approvals + is_doubtful
        if len(others) < needed:
            count = f"{len(others)} of {needed} approvals"
            yield "missing-approval", f"it was merged with {count}"


def _was_checked_by_its_base(step: HistoryStep, facts: Facts) -> Exceptions:
    policy = trailers.first(step.trailers, "Policy")
    if policy != (facts.policies[step.commit.parents[0]] or "none"):
        yield "policy-mismatch", "it was not checked by the policy of its base"
    digest = trailers.first(step.trailers, "Checks-Digest")
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        yield "missing-checks", "it does not list the checks that passed"


def _has_its_evidence(step: HistoryStep, facts: Facts) -> Exceptions:
    for path in evidence_paths(step):
        if path in facts.missing:
            yield "unresolved-evidence", f"missing: {path.partition(':')[2]}"


def _rolls_back_exactly(step: HistoryStep, facts: Facts) -> Exceptions:
    if step.action == Action.ROLLBACK:
        path_of, named = step.layout.path_of, step.draft_trailers.get("Skill", ())
        # A skill around a restored one is as new as the mix of both.
        mixed = {n for own in named for n in step.layout.names_around(path_of(own))}
        for name in step.skills.keys() - (mixed - {*named}):
            change = step.skills[name]
            if change.after not in facts.versions.get(name, {""}):
                why = f"{name} is not a version that was promoted before"
                yield "inexact-revert", why


def _archives_exactly(step: HistoryStep, facts: Facts) -> Exceptions:
    """An archived skill is what was in use; a restored one leaves the archive."""
    changes, layout = step.commit.changes, _layout(step, facts)
    named = step.draft_trailers.get("Skill", ())
    moved = {
        next((n for n in named if f"{rest}/".startswith(f"{n}/")), "")
        or layout.leading_name(rest)
        for path in changes
        if (rest := path.removeprefix(f"{ARCHIVE}/")) != path
        if rest.count("/") >= min((n.count("/") for n in named), default=0)
    }
    is_archiving = step.action == Action.ARCHIVE
    path_of = layout.path_of
    folders = {step.layout.path_of(name) for name in step.skills}
    changed = {layout.name_of(folder) or folder for folder in folders}
    # Skills that a moved one was inside of change, too, and those that were inside it.
    changed -= {name for m in moved for name in layout.names_around(path_of(m))}
    inner = {n for n in changed if inside(path_of(n), map(path_of, moved))}
    changed -= inner
    for name in sorted(moved | changed if is_archiving else moved):
        skill = changes.get(path_of(name), _NO_CHANGE)
        archived = changes.get(f"{ARCHIVE}/{name}", _NO_CHANGE)
        is_move = skill[:2] == (archived.after, archived.before) != ("", "")
        is_restored = bool(skill.after) and not archived.after
        if not (is_move and not skill.after if is_archiving else is_restored):
            yield "inexact-archive", f"{ARCHIVE}/{name} is not what {name} was"


def _matches_its_record(step: HistoryStep, facts: Facts) -> Exceptions:
    """If the proposals' records are in this clone, every merge has one."""
    if damage := facts.damaged.get(step.number or 0):
        yield UNREADABLE, damage
        return
    if not facts.records:
        return
    record = facts.records.get(step.number or 0)
    if record is None:
        # A clone without earlier records starts its own at a later number.
        if (step.number or 0) >= min(facts.records):
            yield "no-record", f"no such proposal: {step.number}"
    elif record.is_open or record.merge == step.name:
        # A crash may have left the merge unrecorded; everything else must match.
        if not _is_recorded(step, record):
            yield "record-mismatch", f"the record of proposal {record.number} differs"
    else:
        why = f"proposal {record.number} is {record.state} with another commit"
        yield "record-mismatch", why


def _is_recorded(step: HistoryStep, record: Proposal) -> bool:
    """Whether a record has the same bytes, verdict and approvals as a merge."""
    verdict = record.verdict
    approved = {a.by for a in record.approvals if a.head == record.head}
    return (
        [record.base, record.head] == list(step.commit.parents)
        and not record.is_draft
        and verdict is not None
        and verdict.passed
        and (verdict.head, verdict.base) == (record.head, record.base)
        and f"sha256:{verdict.digest}" == trailers.first(step.trailers, "Checks-Digest")
        and trailers.first(step.trailers, "Scan") == (verdict.danger or "")
        and set(step.trailers.get("Approved-By", ())) <= approved
        and [c.message.strip() for c in step.merged[-1:]] == [record.message.strip()]
    )


CHECKS: tuple[Callable[[HistoryStep, Facts], Exceptions], ...] = (
    _merges_the_approved_tree,
    _stays_in_its_skill,
    _is_approved,
    _was_checked_by_its_base,
    _has_its_evidence,
    _rolls_back_exactly,
    _archives_exactly,
    _matches_its_record,
)
