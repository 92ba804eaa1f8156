"""Turn the writes that Hermes holds for approval into proposals, each record once.

The `Session` trailer of its commit identifies a record, so any clone finds its proposal
again, also after main has moved or the proposal was closed.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from skillforge.agents import skills_folder
from skillforge.errors import RequestError, SkillforgeError, ToolError
from skillforge.gitrepo import trailers
from skillforge.model import Origin, Proposal, State
from skillforge.propose.proposal_request import ProposalOptions
from skillforge.propose.workspace import Workspace
from skillforge.workflows.submit import operations_draft, parse_batch, submit_drafts

USER = "hermes (agent) <hermes@agents.invalid>"
_MAX_BYTES = 32 << 20
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ORIGINS = {
    "foreground": Origin.AGENT_FOREGROUND,
    "assistant_tool": Origin.AGENT_FOREGROUND,
}
_PREFIX = "hermes-pending/"


class PendingWrite(NamedTuple):
    """One write that Hermes holds, in the format of its `skill_manage`."""

    id: str
    summary: str
    origin: Origin
    batch: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ImportedRecord:
    """What became of a record: a proposal, or why there is none."""

    id: str
    path: Path
    proposal: Proposal | None = None
    created: bool = False
    why_not: str = ""

    @property
    def is_decided(self) -> bool:
        """Whether its proposal is closed, so that Hermes no longer needs the record."""
        return self.proposal is not None and self.proposal.state is not State.OPEN


@dataclass(frozen=True, slots=True)
class PendingImport:
    """What became of each record, and the records that were removed."""

    records: tuple[ImportedRecord, ...]
    cleared: tuple[Path, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every record has a proposal."""
        return all(record.proposal for record in self.records)

    @property
    def can_clear(self) -> bool:
        """Whether records of closed proposals are left."""
        return not self.cleared and any(record.is_decided for record in self.records)


def import_pending(
    workspace: Workspace, folder: Path | None = None, *, clear: bool = False
) -> PendingImport:
    """Propose every record once; an invalid record doesn't stop the others.

    The folder is Hermes' own by default. `clear` removes the records whose proposals
    are closed.
    """
    if folder is not None and not folder.is_dir():
        raise RequestError(
            f"no such folder: {folder}",
            hint="omit it for the folder of Hermes in your home",
        )
    folder = folder or skills_folder("hermes").parent / "pending" / "skills"
    known = _known_proposals(workspace)
    try:
        paths = sorted(path for path in folder.glob("*.json") if path.is_file())
    except OSError as err:
        raise ToolError(f"{folder} cannot be read: {err.strerror}") from err
    records = tuple(_import(workspace, path, known) for path in paths)
    return PendingImport(records, tuple(_remove_decided(records)) if clear else ())


def _known_proposals(workspace: Workspace) -> dict[str, Proposal]:
    """The latest proposal of each record, by the record's id."""
    return {
        session.removeprefix(_PREFIX): proposal
        for proposal in workspace.forge.proposals()
        for session in trailers.read(proposal.message).get("Session", [])
        if session.startswith(_PREFIX)
    }


def _import(
    workspace: Workspace, path: Path, known: dict[str, Proposal]
) -> ImportedRecord:
    try:
        record = _read(path)
        if existing := known.get(record.id):
            return ImportedRecord(record.id, path, existing)
        return _propose(workspace, record, path)
    except SkillforgeError as err:
        why = f"{err.message}; {err.hint}" if err.hint else err.message
        return ImportedRecord(path.stem, path, why_not=why)


def _read(path: Path) -> PendingWrite:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError(f"it is larger than {_MAX_BYTES >> 20} MB")
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as err:
        raise RequestError(f"{path.name} cannot be read: {err}") from err
    payload = record.get("payload") if isinstance(record, dict) else None
    if not isinstance(payload, dict) or record.get("subsystem", "skills") != "skills":
        raise RequestError(f"{path.name} is not a change of a skill")
    record_id = record.get("id", path.stem)
    if not isinstance(record_id, str) or not _ID.fullmatch(record_id):
        raise RequestError(f"{path.name} has no valid id")
    batch = {key: value for key, value in payload.items() if value is not None}
    if batch.get("action") == "batch":
        del batch["action"]
    origin = _ORIGINS.get(str(record.get("origin")), Origin.AGENT_BACKGROUND)
    summary = " ".join(str(record.get("summary") or "").split())
    return PendingWrite(record_id, summary, origin, batch)


def _propose(workspace: Workspace, record: PendingWrite, path: Path) -> ImportedRecord:
    operations, _options = parse_batch(record.batch)
    draft = operations_draft(workspace, operations)
    session = f"{_PREFIX}{record.id}"
    options = ProposalOptions(record.summary, origin=record.origin, session=session)
    [submission] = submit_drafts(workspace, [draft], options).submissions
    if submission.proposal is not None:
        opened = (submission.proposal, submission.created)
        return ImportedRecord(record.id, path, *opened)
    findings = submission.report.findings
    first = next(f for f in findings if f.blocks)
    why = f"the draft is not valid: {first.path}:{first.line}: {first.message}; "
    return ImportedRecord(record.id, path, why_not=why + first.hint)


def _remove_decided(records: Iterable[ImportedRecord]) -> list[Path]:
    """Remove the records whose proposals are closed; returns their paths."""
    paths = [record.path for record in records if record.is_decided]
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as err:
            raise ToolError(f"{path} cannot be removed: {err.strerror}") from err
    return paths
