"""Uses and synced folders as the `data` of `--json`."""

from typing import TYPE_CHECKING, TypedDict

from skillforge.render.data.rollouts import JudgementData, judgement

if TYPE_CHECKING:
    from skillforge.operate.use_reports import UnreadableLine
    from skillforge.workflows.canary import CanaryCheck
    from skillforge.workflows.record import Recording
    from skillforge.workflows.sync import FolderSync
    from skillforge.workflows.sync_uses import UseSync
    from skillforge.workflows.use import AssignedSkill


class UseRow(TypedDict):
    """A recorded use, and the version that it counts for."""

    id: str
    skill: str
    version: str | None
    arm: str


class LineProblem(TypedDict):
    """A line of a report that was not recorded."""

    line: int
    why: str


class RecordData(TypedDict):
    """What was recorded, and what that decided."""

    recorded: int
    again: int
    uses: list[UseRow]
    remarks: list[str]
    problems: list[LineProblem]
    rollouts: list[JudgementData]


class UseData(TypedDict):
    """The folder of the version that a key gets."""

    skill: str
    path: str | None
    arm: str
    version: str | None
    rollout: str | None
    readable_version: str | None
    remembered: bool


class RefusedSkill(TypedDict):
    """A skill that was not written, and why."""

    skill: str
    why: str


class SyncData(TypedDict):
    """What happened to each skill in a folder."""

    to: str
    added: list[str]
    updated: list[str]
    removed: list[str]
    unchanged: list[str]
    kept: list[str]
    foreign: list[str]
    refused: list[RefusedSkill]
    withheld: list[str]
    dry_run: bool
    remembered: bool


class UseSyncData(TypedDict):
    """Uses and rollouts that were exchanged with a remote."""

    sent: int
    received: int
    nodes: int
    unread: int
    ahead: int
    changed: list[str]
    refused: dict[str, str]
    rollouts: list[JudgementData]


def record(recording: "Recording") -> RecordData:
    result = recording.result
    return {
        "recorded": result.added,
        "again": result.again,
        "uses": [
            {
                "id": use.id,
                "skill": use.skill,
                "version": use.version or None,
                "arm": use.arm,
            }
            for use in result.uses
        ],
        "remarks": list(result.remarks),
        "problems": [_problem(line) for line in result.unread],
        "rollouts": judgements(recording.rollouts),
    }


def _problem(line: "UnreadableLine") -> LineProblem:
    return {"line": line.line, "why": line.why}


def judgements(checks: "tuple[CanaryCheck, ...]") -> list[JudgementData]:
    return [judgement(check.judgement) for check in checks]


def use(result: "AssignedSkill") -> UseData:
    assignment = result.assignment
    return {
        "skill": assignment.skill,
        "path": str(result.path) if result.path else None,
        "arm": assignment.arm.value,
        "version": assignment.version or None,
        "rollout": assignment.rollout or None,
        "readable_version": result.readable_version or None,
        "remembered": not result.unwritten,
    }


def sync(done: "FolderSync") -> SyncData:
    names = done.result.names
    return {
        "to": str(done.result.folder),
        "added": names("added"),
        "updated": names("updated"),
        "removed": names("removed"),
        "unchanged": names("unchanged"),
        "kept": names("kept"),
        "foreign": names("foreign"),
        "refused": [
            {"skill": name, "why": done.result.why[name]} for name in names("refused")
        ],
        "withheld": names("withheld"),
        "dry_run": done.is_dry,
        "remembered": not (done.is_dry or done.unwritten),
    }


def sync_uses(done: "UseSync") -> UseSyncData:
    return {
        "sent": done.sent,
        "received": done.received.uses,
        "nodes": done.received.nodes,
        "unread": done.received.unread,
        "ahead": done.received.ahead,
        "changed": done.exchange.changed,
        "refused": done.exchange.refused,
        "rollouts": judgements(done.rollouts),
    }
