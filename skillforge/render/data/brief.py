"""Briefs as the `data` of `--json`, and the commands that they name."""

import json
import shlex
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from skillforge.learn.brief import SessionBrief


class SessionErrorData(TypedDict):
    """An error in a session; `cured` if the same tool succeeded later."""

    tool: str
    said: str
    cured: bool


class NearSkillData(TypedDict):
    """A skill for such tasks, and how similar it is."""

    skill: str
    alike: float


class BriefCommandsData(TypedDict):
    """The command lines to run; words in capitals are for the agent to fill in."""

    read: str
    patch: str
    file: str
    new: str
    status: str


class BriefData(TypedDict):
    """What sessions contain that may be worth learning."""

    subject: str
    session: str
    tasks: list[str]
    calls: int
    corrections: list[str]
    troubles: list[SessionErrorData]
    loaded: list[str]
    near: list[NearSkillData]
    pattern: str | None
    commands: BriefCommandsData


def brief(result: "SessionBrief") -> BriefData:
    return {
        "subject": result.subject,
        "session": result.session,
        "tasks": list(result.tasks),
        "calls": result.calls,
        "corrections": list(result.corrections),
        "troubles": [
            {"tool": error.tool, "said": error.text, "cured": error.is_recovered}
            for error in result.errors
        ],
        "loaded": list(result.loaded),
        "near": [
            {"skill": name, "alike": round(alike, 3)} for name, alike in result.near
        ],
        "pattern": result.pattern or None,
        "commands": commands(result),
    }


def commands(brief: "SessionBrief") -> BriefCommandsData:
    option = f"--library {shlex.quote(str(brief.library))}"
    near = brief.near[0][0] if brief.near else "SKILL"
    target = brief.loaded[0] if brief.loaded else near
    patch = {
        "action": "patch",
        "name": target,
        "old_string": "OLD TEXT",
        "new_string": "NEW TEXT",
    }
    file = {
        "action": "write_file",
        "name": target,
        "file_path": "references/TOPIC.md",
        "file_content": "CONTENT",
    }
    new = f"patterns {option}"
    if brief.pattern:
        new = f"draft {brief.pattern} --name NAME --propose {option}"
    return {
        "read": f"skillforge show {target} {option}",
        "patch": _propose(brief, option, [patch]),
        "file": _propose(brief, option, [file, patch]),
        "new": f"skillforge {new}",
        "status": f"skillforge proposals {option}",
    }


def _propose(
    brief: "SessionBrief", option: str, operations: list[dict[str, str]]
) -> str:
    batch: dict[str, Any] = {"operations": operations, "why": "REASON"}
    batch["origin"] = "agent-background"
    if brief.session:
        batch["session"] = brief.session
    text = json.dumps(batch, indent=1, ensure_ascii=False)
    return f"skillforge propose {option} <<'BATCH'\n{text}\nBATCH"
