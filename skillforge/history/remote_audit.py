"""What git alone cannot prove: GitHub is set up so, and confirms what main says."""

from collections.abc import Iterator
from dataclasses import replace

from skillforge.errors import RequestError
from skillforge.forge import Forge, branch_protection
from skillforge.forge.github import GitHubForge
from skillforge.library import Library
from skillforge.model import Proposal, State
from skillforge.propose import history_steps
from skillforge.propose.audit import Audit, AuditException, commits_of
from skillforge.propose.history_steps import HistoryStep


def confirmed(library: Library, forge: Forge, audit: Audit, span: str) -> Audit:
    """An audit with what GitHub adds to it."""
    if not isinstance(forge, GitHubForge):
        raise RequestError("this library is not on GitHub", hint="leave --remote away")
    chosen = commits_of(library, span) if span else None
    found = tuple(_drift(library, forge, chosen))
    exceptions = (*audit.exceptions, *found)
    return replace(audit, exceptions=exceptions, has_records=True)


def _drift(
    library: Library, forge: GitHubForge, chosen: set[str] | None
) -> Iterator[AuditException]:
    """Settings that are not as `protect` leaves them, and merges without a witness."""
    policy = library.policy(library.tip)
    place = str(forge.hosted.place)
    calls = branch_protection.plan(forge.hosted, policy, ())
    labels = [call.body["name"] for call in calls if call.path.endswith("/labels")]
    for call in calls:
        if not call.path.endswith("/labels"):
            yield AuditException(place, "drift", call.why)
    if labels:
        yield AuditException(place, "drift", f"labels are missing: {', '.join(labels)}")
    records = {proposal.number: proposal for proposal in forge.proposals()}
    for step in history_steps.steps(library, library.tip):
        is_asked = chosen is None or step.name in chosen
        if is_asked and step.is_promotion and step.number:
            yield from _unconfirmed(forge, step, records.get(step.number))


def _unconfirmed(
    forge: GitHubForge, step: HistoryStep, record: Proposal | None
) -> Iterator[AuditException]:
    """What a merge on main claims and GitHub does not know."""
    if record is None or record.state is not State.MERGED:
        why = f"GitHub knows of no merged pull request {step.number}"
        yield AuditException(step.name, "no-record", why)
    elif record.merge != step.name:
        why = f"GitHub merged pull request {step.number} as {record.merge[:12]}"
        yield AuditException(step.name, "record-mismatch", why)
    else:
        reviewed = forge.with_reviews(record)
        known = {a.by for a in reviewed.approvals if a.head == record.head}
        for who in step.approvers:
            if who not in known:
                why = f"GitHub has no approval of this by {who}"
                yield AuditException(step.name, "unconfirmed-approval", why)
