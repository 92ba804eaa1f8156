"""Commands for GitHub as the `data` of `--json`: protect, report, promoted."""

from typing import TYPE_CHECKING, Any, TypedDict

from skillforge.render.data.history import ExceptionData, exception

if TYPE_CHECKING:
    from skillforge.workflows.gate_report import PostedReport
    from skillforge.workflows.promoted import RecordedMerges
    from skillforge.workflows.protect import Protection


class SettingChangeData(TypedDict):
    """A call of GitHub's API that changes a setting."""

    verb: str
    path: str
    body: Any
    why: str


class ProtectData(TypedDict):
    """The settings that differed; changed unless it was a dry run."""

    repository: str
    calls: list[SettingChangeData]
    applied: bool


class PostedReportData(TypedDict):
    """The pull requests that show a gate's report now."""

    proposals: list[int]
    passed: bool


class NotedMergeData(TypedDict):
    """A merge whose approvals were recorded, and whether the gate passes it."""

    commit: str
    number: int
    passed: bool


class PromotedData(TypedDict):
    """Recorded merges, rollouts that were started, and exceptions of the audit."""

    recorded: list[NotedMergeData]
    rollouts: list[str]
    exceptions: list[ExceptionData]


def protection(result: "Protection") -> ProtectData:
    return {
        "repository": result.repository,
        "calls": [
            {
                "verb": change.verb,
                "path": change.path,
                "body": change.body,
                "why": change.why,
            }
            for change in result.changes
        ],
        "applied": result.is_applied,
    }


def report(result: "PostedReport") -> PostedReportData:
    return {"proposals": list(result.proposals), "passed": result.is_passed}


def promoted(result: "RecordedMerges") -> PromotedData:
    return {
        "recorded": [
            {"commit": merge.commit, "number": merge.number, "passed": merge.passed}
            for merge in result.merges
        ],
        "rollouts": list(result.rollouts),
        "exceptions": [exception(entry) for entry in result.exceptions],
    }
