"""The tools that agents see: their names, arguments and functions.

The names and shapes of skills_list, skill_view and skill_manage are those of Hermes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from skillforge.errors import RequestError

if TYPE_CHECKING:
    from skillforge.mcp_server.context import Caller, LibraryContext

ToolFunction: TypeAlias = (
    "Callable[[LibraryContext, Caller, Mapping[str, Any]], dict[str, Any] | str]"
)
_READ = "skillforge.mcp_server.read_tools"
_WRITE = "skillforge.mcp_server.write_tools"
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
}
_A = {"integer": "an", "array": "an"}


class ToolArgument(NamedTuple):
    """One argument of a tool."""

    kind: str
    about: str
    is_required: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    @property
    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": self.kind, "description": self.about}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.kind == "array":
            schema["items"] = {"type": "string"}
        limits = {"minimum": self.least, "maximum": self.most}
        return schema | {key: n for key, n in limits.items() if n is not None}

    def problem(self, value: Any) -> str:
        """Why a value is not valid; empty if it is."""
        is_flag = isinstance(value, bool) and self.kind != "boolean"
        if is_flag or not isinstance(value, _KINDS[self.kind]):
            return f"must be {_A.get(self.kind, 'a')} {self.kind}"
        if self.choices and value not in self.choices:
            return f"must be one of {', '.join(self.choices)}"
        least = self.least or 0
        if self.most is not None and not least <= float(str(value)) <= self.most:
            return f"must be from {least:g} to {self.most:g}"
        return ""


@dataclass(frozen=True)
class Tool:
    """A tool; an open one checks its arguments itself.

    Its function is in a module that is imported on the first call: agents start the
    server with every session, and use few of its tools.
    """

    module: str
    about: str
    fields: Mapping[str, ToolArgument]
    is_read_only: bool = False
    is_open: bool = False
    extra: Mapping[str, Any] | None = None  # of its schema

    @property
    def schema(self) -> dict[str, Any]:
        properties = {name: field.schema for name, field in self.fields.items()}
        required = [name for name, field in self.fields.items() if field.is_required]
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {**(self.extra or {}), **properties},
        }
        schema |= {"required": required} if required else {}
        return schema | ({} if self.is_open else {"additionalProperties": False})

    def function(self, name: str) -> ToolFunction:
        function: ToolFunction = getattr(import_module(self.module), name)
        return function

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments without those that are null; an error if one is not valid."""
        present = {name: v for name, v in arguments.items() if v is not None}
        if self.is_open:
            return present
        for name, value in present.items():
            field = self.fields.get(name)
            if field is None:
                from skillforge.text import nearest

                similar = nearest(name, list(self.fields)) or ", ".join(self.fields)
                raise RequestError(
                    f"unknown argument {name!r}", hint=f"did you mean {similar}?"
                )
            if problem := field.problem(value):
                raise RequestError(f"`{name}` {problem}", hint=field.about)
        for name, field in self.fields.items():
            if field.is_required and name not in present:
                raise RequestError(f"`{name}` is missing", hint=field.about)
        return present


_SESSION = ToolArgument("string", "Your session, if the connection has none.")
_OPERATION = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "The skill."},
        "action": {
            "type": "string",
            "enum": ["create", "patch", "edit", "delete", "write_file", "remove_file"],
        },
        "content": {
            "type": "string",
            "description": "create, edit: the whole SKILL.md, with its frontmatter.",
        },
        "old_string": {
            "type": "string",
            "description": "patch: the text to replace; it must occur exactly once.",
        },
        "new_string": {"type": "string", "description": "patch: the new text."},
        "replace_all": {
            "type": "boolean",
            "description": "patch: replace every occurrence.",
        },
        "file_path": {
            "type": "string",
            "description": "A file of the skill, such as references/api.md.",
        },
        "file_content": {
            "type": "string",
            "description": "write_file: the whole content.",
        },
        "version": {
            "type": "string",
            "description": "patch: the `version` that skill_view returned.",
        },
        "absorbed_into": {
            "type": "string",
            "description": "delete: the skill that replaces it.",
        },
        "category": {"type": "string"},
    },
    "required": ["name", "action"],
}
_OPERATIONS = {
    "operations": {
        "type": "array",
        "minItems": 1,
        "maxItems": 20,
        "description": "Operations on one skill, in order: all or none are applied.",
        "items": _OPERATION,
    }
}

TOOLS: dict[str, Tool] = {
    "skills_list": Tool(
        _READ,
        "List the skills of this library: name, description, category. Use it before a "
        "task, and load a skill that fits with skill_view. Long lists have pages.",
        {
            "category": ToolArgument("string", "Only skills of this category."),
            "cursor": ToolArgument("string", "`next_cursor` of the previous page."),
        },
        is_read_only=True,
    ),
    "skill_view": Tool(
        _READ,
        "Load a skill's instructions (SKILL.md), or one of its linked files.",
        {
            "name": ToolArgument("string", "The skill's name.", is_required=True),
            "file_path": ToolArgument(
                "string", "A file of it, such as references/api.md."
            ),
            "version": ToolArgument(
                "string",
                'Which version: "main" for the one that edits are based on, or a git '
                "tree. Omit it to get the version that is assigned to you.",
            ),
            "session": _SESSION,
        },
        is_read_only=True,
    ),
    "skill_search": Tool(
        _READ,
        "Find skills for a task. Any text is a query.",
        {
            "query": ToolArgument("string", "The task.", is_required=True),
            "limit": ToolArgument(
                "integer", "Maximum number of results.", least=1, most=100
            ),
        },
        is_read_only=True,
    ),
    "skill_manage": Tool(
        _WRITE,
        "Propose to create, change or remove a skill. Nothing changes yet: a proposal "
        "waits for a reviewer, and the response has its number (`staged`). Read a "
        "skill with skill_view before you change it. Leave out failures of one "
        "machine and details of one session.",
        {
            "why": ToolArgument("string", "The reason, for the reviewer and history."),
            "examples": ToolArgument(
                "array", "Ids of examples that it was learned from."
            ),
            "origin": ToolArgument(
                "string",
                "agent-foreground (a user is watching) or agent-background (a review "
                "of your own).",
            ),
            "session": _SESSION,
            "model": ToolArgument("string", "The model that wrote it."),
            "bump": ToolArgument(
                "string", "The part of the version to bump: patch, minor or major."
            ),
            "draft": ToolArgument("boolean", "Not ready to be promoted."),
            "supersede": ToolArgument(
                "boolean", "Replace another agent's open proposal for the skill."
            ),
        },
        is_open=True,
        extra=_OPERATIONS,
    ),
    "skill_record": Tool(
        _WRITE,
        "Report the outcome of a task for which you used a skill. It counts for the "
        "version that you got.",
        {
            "name": ToolArgument("string", "The skill's name.", is_required=True),
            "outcome": ToolArgument(
                "string",
                "How it ended.",
                is_required=True,
                choices=("success", "failure", "unknown"),
            ),
            "verified_by": ToolArgument(
                "string",
                "Who verified it: test, verifier, llm or none. Only the first two "
                "count.",
            ),
            "pitfall": ToolArgument(
                "string", "A pitfall that others should know about."
            ),
            "note": ToolArgument("string", "A remark, stored in this clone only."),
            "seconds": ToolArgument("number", "How long it took.", least=0, most=1e12),
            "tokens": ToolArgument(
                "integer", "How many tokens it took.", least=0, most=1e12
            ),
            "loaded": ToolArgument(
                "boolean", "False if the skill was offered but not loaded."
            ),
            "id": ToolArgument(
                "string", "An id of this report; a repeated id is ignored."
            ),
        },
    ),
    "skill_capture": Tool(
        _WRITE,
        "Learn examples from a transcript of your session. They are redacted, stored "
        "in this clone only, and wait for a person to approve them.",
        {
            "transcript_path": ToolArgument("string", "The file with the session."),
            "transcript": ToolArgument("string", "Or the transcript itself, as JSON."),
            "format": ToolArgument("string", "Its format, if it isn't recognised."),
        },
    ),
    "proposal_status": Tool(
        _WRITE,
        "The status of proposals: one by number, those for a skill, or all open ones.",
        {
            "proposal": ToolArgument("integer", "Its number.", least=1, most=2**31),
            "skill": ToolArgument("string", "The skill that they change."),
        },
        is_read_only=True,
    ),
}
