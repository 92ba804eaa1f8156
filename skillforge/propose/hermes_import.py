"""What Hermes holds back for approval, as proposals: each record becomes one, once.

A record is known by the `Session` of its commit, so that it is found again in any
clone, whatever became of main and of the proposal.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from skillforge.errors import RequestError, SkillforgeError, ToolError
from skillforge.gitrepo import trailers
from skillforge.model import Origin, Proposal, Severity, State
from skillforge.propose import operations, proposal_request, submit
from skillforge.propose.workspace import Workspace

_MOST_BYTES = 32 << 20
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ORIGINS = {
    "foreground": Origin.AGENT_FOREGROUND,
    "assistant_tool": Origin.AGENT_FOREGROUND,
}
_PREFIX = "hermes-pending/"


class PendingWrite(NamedTuple):
    """One write that Hermes holds back, in the words of its `skill_manage`."""

    id: str
    path: Path
    summary: str
    origin: Origin
    batch: dict[str, Any]


class ImportResult(NamedTuple):
    """What became of a record: a proposal and its state, or why there is none."""

    id: str
    path: Path
    proposal: Proposal | None = None
    created: bool = False
    why_not: str = ""

    @property
    def is_over(self) -> bool:
        """Whether a reviewer has decided; then Hermes need not hold it any longer."""
        return self.proposal is not None and self.proposal.state is not State.OPEN


def bring(workspace: Workspace, folder: Path) -> list[ImportResult]:
    """A proposal for every record; one that cannot be proposed stops no other."""
    known = _known(workspace)
    return [_brought(workspace, path, known) for path in _files(folder)]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.glob("*.json") if path.is_file())
    except OSError as err:
        raise ToolError(f"{folder} cannot be read: {err.strerror}") from err


def _known(workspace: Workspace) -> dict[str, Proposal]:
    """Proposals that were made of records, by the record's id; the newest counts."""
    found = {}
    for proposal in workspace.forge.proposals():
        for word in trailers.read(proposal.message).get("Session", []):
            if word.startswith(_PREFIX):
                found[word.removeprefix(_PREFIX)] = proposal
    return found


def _brought(
    workspace: Workspace, path: Path, known: dict[str, Proposal]
) -> ImportResult:
    try:
        record = read(path)
        if before := known.get(record.id):
            return ImportResult(record.id, path, before)
        return _opened(workspace, record)
    except SkillforgeError as err:
        words = f"{err.message}; {err.hint}" if err.hint else err.message
        return ImportResult(path.stem, path, why_not=words)


def read(path: Path) -> PendingWrite:
    """One record as Hermes wrote it."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError(f"it is larger than {_MOST_BYTES >> 20} MB")
        said = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as err:
        raise RequestError(f"{path.name} cannot be read: {err}") from err
    payload = said.get("payload") if isinstance(said, dict) else None
    if not isinstance(payload, dict) or said.get("subsystem", "skills") != "skills":
        raise RequestError(f"{path.name} holds no write of a skill")
    number = said.get("id", path.stem)
    if not isinstance(number, str) or not _ID.fullmatch(number):
        raise RequestError(f"{path.name} has no id that can be used")
    batch = {key: value for key, value in payload.items() if value is not None}
    if batch.get("action") == "batch":
        del batch["action"]
    origin = _ORIGINS.get(str(said.get("origin")), Origin.AGENT_BACKGROUND)
    summary = " ".join(str(said.get("summary") or "").split())
    return PendingWrite(number, path, summary, origin, batch)


def _opened(workspace: Workspace, record: PendingWrite) -> ImportResult:
    batch, _options = operations.understood(record.batch)
    draft = operations.draft_of(workspace.library, workspace.base, batch)
    options = proposal_request.ProposalOptions(
        why=record.summary, origin=record.origin, session=f"{_PREFIX}{record.id}"
    )
    request = proposal_request.request(workspace, draft, options)
    [outcome] = submit.propose(
        workspace.library, workspace.forge, [request], workspace.by
    )
    if outcome.proposal is None:
        wrong = [f for f in outcome.report.findings if f.severity is Severity.ERROR]
        where = f"{wrong[0].path}:{wrong[0].line}"
        why = f"the draft is not valid: {where}: {wrong[0].message}; {wrong[0].hint}"
        return ImportResult(record.id, record.path, why_not=why)
    return ImportResult(record.id, record.path, outcome.proposal, outcome.created)


def clear(done: list[ImportResult]) -> list[Path]:
    """Remove the records that a reviewer has decided on; which they were."""
    gone = [it.path for it in done if it.is_over]
    for path in gone:
        try:
            path.unlink(missing_ok=True)
        except OSError as err:
            raise ToolError(f"{path} cannot be removed: {err.strerror}") from err
    return gone
