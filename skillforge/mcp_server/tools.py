"""The tools that agents see: their names, what they take, and where they are.

The names and shapes of skills_list, skill_view and skill_manage are those of Hermes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from skillforge.errors import RequestError

if TYPE_CHECKING:
    from skillforge.mcp_server.context import Caller, LibraryContext

Work: TypeAlias = (
    "Callable[[LibraryContext, Caller, Mapping[str, Any]], dict[str, Any] | str]"
)
_READING = "skillforge.mcp_server.read_tools"
_WRITING = "skillforge.mcp_server.write_tools"
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
        said: dict[str, Any] = {"type": self.kind, "description": self.about}
        if self.choices:
            said["enum"] = list(self.choices)
        if self.kind == "array":
            said["items"] = {"type": "string"}
        limits = {"minimum": self.least, "maximum": self.most}
        return said | {key: it for key, it in limits.items() if it is not None}

    def refusal(self, value: Any) -> str:
        """Why a value is none for this argument; empty if it is."""
        is_flag = isinstance(value, bool) and self.kind != "boolean"
        if is_flag or not isinstance(value, _KINDS[self.kind]):
            return f"has to be {_A.get(self.kind, 'a')} {self.kind}"
        if self.choices and value not in self.choices:
            return f"has to be one of {', '.join(self.choices)}"
        least = self.least or 0
        if self.most is not None and not least <= float(str(value)) <= self.most:
            return f"has to be from {least:g} to {self.most:g}"
        return ""


@dataclass(frozen=True)
class Tool:
    """A tool; one that is `open` judges its arguments itself.

    What it does is in a module that is loaded when somebody calls: agents start the
    server with every session, and use few of its tools.
    """

    module: str
    about: str
    fields: Mapping[str, ToolArgument]
    is_reading: bool = False
    is_open: bool = False
    extra: Mapping[str, Any] | None = None  # of its schema

    @property
    def schema(self) -> dict[str, Any]:
        properties = {name: field.schema for name, field in self.fields.items()}
        required = [name for name, field in self.fields.items() if field.is_required]
        said: dict[str, Any] = {
            "type": "object",
            "properties": {**(self.extra or {}), **properties},
        }
        said |= {"required": required} if required else {}
        return said | ({} if self.is_open else {"additionalProperties": False})

    def work(self, name: str) -> Work:
        found: Work = getattr(import_module(self.module), name)
        return found

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that were given; what is null was not."""
        told = {name: value for name, value in given.items() if value is not None}
        if self.is_open:
            return told
        for name, value in told.items():
            field = self.fields.get(name)
            if field is None:
                from skillforge.text import nearest

                meant = nearest(name, list(self.fields)) or ", ".join(self.fields)
                raise RequestError(
                    f"there is no argument {name!r}", hint=f"did you mean {meant}?"
                )
            if why := field.refusal(value):
                raise RequestError(f"`{name}` {why}", hint=field.about)
        for name, field in self.fields.items():
            if field.is_required and name not in told:
                raise RequestError(f"`{name}` is missing", hint=field.about)
        return told


_SESSION = ToolArgument("string", "Your session, if the connection does not tell it.")
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
            "description": "patch: text to replace, exactly as it stands there, once.",
        },
        "new_string": {"type": "string", "description": "patch: what takes its place."},
        "replace_all": {"type": "boolean", "description": "patch: wherever it is."},
        "file_path": {
            "type": "string",
            "description": "A file of the skill, such as references/api.md.",
        },
        "file_content": {"type": "string", "description": "write_file: all of it."},
        "version": {
            "type": "string",
            "description": "patch: the version that you read (skill_view tells).",
        },
        "absorbed_into": {
            "type": "string",
            "description": "delete: the skill that takes its place.",
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
        "description": "All on one skill, in this order; all of them or none.",
        "items": _OPERATION,
    }
}

TOOLS: dict[str, Tool] = {
    "skills_list": Tool(
        _READING,
        "List the skills of this library: name, description, category. Look here "
        "before a task; load what fits with skill_view. Long lists come in pages.",
        {
            "category": ToolArgument("string", "Only skills of this category."),
            "cursor": ToolArgument("string", "`next_cursor` of the page before."),
        },
        is_reading=True,
    ),
    "skill_view": Tool(
        _READING,
        "Load a skill's instructions (SKILL.md), or one of its linked files.",
        {
            "name": ToolArgument("string", "The skill's name.", is_required=True),
            "file_path": ToolArgument(
                "string", "A file of it, such as references/api.md."
            ),
            "version": ToolArgument(
                "string",
                'Which version: "main" for the one that edits are based on, or a git '
                "tree. Leave it away to get the one that is meant for you.",
            ),
            "session": _SESSION,
        },
        is_reading=True,
    ),
    "skill_search": Tool(
        _READING,
        "Find skills by what they are for. Any words will do.",
        {
            "query": ToolArgument("string", "What you want to do.", is_required=True),
            "limit": ToolArgument("integer", "How many.", least=1, most=100),
        },
        is_reading=True,
    ),
    "skill_manage": Tool(
        _WRITING,
        "Propose to create, change or remove a skill. Nothing is changed: a proposal "
        "waits for a reviewer, and the answer has its number (`staged`). Read a skill "
        "with skill_view before you change it. Leave out what failed once on one "
        "machine, and stories of one session.",
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
            "bump": ToolArgument("string", "Of the version: patch, minor or major."),
            "draft": ToolArgument("boolean", "Not to be promoted yet."),
            "supersede": ToolArgument(
                "boolean", "Replace another agent's open proposal for the skill."
            ),
        },
        is_open=True,
        extra=_OPERATIONS,
    ),
    "skill_record": Tool(
        _WRITING,
        "Report how a task ended for which you used a skill. It counts for the version "
        "that you were given.",
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
                "What says so: test, verifier, llm or none. Only the first two count.",
            ),
            "pitfall": ToolArgument("string", "What others should watch out for."),
            "note": ToolArgument("string", "A remark; it stays in this clone."),
            "seconds": ToolArgument("number", "How long it took.", least=0, most=1e12),
            "tokens": ToolArgument("integer", "What it cost.", least=0, most=1e12),
            "loaded": ToolArgument(
                "boolean", "False if it was offered, and left alone."
            ),
            "id": ToolArgument("string", "Of this report, so that it counts once."),
        },
    ),
    "skill_capture": Tool(
        _WRITING,
        "Keep what is worth learning from a transcript of your session. It is "
        "redacted, stays in this clone, and waits for a person to approve it.",
        {
            "transcript_path": ToolArgument(
                "string", "The file that holds the session."
            ),
            "transcript": ToolArgument("string", "Or the transcript itself, as JSON."),
            "format": ToolArgument("string", "Its format, if it is not recognised."),
        },
    ),
    "proposal_status": Tool(
        _WRITING,
        "Tell how proposals stand: one by number, those for a skill, or all open ones.",
        {
            "proposal": ToolArgument("integer", "Its number.", least=1, most=2**31),
            "skill": ToolArgument("string", "The skill that they are about."),
        },
        is_reading=True,
    ),
}
