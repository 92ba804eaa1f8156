"""History and audits as the `data` of `--json`."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from skillforge.history.audit import Audit, AuditException
    from skillforge.history.skill_history import HistoryVersion, SkillHistory


class VersionRow(TypedDict):
    """One version of a skill on main."""

    version: str
    tree: str
    commit: str
    proposal: int | None
    recorded: bool
    cut: bool
    author: str
    approvers: list[str]
    at_once_by: str | None
    origin: str
    date: str
    reverted_by: str | None
    action: str
    replaces: str | None
    skill: str


class StoryRow(VersionRow):
    """A version with its reasons, and what followed from it."""

    why: str
    examples: list[str]
    releases: list[str]
    checks: str
    draft_commit: str | None
    reverts: list[str]


class LogData(TypedDict):
    """The versions of a skill on main, the newest first."""

    skill: str
    versions: list[VersionRow]


class WhyData(TypedDict):
    """Why a skill exists: its versions with their reasons."""

    skill: str
    became: list[str]
    versions: list[StoryRow]


class ExceptionData(TypedDict):
    """A change of main that breaks a promise."""

    commit: str
    kind: str
    message: str


class AuditData(TypedDict):
    """What main's history proves, and every exception."""

    promotions: int
    reverts: int
    adopted: int
    records: bool
    exceptions: list[ExceptionData]
    warnings: list[str]


def version(version: "HistoryVersion") -> VersionRow:
    step = version.step
    return {
        "version": version.version,
        "tree": version.tree,
        "commit": step.name,
        "proposal": step.number or step.pull_request,
        "recorded": step.is_promotion,
        "cut": step.is_cut,
        "author": step.author,
        "approvers": step.approvers,
        "at_once_by": version.at_once_by or None,
        "origin": version.origin,
        "date": step.date,
        "reverted_by": version.reverted_by or None,
        "action": step.action,
        "replaces": version.before or None,
        "skill": version.skill,
    }


def log(name: str, versions: "list[HistoryVersion]") -> LogData:
    return {"skill": name, "versions": [version(entry) for entry in versions]}


def story_rows(history: "SkillHistory") -> list[StoryRow]:
    return [_story_row(history, entry) for entry in history.versions]


def _story_row(history: "SkillHistory", entry: "HistoryVersion") -> StoryRow:
    step = entry.step
    return {
        **version(entry),
        "why": step.reason,
        "examples": history.examples.get(step.name, []),
        "releases": history.tags.get(entry.tree, []) if entry.tree else [],
        "checks": "".join(step.trailers.get("Checks-Digest", [])[:1]),
        "draft_commit": step.merged[0].name if step.merged else None,
        "reverts": [reverted.name for reverted in step.reverts],
    }


def why(history: "SkillHistory") -> WhyData:
    return {
        "skill": history.name,
        "became": list(history.became),
        "versions": story_rows(history),
    }


def exception(entry: "AuditException") -> ExceptionData:
    return {"commit": entry.commit, "kind": entry.kind, "message": entry.message}


def audit(audit: "Audit") -> AuditData:
    return {
        "promotions": audit.promotions,
        "reverts": audit.reverts,
        "adopted": audit.adopted,
        "records": audit.has_records,
        "exceptions": [exception(entry) for entry in audit.exceptions],
        "warnings": list(audit.warnings),
    }
