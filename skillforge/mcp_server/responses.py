"""From a call to a response: JSON with the result, or with an error and a hint."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillforge.errors import ConflictError, SkillforgeError
from skillforge.mcp_server.context import Caller, LibraryContext
from skillforge.mcp_server.tools import TOOLS
from skillforge.text import shortened

_LONGEST = 1000  # characters of an error


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
        what = shortened(what, _LONGEST)
        return _error({"error": f"internal error: {what}", "hint": hint})
    if isinstance(result, str):
        return ToolResponse(_sendable(result))
    text = json.dumps(result, ensure_ascii=False)
    return ToolResponse(_sendable(text), not result["success"])


def _sendable(text: str) -> str:
    """Text that can be sent as UTF-8: lone surrogates are replaced."""
    return text.encode("utf-8", "replace").decode()


def _error(data: Mapping[str, Any]) -> ToolResponse:
    text = json.dumps({"success": False, **data}, ensure_ascii=False, default=str)
    return ToolResponse(_sendable(text), is_error=True)


def _error_data(err: SkillforgeError) -> dict[str, Any]:
    facts = dict(err.facts)
    message = shortened(err.message, _LONGEST)  # it may repeat an argument
    data: dict[str, Any] = {"error": message, "hint": shortened(err.hint, _LONGEST)}
    if "operation" in facts:
        number = int(facts.pop("operation"))  # type: ignore[call-overload]
        data |= {"failed_index": number - 1, "completed_before_failure": 0}
    if isinstance(err, ConflictError):
        data["conflict"] = True
    return data | facts
