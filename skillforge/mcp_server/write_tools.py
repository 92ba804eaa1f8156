"""What agents want changed, and what they report: each becomes a proposal or a record.

Nothing here approves, merges, waives or sets a policy; there is no way to ask for it.
"""

import io
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from skillforge.errors import ConflictError, RequestError
from skillforge.mcp_server.context import Caller, FileRead, LibraryContext
from skillforge.model import (
    SCAN,
    SKILL_FILE,
    SKILLS,
    Origin,
    OutcomeSource,
    OutcomeStatus,
    Proposal,
    Severity,
)
from skillforge.propose.operations import Operation
from skillforge.propose.proposal_request import ProposalOptions
from skillforge.propose.workspace import Workspace
from skillforge.render.data.proposals import opened, proposal_row
from skillforge.report import FindingData, finding_data
from skillforge.workflows.proposals import find_proposal
from skillforge.workflows.submit import operations_draft, parse_batch, submit_drafts

_PROVEN = tuple(it.value for it in OutcomeSource if it is not OutcomeSource.HUMAN)
_MOST_PROPOSALS = 50


def skill_manage(
    door: LibraryContext, caller: Caller, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Put a batch of operations up for review; main stays as it is."""
    batch, said = parse_batch(dict(given))
    options = _options(door, caller, said)
    workspace = door.workspace(caller)
    if options.origin == Origin.AGENT_BACKGROUND:
        _refuse_unread(door, caller, workspace, batch)
    draft = operations_draft(workspace, batch)
    [outcome] = submit_drafts(workspace, [draft], options).submissions
    findings = [finding_data(finding) for finding in outcome.report.findings]
    if outcome.proposal is None:
        return _invalid(findings)
    done = [
        {
            "name": it.name,
            "action": it.action,
            "file_path": it["file_path"] or None,
            "success": True,
        }
        for it in batch
    ]
    rest = {"operations_applied": len(batch), "results": done, "findings": findings}
    return _staged(workspace, outcome.proposal, outcome.created) | rest


def _options(
    door: LibraryContext, caller: Caller, said: Mapping[str, Any]
) -> ProposalOptions:
    options = ProposalOptions.of(said)
    for example in options.examples:
        if "/" in example or example.endswith(".json"):
            raise RequestError(
                f"{example!r} is no id of an example",
                hint="name examples that the library holds, in evidence/<skill>/",
            )
    return replace(
        options,
        examples=tuple(options.examples),
        origin=door.origin(str(said.get("origin", ""))),
        session=_one_line(options.session or caller.session),
        model=_one_line(options.model),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


def _refuse_unread(
    door: LibraryContext,
    caller: Caller,
    workspace: Workspace,
    batch: Iterable[Operation],
) -> None:
    """Whoever works unseen changes only what it has read, as it is on main now."""
    repo, made = workspace.library.repository(), set()
    for operation in batch:
        tree = repo.name_of(f"{workspace.base}:{SKILLS}/{operation.name}")
        if not tree or operation.name in made or operation.action == "create":
            made.add(operation.name)
            continue
        path = operation["file_path"] or SKILL_FILE
        is_there = bool(repo.name_of(f"{tree}:{path}"))
        needed = {SKILL_FILE, path} if is_there else {SKILL_FILE}
        for file in sorted(needed):
            if FileRead(caller.session, operation.name, tree, file) not in door.seen:
                raise _unread(operation, file, workspace.library.main)


def _unread(operation: Operation, file: str, main: str) -> ConflictError:
    more = f', file_path="{file}"' if file != SKILL_FILE else ""
    return ConflictError(
        f"operation {operation.at} ({operation.action}): this session has not read "
        f"{file} of {operation.name} as it is on {main} now",
        hint=f'read it first: skill_view(name="{operation.name}"{more}, '
        'version="main"); nothing was proposed',
        facts={"operation": operation.at, "_read_before_write_required": True},
    )


def _invalid(findings: list[FindingData]) -> dict[str, Any]:
    errors = [it for it in findings if it["severity"] == Severity.ERROR]
    first = errors[0]
    return {
        "success": False,
        "error": f"the draft is not valid: {first['path']}:{first['line']}: "
        f"{first['message']}",
        "hint": f"{first['hint']}; nothing was proposed",
        "checks": [{"name": "validate", "status": "failed"}],
        "findings": findings,
    }


def _staged(workspace: Workspace, proposal: Proposal, created: bool) -> dict[str, Any]:
    how = "is open" if proposal.is_open else f"is {proposal.state} already"
    return {
        "success": True,
        "staged": proposal.is_open,
        "pending_id": str(proposal.number),
        "gist": proposal.title,
        "message": f"Proposal {proposal.number} ({proposal.title}) {how}. Nothing has "
        f"changed on {workspace.library.main}: a reviewer decides, and proposal_status "
        "tells.",
        **opened(proposal, created),
        "checks": _checks(workspace, proposal),
    }


def _checks(workspace: Workspace, proposal: Proposal) -> list[dict[str, str]]:
    """What the gate said of each required check; until it runs, only one has."""
    verdict = proposal.verdict
    if verdict is not None and verdict.head == proposal.head:
        return [{"name": it.name, "status": str(it.status)} for it in verdict.checks]
    required = workspace.library.policy(workspace.base).checks
    rest = [{"name": it, "status": "not-run"} for it in required if it != "validate"]
    return [{"name": "validate", "status": "passed"}, *rest]


def skill_record(
    door: LibraryContext, caller: Caller, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Keep how a use of a skill ended, for the version that this session was given."""
    from skillforge.operate.use_reports import UseReport
    from skillforge.render.data import uses
    from skillforge.workflows.record import record

    source = given.get("verified_by") or OutcomeSource.NONE
    if source not in _PROVEN:
        raise RequestError(
            "an agent cannot speak for a person",
            hint=f"`verified_by` is {', '.join(_PROVEN)}",
        )
    report = UseReport(
        given["name"].rpartition("/")[2],
        caller.key,
        OutcomeStatus(given["outcome"]),
        OutcomeSource(source),
        given.get("seconds"),
        given.get("tokens"),
        given.get("note") or "",
        given.get("pitfall") or "",
        id=given.get("id") or "",
        is_loaded=given.get("loaded", True),
    )
    done = record(door.library(), [report], lambda: door.workspace(caller))
    result, problems = done.result, [check.problem for check in done.rollouts]
    [use] = result.uses
    return {
        "success": True,
        "recorded": result.added,
        "skill": use.skill,
        "version": use.version or None,
        "arm": str(use.arm),
        "remarks": [*result.remarks, *filter(None, problems)],
        "rollouts": uses.judgements(done.rollouts),
    }


def skill_capture(
    door: LibraryContext, _caller: Caller, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Learn from a transcript: redacted, kept in the clone, waiting for a person."""
    from skillforge.learn.capture import Capture, CaptureOptions
    from skillforge.learn.words import captured_data

    path, text = given.get("transcript_path"), given.get("transcript")
    if bool(path) == bool(text):
        raise RequestError(
            "there has to be one of `transcript_path` and `transcript`",
            hint="a path names the file in which the agent keeps its session",
        )
    run = Capture(door.library(), CaptureOptions(format=given.get("format") or ""))
    if path:
        file = Path(path).expanduser()
        if file.is_dir():
            raise RequestError(f"{path} is a folder", hint="name one transcript")
        done = run.files([file])
    else:
        data = str(text).encode("utf-8", "replace")
        done = run.stream(io.BufferedReader(io.BytesIO(data)))
    answer = captured_data(done)
    answer["message"] = "A person has to approve examples before they count."
    return {"success": not done.is_useless, **answer}


def proposal_status(
    door: LibraryContext, caller: Caller, given: Mapping[str, Any]
) -> dict[str, Any]:
    """How proposals stand: one, those for a skill, or all that are open."""
    workspace = door.workspace(caller)
    number, skill = given.get("proposal"), given.get("skill")
    if number is not None:
        return {"success": True, **_status(workspace, number)}
    found = workspace.forge.proposals(only_open=not skill)
    chosen = [it for it in found if not skill or skill in it.skills]
    some = workspace.forge.detailed(chosen[-_MOST_PROPOSALS:])
    # Whether each conflicts with main costs a merge, which a listing doesn't pay for.
    rows = [dict(proposal_row(proposal)) for proposal in some]
    for row in rows:
        del row["conflicts"]
    return {"success": True, "proposals": rows, "count": len(chosen)}


def _status(workspace: Workspace, number: int) -> dict[str, Any]:
    whole, conflicts = find_proposal(workspace, number)
    verdict = whole.verdict if whole.is_open or whole.merge else None
    findings = [
        finding_data(finding)
        for check in (verdict.checks if verdict else ())
        if check.name != SCAN  # whoever writes a draft is not told how to get past it
        for finding in check.findings
    ]
    row = proposal_row(whole, conflicts)
    return {
        **row,
        "checks": _checks(workspace, whole) if whole.is_open else row["checks"],
        "findings": findings,
        "comments": [{"by": it.by, "text": it.text} for it in whole.comments],
    }
