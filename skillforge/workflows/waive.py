"""Propose to accept findings of the scan: waivers with their hashes, for a reviewer."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from skillforge.checks.scan.waivers import (
    Waiver,
    digest,
    read_waivers,
    with_waivers,
)
from skillforge.errors import ConflictError, RequestError
from skillforge.history.lineage import unknown_skill
from skillforge.model import WAIVERS_FILE, Draft, Finding, Severity, Skill
from skillforge.propose.proposal_request import ProposalRequest
from skillforge.propose.workspace import Workspace
from skillforge.share.release_scan import scan_commit
from skillforge.workflows.submit import SubmissionBatch, submit

DAYS = 180
_MIN_WHY = 10  # characters; the schema has the same limit


@dataclass(frozen=True, slots=True)
class WaiveRequest:
    """Which findings to accept, in one file or all, why, and until when.

    `revision` is where the skill is read: main, or a draft's branch.
    """

    rule: str
    skill: str
    why: str
    path: str = ""  # inside the skill
    until: str = ""
    revision: str = ""
    supersede: bool = False


def waive(workspace: Workspace, request: WaiveRequest) -> SubmissionBatch:
    """Open a proposal that adds waivers; the checkout is not touched."""
    if len(request.why.strip()) < _MIN_WHY:
        raise RequestError(
            "a waiver needs a reason that a reader understands next year",
            hint=f"--why TEXT, at least {_MIN_WHY} characters",
        )
    library, base, today = workspace.library, workspace.base, date.today()
    commit = workspace.repo.resolve(request.revision) if request.revision else base
    skill = library.skill_at(commit, request.skill)
    if skill is None:
        raise unknown_skill(library, commit, request.skill)
    findings = scan_commit(library, commit, today, [skill]).findings[skill.name]
    until = _until(request.until, today)
    waivers = [
        Waiver(
            request.rule,
            f"{skill.path}/{path}",
            digest(skill, path),
            str(workspace.by),
            " ".join(request.why.split()),
            until,
        )
        for path in _files(findings, skill, request)
    ]
    data = library.read_file(WAIVERS_FILE, base)
    if set(waivers) <= set(read_waivers(data)):
        raise ConflictError(
            f"{library.main} already has this waiver", hint="give another --until"
        )
    draft = Draft(
        skill.name,
        waivers=with_waivers(data, waivers),
        target=f"({request.rule})",
        why=request.why,
    )
    proposed = ProposalRequest(draft, base, supersede=request.supersede)
    return submit(workspace, [proposed])


def _files(
    findings: tuple[Finding, ...], skill: Skill, request: WaiveRequest
) -> list[str]:
    """The files with a finding of the rule, or the one that the request names."""
    found = set(_places(findings, skill, request.rule))
    wanted = {request.path} if request.path else found
    if found and wanted <= found:
        return sorted(wanted)
    where = f"{skill.name}/{request.path}" if request.path else skill.name
    rules = sorted({f.rule for f in findings if f.severity is not Severity.NOTE})
    raise RequestError(
        f"the scan reports no {request.rule} in {where}",
        hint=f"it reports {', '.join(rules)}" if rules else "there is nothing to waive",
    )


def _places(findings: tuple[Finding, ...], skill: Skill, rule: str) -> Iterator[str]:
    for finding in findings:
        is_open = finding.severity is not Severity.NOTE
        if finding.rule == rule and (is_open or finding.waived):
            path = finding.path  # or something inside an archive
            yield path if path in skill.files else path.partition("!")[0]


def _until(text: str, today: date) -> date:
    if not text:
        return today + timedelta(days=DAYS)
    try:
        until = date.fromisoformat(text)
    except ValueError as err:
        raise RequestError(
            f"{text!r} is not a date", hint="--until 2027-01-31"
        ) from err
    if until < today:
        raise RequestError(f"{until} has passed", hint="--until takes the last day")
    return until
