"""Prove from git alone that nothing reached main unreviewed, and report exceptions.

A merge names its approvals, the approved tree and the policy. The audit compares all of
that with the objects, and with the proposals' own records if they are in this clone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from skillforge import processes
from skillforge.errors import ConfigError, RequestError
from skillforge.forge import Forge
from skillforge.gitrepo import checkout
from skillforge.gitrepo.object_reader import Object
from skillforge.history import (
    audit_baseline,
    audit_checks,
    audit_objects,
    audit_reverts,
    steps,
)
from skillforge.history.audit_checks import Facts
from skillforge.history.steps import HistoryStep
from skillforge.library import Library
from skillforge.model import Proposal, State
from skillforge.policy import POLICY_FILE, Policy, read_policy

_UNSHALLOW = "git fetch --unshallow; or audit a range that is here: A..B"


class AuditException(NamedTuple):
    """A broken promise: the commit (or ref), the kind, and a message."""

    commit: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Audit:
    """How many steps of each kind were audited, exceptions, and warnings."""

    promotions: int
    reverts: int
    adopted: int
    exceptions: tuple[AuditException, ...]
    has_records: bool
    warnings: tuple[str, ...] = ()


@processes.without_cycles
def audit(
    library: Library, forge: Forge | None, span: str = "", since: str = ""
) -> Audit:
    """Check every step of main, or those of a range, in order.

    `forge` provides the proposals' records, if they are in this clone.
    """
    tip = library.tip
    if problems := audit_objects.malformed(library):  # git may never finish reading it
        return _untrusted(problems)
    all_steps = steps.read_steps(library, _end(library, span) if span else tip)
    chosen = _chosen(library, all_steps, span, since)
    audited = [s for s in all_steps if chosen is None or s.name in chosen]
    steps.refuse_shallow(library, audited, _UNSHALLOW)
    adopted = audit_baseline.adopted(library, all_steps, tip)
    if problems := list(audit_objects.problems(library, audited, adopted)):
        return _untrusted(problems)
    facts = _gather(library, forge, all_steps, adopted)
    counts = {"promotion": 0, "revert": 0, "adopted": 0}
    exceptions: list[AuditException] = []
    for step in all_steps:
        if chosen is None or step.name in chosen:
            kind, broken = _audit_step(step, facts, adopted)
            counts[kind] = counts.get(kind, 0) + 1
            exceptions += broken
        for name, change in step.skills.items():
            facts.versions.setdefault(name, {change.before}).add(change.after)
    if chosen is None:
        exceptions += _whole_history(library, all_steps, facts)
    return Audit(
        counts["promotion"],
        counts["revert"],
        counts["adopted"],
        tuple(exceptions),
        bool(facts.records),
        tuple(map(str, checkout.lags(library.repository(), library.main))),
    )


def _untrusted(problems: list[audit_objects.Problem]) -> Audit:
    """The result if objects are damaged: nothing read from them can be trusted."""
    exceptions = tuple(AuditException(*problem) for problem in problems)
    return Audit(0, 0, 0, exceptions, has_records=False)


def _end(library: Library, span: str) -> str:
    return library.repository().resolve(span.rpartition("..")[2] or library.tip)


def commits_of(library: Library, span: str) -> set[str]:
    """The commits of a range on main's first-parent line; `B` means all up to B."""
    repo = library.repository()
    start, _dots, end = span.rpartition("..")
    if start.endswith("."):
        raise RequestError(f"{span!r} is not a range", hint="use A..B, or A..")
    line = ["rev-list", "--first-parent", repo.resolve(end or library.tip)]
    # A forge writes zeros for the start of a new branch.
    line += [f"^{repo.resolve(start)}"] if start.strip("0") else []
    return {*repo.git(*line).decode().split()}


def _chosen(
    library: Library, all_steps: list[HistoryStep], span: str, since: str
) -> set[str] | None:
    """The commits to audit; None for all of them."""
    if not span and not since:
        return None
    commits = commits_of(library, span)
    names = [step.name for step in all_steps if step.name in commits]
    if since:
        seconds = library.repository().date(since)
        # From the first that is late enough: authors can set any date in a commit.
        late = [s.name for s in all_steps if s.commit.seconds >= seconds]
        first = names.index(late[0]) if late and late[0] in names else 0
        names = names[first:] if late else []
    return set(names)


def _gather(
    library: Library,
    forge: Forge | None,
    all_steps: list[HistoryStep],
    adopted: set[str],
) -> Facts:
    """What the checks need, asked of git in bulk: no process for each commit."""
    repo = library.repository()
    promotions = [step for step in all_steps if step.is_promotion]
    bases = [step.commit.parents[0] for step in promotions]
    blobs = repo.names_of([f"{base}:{POLICY_FILE}" for base in bases])
    paths = [path for s in promotions for path in audit_checks.evidence_paths(s)]
    names = repo.names_of(paths)
    records = {p.number: p for p in forge.proposals()} if forge else {}
    damaged = forge.unreadable if forge else {}
    return Facts(
        records,
        {number: f"{err.message}; {err.hint}" for number, err in damaged.items()},
        dict(zip(bases, blobs, strict=True)),
        {blob: _policy(repo.find(blob)) for blob in set(blobs) if blob},
        {path for path, name in zip(paths, names, strict=True) if not name},
        audit_reverts.unreviewed_returns(all_steps, adopted),
    )


def _policy(blob: Object | None) -> Policy | None:
    """A policy as it was; None if it can't be read."""
    try:
        return read_policy(blob.data) if blob else None
    except ConfigError:
        return None


def _audit_step(
    step: HistoryStep, facts: Facts, adopted: set[str]
) -> tuple[str, list[AuditException]]:
    """The kind of a step, and its exceptions."""
    if step.is_promotion:
        return "promotion", [
            AuditException(step.name, kind, why)
            for check in audit_checks.CHECKS
            for kind, why in check(step, facts)
        ]
    if step.brings_promotions:
        why = audit_checks.SIDE_HISTORY
        return "direct", [AuditException(step.name, "side-history", why)]
    if not steps.touches_skills(step):
        return "other", []
    if names := facts.returned.get(step.name):
        why = f"a revert restores {', '.join(names)} as it was before a rollback; that "
        why += "needs a proposal: skillforge rollback NAME --to VERSION"
        return "direct", [AuditException(step.name, "returned-version", why)]
    if step.name in adopted or step.is_exact_revert:
        return "adopted" if step.name in adopted else "revert", []
    return "direct", [_direct_change(step)]


def _direct_change(step: HistoryStep) -> AuditException:
    tops = {path.partition("/")[0] for path in steps.paths_of_ours(step)}
    folders = " and ".join(sorted(tops))
    names = ", ".join(sorted(step.skills)) or folders
    if step.pull_request is not None and step.draft_trailers and not step.reverts:
        why = f"pull request {step.pull_request} was merged on GitHub, and its "
        why += "approvals are not noted in this clone: git fetch origin "
        why += "'refs/notes/*:refs/notes/*'"
        return AuditException(step.name, "unrecorded", why)
    if step.reverts:
        why = f"a revert of {names} that does not restore an earlier version"
        return AuditException(step.name, "inexact-revert", why)
    why = f"{names} changed without a proposal, by {step.commit.author}"
    return AuditException(step.name, "direct-push", why)


def _whole_history(
    library: Library, all_steps: list[HistoryStep], facts: Facts
) -> Iterator[AuditException]:
    """The exceptions that only an audit of all steps can find."""
    yield from _lost(library, all_steps, facts.records)
    merged = {step.number for step in all_steps if step.is_promotion}
    for number in sorted(facts.damaged.keys() - merged):
        ref, why = f"refs/skillforge/proposals/{number}", facts.damaged[number]
        yield AuditException(ref, audit_checks.UNREADABLE, why)
    if late := audit_baseline.moved(library, all_steps, library.tip):
        yield AuditException(late, "adoption-moved", audit_baseline.TOO_LATE)


def _lost(
    library: Library, all_steps: list[HistoryStep], records: dict[int, Proposal]
) -> Iterator[AuditException]:
    """Merges that a record has and main has not: its history was rewritten."""
    known = {step.name for step in all_steps}
    merged = [p for p in records.values() if p.state is State.MERGED]
    missing = [p for p in merged if p.merge not in known]
    # Records were read after main: others may have promoted in between.
    current = commits_of(library, "") if missing else set()
    for proposal in missing:
        if proposal.merge not in current:
            why = (
                f"proposal {proposal.number} was merged, but {library.main} no longer "
            )
            why += "the merge"
            yield AuditException(proposal.merge, "lost-promotion", why)
