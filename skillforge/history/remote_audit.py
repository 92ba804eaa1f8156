"""What git alone can't prove: the forge's settings, and its record of each merge."""

from collections.abc import Iterator
from dataclasses import replace

from skillforge.forge import Forge, HostedForge
from skillforge.forge.registry import hosted
from skillforge.history import steps
from skillforge.history.audit import Audit, AuditException, commits_of
from skillforge.history.steps import HistoryStep
from skillforge.library import Library
from skillforge.model import Proposal, State


def confirmed(library: Library, forge: Forge, audit: Audit, span: str) -> Audit:
    """An audit with the exceptions that the forge adds."""
    chosen = commits_of(library, span) if span else None
    exceptions = (*audit.exceptions, *_drift(library, hosted(forge), chosen))
    return replace(audit, exceptions=exceptions, has_records=True)


def _drift(
    library: Library, forge: HostedForge, chosen: set[str] | None
) -> Iterator[AuditException]:
    """Settings that `protect` would change, and merges that the forge can't confirm."""
    for why in forge.drift(library.policy(library.tip)):
        yield AuditException(forge.address, "drift", why)
    records = {proposal.number: proposal for proposal in forge.proposals()}
    for step in steps.read_steps(library, library.tip):
        is_chosen = chosen is None or step.name in chosen
        if is_chosen and step.is_promotion and step.number:
            yield from _unconfirmed(forge, step, records.get(step.number))


def _unconfirmed(
    forge: HostedForge, step: HistoryStep, record: Proposal | None
) -> Iterator[AuditException]:
    """The claims of a merge on main that the forge can't confirm."""
    if record is None or record.state is not State.MERGED:
        why = f"{forge.label} has no merged pull request {step.number}"
        yield AuditException(step.name, "no-record", why)
    elif record.merge != step.name:
        why = f"{forge.label} merged pull request {step.number} as {record.merge[:12]}"
        yield AuditException(step.name, "record-mismatch", why)
    else:
        reviewed = forge.with_reviews(record)
        known = {a.by for a in reviewed.approvals if a.head == record.head}
        for who in step.approvers:
            if who not in known:
                why = f"{forge.label} has no approval of this by {who}"
                yield AuditException(step.name, "unconfirmed-approval", why)
