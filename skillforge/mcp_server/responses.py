"""From a call to a response: JSON with the result, or with an error and a hint."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillforge.errors import ConflictError, SkillforgeError
from skillforge.mcp_server.context import Caller, LibraryContext
from skillforge.mcp_server.tools import TOOLS


class ToolResponse(NamedTuple):
    """A response as agents get it."""

    text: str
    is_error: bool = False


def respond(
    context: LibraryContext, name: str, caller: Caller, arguments: Mapping[str, Any]
) -> ToolResponse:
    """Run a tool; errors are responses, too."""
    try:
        tool = TOOLS[name]
        result = tool.function(name)(context, caller, tool.checked(arguments))
    except SkillforgeError as err:
        return _error(_error_data(err))
    except Exception as err:  # noqa: BLE001 - the last stop before the agent
        what = f"{type(err).__name__}: {err}" if str(err) else type(err).__name__
        hint = "this is a bug in skillforge; try once more, then tell the user"
        return _error({"error": f"internal error: {what}", "hint": hint})
    if isinstance(result, str):
        return ToolResponse(result)
    return ToolResponse(json.dumps(result, ensure_ascii=False), not result["success"])


def _error(data: Mapping[str, Any]) -> ToolResponse:
    text = json.dumps({"success": False, **data}, ensure_ascii=False, default=str)
    return ToolResponse(text, is_error=True)


def _error_data(err: SkillforgeError) -> dict[str, Any]:
    facts = dict(err.facts)
    data: dict[str, Any] = {"error": err.message, "hint": err.hint}
    if "operation" in facts:
        number = int(facts.pop("operation"))  # type: ignore[call-overload]
        data |= {"failed_index": number - 1, "completed_before_failure": 0}
    if isinstance(err, ConflictError):
        data["conflict"] = True
    return data | facts
