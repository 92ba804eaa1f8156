"""The tools that write: what agents propose and report.

Nothing here approves, merges, waives or changes the policy, and no argument can.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillforge import workflows
from skillforge.errors import ConflictError, RequestError
from skillforge.mcp_server.context import Caller, FileRead, LibraryContext
from skillforge.model import (
    SKILL_FILE,
    Origin,
    OutcomeSource,
    OutcomeStatus,
    Proposal,
    Severity,
)
from skillforge.render import data
from skillforge.report import FindingData, finding_data

if TYPE_CHECKING:
    from skillforge.propose.operations import Operation
    from skillforge.propose.proposal_request import ProposalOptions
    from skillforge.propose.workspace import Workspace

_SOURCES = tuple(s.value for s in OutcomeSource if s is not OutcomeSource.HUMAN)
_MOST_PROPOSALS = 50


def skill_manage(
    context: LibraryContext, caller: Caller, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Propose a batch of operations on a skill; main doesn't change."""
    batch = workflows.agent_changes.read_batch(arguments)
    options = _options(context, caller, batch.options)
    workspace = context.workspace(caller)
    if options.origin == Origin.AGENT_BACKGROUND:
        _require_reads(context, caller, workspace, batch.operations)
    result = workflows.agent_changes.propose(workspace, batch.operations, options)
    findings = [finding_data(finding) for finding in result.report.findings]
    if result.proposal is None:
        return _invalid(findings)
    results = [
        {
            "name": operation.name,
            "action": operation.action,
            "file_path": operation["file_path"] or None,
            "success": True,
        }
        for operation in batch.operations
    ]
    return {
        **_staged(workspace, result.proposal, result.created),
        "operations_applied": len(results),
        "results": results,
        "findings": findings,
    }


def _options(
    context: LibraryContext, caller: Caller, arguments: Mapping[str, Any]
) -> "ProposalOptions":
    options = workflows.agent_changes.ProposalOptions.of(arguments)
    for example in options.examples:
        if "/" in example or example.endswith(".json"):
            raise RequestError(
                f"{example!r} is not the id of an example",
                hint="name examples of the library, in evidence/<skill>/",
            )
    return replace(
        options,
        examples=tuple(options.examples),
        origin=context.origin(str(arguments.get("origin", ""))),
        session=_one_line(options.session or caller.session),
        model=_one_line(options.model),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


def _require_reads(
    context: LibraryContext,
    caller: Caller,
    workspace: "Workspace",
    operations: "Iterable[Operation]",
) -> None:
    """A background agent may change only files that it read as they are on main."""
    for operation, tree, path in workflows.agent_changes.base_files(
        workspace, operations
    ):
        file_read = FileRead(caller.session, operation.name, tree, path)
        if file_read not in context.reads:
            raise _unread(operation, path, workspace.library.main)


def _unread(operation: "Operation", file: str, main: str) -> ConflictError:
    more = f', file_path="{file}"' if file != SKILL_FILE else ""
    return ConflictError(
        f"operation {operation.at} ({operation.action}): this session has not read "
        f"{file} of {operation.name} as it is on {main} now",
        hint=f'read it first: skill_view(name="{operation.name}"{more}, '
        'version="main"); nothing was proposed',
        facts={"operation": operation.at, "_read_before_write_required": True},
    )


def _invalid(findings: list[FindingData]) -> dict[str, Any]:
    first = next(f for f in findings if f["severity"] == Severity.ERROR)
    return {
        "success": False,
        "error": f"the draft is not valid: {first['path']}:{first['line']}: "
        f"{first['message']}",
        "hint": f"{first['hint']}; nothing was proposed",
        "checks": [{"name": "validate", "status": "failed"}],
        "findings": findings,
    }


def _staged(
    workspace: "Workspace", proposal: Proposal, created: bool
) -> dict[str, Any]:
    state = "is open" if proposal.is_open else f"is already {proposal.state}"
    return {
        "success": True,
        "staged": proposal.is_open,
        "pending_id": str(proposal.number),
        "gist": proposal.title,
        "message": f"Proposal {proposal.number} ({proposal.title}) {state}. Nothing "
        f"has changed on {workspace.library.main} yet: a reviewer decides, and "
        "proposal_status shows the decision.",
        **data.proposals.opened(proposal, created),
        "checks": _checks(workspace, proposal),
    }


def _checks(workspace: "Workspace", proposal: Proposal) -> list[dict[str, str]]:
    checks = workflows.agent_changes.checks(workspace, proposal)
    return [{"name": name, "status": status} for name, status in checks]


def skill_record(
    context: LibraryContext, caller: Caller, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Record the outcome of a use, for the version that this session got."""
    source = arguments.get("verified_by") or OutcomeSource.NONE
    if source not in _SOURCES:
        raise RequestError(
            "an agent can't verify an outcome as a person",
            hint=f"`verified_by` is {', '.join(_SOURCES)}",
        )
    report = workflows.record.UseReport(
        arguments["name"].rpartition("/")[2],
        caller.key,
        OutcomeStatus(arguments["outcome"]),
        OutcomeSource(source),
        arguments.get("seconds"),
        arguments.get("tokens"),
        arguments.get("note") or "",
        arguments.get("pitfall") or "",
        id=arguments.get("id") or "",
        is_loaded=arguments.get("loaded", True),
    )
    recording = workflows.record.record(
        context.library(), [report], lambda: context.workspace(caller)
    )
    result = recording.result
    problems = [check.problem for check in recording.rollouts]
    [use] = result.uses
    return {
        "success": True,
        "recorded": result.added,
        "skill": use.skill,
        "version": use.version or None,
        "arm": str(use.arm),
        "remarks": [*result.remarks, *filter(None, problems)],
        "rollouts": data.uses.judgements(recording.rollouts),
    }


def skill_capture(
    context: LibraryContext, _caller: Caller, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Learn from a transcript: redacted, stored in the clone, for a person's review."""
    path, text = arguments.get("transcript_path"), arguments.get("transcript")
    if bool(path) == bool(text):
        raise RequestError(
            "give either `transcript_path` or `transcript`",
            hint="a path names the file in which the agent stores its session",
        )
    library = context.library()
    options = workflows.capture.CaptureOptions(format=arguments.get("format") or "")
    if path:
        file = Path(path).expanduser()
        if file.is_dir():
            raise RequestError(f"{path} is a folder", hint="name one transcript")
        result = workflows.capture.capture_files(library, [file], options)
    else:
        result = workflows.capture.capture_text(library, str(text), options)
    message = "A person has to approve examples before they count."
    return {"success": result.ok, **data.capture.capture(result), "message": message}


def proposal_status(
    context: LibraryContext, caller: Caller, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """The status of proposals: one, those for a skill, or all open ones."""
    workspace = context.workspace(caller)
    number, skill = arguments.get("proposal"), arguments.get("skill")
    if number is not None:
        return {"success": True, **_status(workspace, number)}
    newest, count = workflows.agent_changes.proposals(workspace, skill, _MOST_PROPOSALS)
    rows = [dict(data.proposals.proposal_row(proposal)) for proposal in newest]
    for row in rows:
        del row["conflicts"]
    return {"success": True, "proposals": rows, "count": count}


def _status(workspace: "Workspace", number: int) -> dict[str, Any]:
    status = workflows.agent_changes.status(workspace, number)
    proposal = status.proposal
    row = data.proposals.proposal_row(proposal, status.has_conflicts)
    return {
        **row,
        "checks": _checks(workspace, proposal) if proposal.is_open else row["checks"],
        "findings": [finding_data(finding) for finding in status.findings],
        "comments": [{"by": c.by, "text": c.text} for c in proposal.comments],
    }
