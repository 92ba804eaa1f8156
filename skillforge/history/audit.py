"""Prove from git alone that nothing reached main unjudged, and name what did.

The merge says who approved which tree by which policy; the audit holds every word of
it against the objects, and against the proposals' own records where they are here.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from skillforge import processes
from skillforge.errors import ConfigError, RequestError
from skillforge.forge import Forge
from skillforge.gitrepo import checkout, trailers
from skillforge.gitrepo.commit_log import PathChange
from skillforge.gitrepo.object_reader import Object
from skillforge.history import (
    audit_baseline,
    audit_objects,
    audit_reverts,
    github_merges,
    identity,
    steps,
)
from skillforge.history.steps import NOW, HistoryStep
from skillforge.library import Library
from skillforge.model import (
    ARCHIVE,
    EVIDENCE,
    OURS,
    SKILLS,
    Action,
    Danger,
    Proposal,
    State,
)
from skillforge.policy import POLICY_FILE, Policy, read_policy

_UNREADABLE = "unreadable-record"
_ASIDE = "it puts promotions to the side: the branch has another first-parent line"
_UNSHALLOW = "git fetch --unshallow; or audit a range that is here: A..B"


class AuditException(NamedTuple):
    """What is not as promised: where, what kind, and in words."""

    commit: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit looked at, its exceptions, and what may become one."""

    promotions: int
    reverts: int
    adopted: int
    exceptions: tuple[AuditException, ...]
    has_records: bool
    warnings: tuple[str, ...] = ()


@dataclass
class _Facts:
    """What the checks of one step need to know, gathered in bulk."""

    records: dict[int, Proposal]
    damaged: dict[int, str]  # records that can't be read, and what to do
    policies: dict[str, str]  # the policy's blob at each commit
    read: dict[str, Policy | None]
    missing: set[str]  # evidence that is not there
    returned: dict[str, list[str]]  # reverts that bring back what was taken back
    held: dict[str, set[str]] = field(default_factory=dict)  # versions up to now

    def policy_at(self, commit: str) -> Policy | None:
        return self.read.get(self.policies.get(commit, ""), Policy())


@processes.without_cycles
def audit(
    library: Library, forge: Forge | None, span: str = "", since: str = ""
) -> Audit:
    """Check every step of main, or those of a range, one after the other.

    A forge that has its records here is asked for them.
    """
    tip = library.tip
    if bad := audit_objects.malformed(library):  # git may not come to an end of it
        return _untrusted(bad)
    all_steps = steps.read_steps(library, _end(library, span) if span else tip)
    chosen = _chosen(library, all_steps, span, since)
    audited = [s for s in all_steps if chosen is None or s.name in chosen]
    steps.refuse_shallow(library, audited, _UNSHALLOW)
    adopted = audit_baseline.adopted(library, all_steps, tip)
    if bad := audit_objects.problems(library, audited, adopted):
        return _untrusted(bad)
    facts = _gather(library, forge, all_steps, adopted)
    counts = {"promotion": 0, "revert": 0, "adopted": 0}
    found: list[AuditException] = []
    for step in all_steps:
        if chosen is None or step.name in chosen:
            kind, problems = _judge(step, facts, adopted)
            counts[kind] = counts.get(kind, 0) + 1
            found += problems
        for name, change in step.skills.items():
            facts.held.setdefault(name, {change.before}).add(change.after)
    if chosen is None:
        found += _lost(library, all_steps, facts.records)
        merged = {step.number for step in all_steps if step.is_promotion}
        for number in sorted(facts.damaged.keys() - merged):
            where = f"refs/skillforge/proposals/{number}"
            found.append(AuditException(where, _UNREADABLE, facts.damaged[number]))
        if late := audit_baseline.moved(library, all_steps, tip):
            found.append(
                AuditException(late, "adoption-moved", audit_baseline.TOO_LATE)
            )
    return Audit(
        counts["promotion"],
        counts["revert"],
        counts["adopted"],
        tuple(found),
        bool(facts.records),
        tuple(map(str, checkout.lags(library.repository(), library.main))),
    )


def _untrusted(bad: list[audit_objects.Found]) -> Audit:
    """Nothing that is read of such objects can be trusted."""
    return Audit(0, 0, 0, tuple(AuditException(*it) for it in bad), has_records=False)


def _end(library: Library, span: str) -> str:
    return library.repository().resolve(span.rpartition("..")[2] or library.tip)


def commits_of(library: Library, span: str) -> set[str]:
    """The commits of a range on main's own line; all up to its end, if it has none."""
    repo = library.repository()
    start, _dots, end = span.rpartition("..")
    if start.endswith("."):
        raise RequestError(f"{span!r} is no range", hint="A..B, or A..")
    line = ["rev-list", "--first-parent", repo.resolve(end or library.tip)]
    # Zeros are how a forge says that there was nothing before.
    line += [f"^{repo.resolve(start)}"] if start.strip("0") else []
    return {*repo.git(*line).decode().split()}


def _chosen(
    library: Library, all_steps: list[HistoryStep], span: str, since: str
) -> set[str] | None:
    """The commits that are asked for; None for all of them."""
    if not span and not since:
        return None
    repo = library.repository()
    wanted = commits_of(library, span)
    names = [step.name for step in all_steps if step.name in wanted]
    if since:
        seconds = repo.date(since)
        # From the first that is late enough: a date in a commit is its author's word.
        late = [s.name for s in all_steps if s.commit.seconds >= seconds]
        first = names.index(late[0]) if late and late[0] in names else 0
        names = names[first:] if late else []
    return set(names)


def _gather(
    library: Library,
    forge: Forge | None,
    all_steps: list[HistoryStep],
    adopted: set[str],
) -> _Facts:
    """Ask git everything at once: no process for each commit."""
    repo = library.repository()
    promotions = [step for step in all_steps if step.is_promotion]
    bases = [step.commit.parents[0] for step in promotions]
    blobs = repo.names_of([f"{base}:{POLICY_FILE}" for base in bases])
    evidence = [path for step in promotions for path in _evidence(step)]
    found = repo.names_of(evidence)
    policies = dict(zip(bases, blobs, strict=True))
    records = {it.number: it for it in forge.proposals()} if forge else {}
    damaged = forge.unreadable if forge else {}
    return _Facts(
        records,
        {number: f"{err.message}; {err.hint}" for number, err in damaged.items()},
        policies,
        {blob: _policy(repo.find(blob)) for blob in set(blobs) if blob},
        {path for path, name in zip(evidence, found, strict=True) if not name},
        audit_reverts.returns(all_steps, adopted),
    )


def _policy(blob: Object | None) -> Policy | None:
    """A policy as it was; None where it cannot be understood."""
    try:
        return read_policy(blob.data) if blob else None
    except ConfigError:
        return None


def _evidence(step: HistoryStep) -> list[str]:
    skill = trailers.first(step.drafted, "Skill")
    return [
        f"{step.name}:{EVIDENCE}/{skill}/{number}.json"
        for number in step.drafted.get("Example", ())
    ]


def _judge(
    step: HistoryStep, facts: _Facts, adopted: set[str]
) -> tuple[str, list[AuditException]]:
    if step.is_promotion:
        kinds = ((kind, why) for check in _CHECKS for kind, why in check(step, facts))
        return "promotion", [
            AuditException(step.name, kind, why) for kind, why in kinds
        ]
    if step.brings_promotions:
        return "direct", [AuditException(step.name, "side-history", _ASIDE)]
    if not steps.touches_skills(step):
        return "other", []
    if names := facts.returned.get(step.name):
        why = f"a revert brings back {', '.join(names)} as it was before it was taken "
        why += "back; that needs a proposal: skillforge rollback NAME --to VERSION"
        return "direct", [AuditException(step.name, "returned-version", why)]
    if step.name in adopted or step.is_exact_revert:
        return "adopted" if step.name in adopted else "revert", []
    return "direct", [_unjudged(step)]


def _unjudged(step: HistoryStep) -> AuditException:
    tops = {path.partition("/")[0] for path in step.commit.changes}
    beside = " and ".join(sorted(top for top in tops if top.casefold() in OURS))
    names = ", ".join(sorted(step.skills)) or beside
    if step.pull_request is not None and step.drafted and not step.reverts:
        why = f"pull request {step.pull_request} was merged on GitHub, and who approved"
        why += " it is not noted here: git fetch origin 'refs/notes/*:refs/notes/*'"
        return AuditException(step.name, "unrecorded", why)
    if step.reverts:
        why = f"a revert of {names} that does not bring back an earlier version"
        return AuditException(step.name, "inexact-revert", why)
    why = f"{names} changed without a proposal, by {step.commit.author}"
    return AuditException(step.name, "direct-push", why)


Said = Iterator[tuple[str, str]]
_NO_CHANGE = PathChange("", "", True)


def _tree_is_approved(step: HistoryStep, _facts: _Facts) -> Said:
    """Tested tree = approved tree = merged tree."""
    head = step.brought[0] if step.brought else None
    said = trailers.first(step.said, "Approved-Tree")
    is_merge = len(step.commit.parents) == 2
    if step.number is None:
        yield "no-proposal", "it does not name a proposal by its number"
    elif step.is_cut:
        yield "unreachable", github_merges.cut_words(step.number)
    elif head is None or (is_merge and head.name != step.commit.parents[1]):
        yield "no-proposal", "its second parent is no commit of its own"
    elif step.brings_promotions:
        yield "side-history", _ASIDE
    elif not step.commit.tree == head.tree == said:
        yield "tree-mismatch", "the tree that was merged is not the one approved"


def _stays_in_its_skill(step: HistoryStep, _facts: _Facts) -> Said:
    # A branch made by hand names none, and may be about one.
    named = step.drafted.get("Skill") or sorted(step.skills)[:1]
    several = step.action in (Action.CONSOLIDATE, Action.ROLLBACK)
    own = named if several else named[:1]
    if beyond := steps.outside(step, own):
        shown = ", ".join(beyond[:3])
        yield "outside-skill", f"it changed more than {', '.join(own)}: {shown}"


def _is_approved(step: HistoryStep, facts: _Facts) -> Said:
    policy = facts.policy_at(step.commit.parents[0])
    if policy is None:
        yield "policy-mismatch", "the policy of its base cannot be read"
        return
    authors = [c for b in step.brought for c in (b.author, b.committer)]
    authors += step.drafted.get("Proposed-By", []) + step.said.get("Opened-By", [])
    approvers = identity.distinct(step.said.get("Approved-By", ()))
    others = [who for who in approvers if not identity.is_any(who, authors)]
    if NOW in step.said:
        yield from _was_allowed_now(step, policy)
    elif len(others) < len(approvers):
        yield "self-approval", "somebody approved a proposal of their own"
    elif len(others) < (needed := _needed(step, policy)):
        count = f"{len(others)} of {needed} approvals"
        yield "missing-approval", f"it was merged with {count}"


def _needed(step: HistoryStep, policy: Policy) -> int:
    """How many approvals a merge needs: one more where its scan asked for caution."""
    is_doubtful = trailers.first(step.said, "Scan") == Danger.CAUTION
    return policy.approvals + is_doubtful


def _was_allowed_now(step: HistoryStep, policy: Policy) -> Said:
    origin = trailers.first(step.drafted, "Origin")
    if step.action != Action.ROLLBACK or not policy.lets_roll_back(origin):
        yield "missing-approval", "the policy did not allow to merge it at once"


def _is_judged_by_its_base(step: HistoryStep, facts: _Facts) -> Said:
    said = trailers.first(step.said, "Policy")
    if said != (facts.policies[step.commit.parents[0]] or "none"):
        yield "policy-mismatch", "it was not judged by the policy of its base"
    said = trailers.first(step.said, "Checks-Digest")
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", said):
        yield "missing-checks", "it does not say which checks passed"


def _rests_on_evidence(step: HistoryStep, facts: _Facts) -> Said:
    for path in _evidence(step):
        if path in facts.missing:
            yield "unresolved-evidence", f"there is no {path.partition(':')[2]}"


def _rolls_back_exactly(step: HistoryStep, facts: _Facts) -> Said:
    if step.action == Action.ROLLBACK:
        for name, change in step.skills.items():
            if change.after not in facts.held.get(name, {""}):
                yield "inexact-revert", f"{name} is no version that was promoted before"


def _archives_exactly(step: HistoryStep, _facts: _Facts) -> Said:
    """What moved to the archive is what was in use; it leaves when it is in use."""
    changes = step.commit.changes
    moved = {p.split("/")[1] for p in changes if p.startswith(f"{ARCHIVE}/")}
    is_in = step.action == Action.ARCHIVE
    for name in sorted(moved | set(step.skills) if is_in else moved):
        skill = changes.get(f"{SKILLS}/{name}", _NO_CHANGE)
        archived = changes.get(f"{ARCHIVE}/{name}", _NO_CHANGE)
        is_move = skill[:2] == (archived.after, archived.before) != ("", "")
        is_back = bool(skill.after) and not archived.after
        if not (is_move and not skill.after if is_in else is_back):
            yield "inexact-archive", f"{ARCHIVE}/{name} is not what {name} was"


def _agrees_with_its_record(step: HistoryStep, facts: _Facts) -> Said:
    """Where the proposals' records are here, a merge has to be one of theirs."""
    if damage := facts.damaged.get(step.number or 0):
        yield _UNREADABLE, damage
        return
    if not facts.records:
        return
    record = facts.records.get(step.number or 0)
    if record is None:
        # A clone that has no records of its own starts to number where it was cloned.
        if (step.number or 0) >= min(facts.records):
            yield "no-record", f"there is no proposal {step.number}"
    elif record.is_open or record.merge == step.name:
        # A crash may have kept the end from being noted; all else has to be.
        if not _says_so(step, record):
            yield "record-mismatch", f"the record of proposal {record.number} differs"
    else:
        yield "record-mismatch", f"proposal {record.number} is {record.state} elsewhere"


def _says_so(step: HistoryStep, record: Proposal) -> bool:
    """Whether a record tells of the very bytes, verdict and approvals of a merge."""
    verdict = record.verdict
    approved = {a.by for a in record.approvals if a.head == record.head}
    return (
        [record.base, record.head] == list(step.commit.parents)
        and not record.is_draft
        and verdict is not None
        and verdict.passed
        and (verdict.head, verdict.base) == (record.head, record.base)
        and f"sha256:{verdict.digest}" == trailers.first(step.said, "Checks-Digest")
        and trailers.first(step.said, "Scan") == (verdict.danger or "")
        and set(step.said.get("Approved-By", ())) <= approved
        and [c.message.strip() for c in step.brought[-1:]] == [record.message.strip()]
    )


_CHECKS: tuple[Callable[[HistoryStep, _Facts], Said], ...] = (
    _tree_is_approved,
    _stays_in_its_skill,
    _is_approved,
    _is_judged_by_its_base,
    _rests_on_evidence,
    _rolls_back_exactly,
    _archives_exactly,
    _agrees_with_its_record,
)


def _lost(
    library: Library, all_steps: list[HistoryStep], records: dict[int, Proposal]
) -> Iterator[AuditException]:
    """Merges that a record knows and main does not: history was rewritten."""
    known = {step.name for step in all_steps}
    merged = [it for it in records.values() if it.state is State.MERGED]
    missing = [it for it in merged if it.merge not in known]
    # Records were read after main: somebody may have promoted in between.
    since = commits_of(library, "") if missing else set()
    for proposal in missing:
        if proposal.merge not in since:
            why = f"proposal {proposal.number} was merged, and {library.main} has lost "
            why += "the merge"
            yield AuditException(proposal.merge, "lost-promotion", why)
