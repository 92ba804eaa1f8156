"""From a call to an answer: JSON that says what was done, or what to do instead."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillforge.errors import ConflictError, SkillforgeError
from skillforge.mcp_server.context import Caller, LibraryContext
from skillforge.mcp_server.tools import TOOLS


class ToolResponse(NamedTuple):
    """An answer as agents get it."""

    text: str
    is_error: bool = False


def answer(
    door: LibraryContext, name: str, caller: Caller, given: Mapping[str, Any]
) -> ToolResponse:
    """Do what a tool does; whatever goes wrong is an answer, too."""
    try:
        tool = TOOLS[name]
        done = tool.work(name)(door, caller, tool.checked(given))
    except SkillforgeError as err:
        return _failed(_told(err))
    except Exception as err:  # noqa: BLE001 - the last stop before the agent
        what = f"{type(err).__name__}: {err}" if str(err) else type(err).__name__
        hint = "this is a bug of skillforge; try it once more, then tell the user"
        told = {"error": f"stopped by an error of its own: {what}", "hint": hint}
        return _failed(told)
    if isinstance(done, str):
        return ToolResponse(done)
    return ToolResponse(json.dumps(done, ensure_ascii=False), not done["success"])


def _failed(told: Mapping[str, Any]) -> ToolResponse:
    said = json.dumps({"success": False, **told}, ensure_ascii=False, default=str)
    return ToolResponse(said, is_error=True)


def _told(err: SkillforgeError) -> dict[str, Any]:
    facts = dict(err.facts)
    told: dict[str, Any] = {"error": err.message, "hint": err.hint}
    if "operation" in facts:
        at = int(facts.pop("operation"))  # type: ignore[call-overload]
        told |= {"failed_index": at - 1, "completed_before_failure": 0}
    if isinstance(err, ConflictError):
        told["conflict"] = True
    return told | facts
