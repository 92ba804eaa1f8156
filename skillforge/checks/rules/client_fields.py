"""Fields that single clients define, at the top and below `metadata`.

`schemas/skill.schema.json` lists them with their types; `x-client` names the clients.
"""

from collections.abc import Iterator
from typing import Any

from skillforge.model import (
    Document,
    RuleProblem,
    Severity,
    Skill,
    Value,
    rule,
    rules_in,
)
from skillforge.resources import schema

_FIELDS = schema("skill.schema.json")["properties"]


def _defined_by_clients(fields: dict[str, Any]) -> dict[str, str]:
    """The clients of each field that is not part of the specification."""
    return {n: field["x-client"] for n, field in fields.items() if "x-client" in field}


CLIENTS = _defined_by_clients(_FIELDS)
_NESTED = _defined_by_clients(_FIELDS["metadata"]["properties"])
_PLAIN = frozenset(name for name, field in _FIELDS.items() if "$ref" in field)


def is_clients(key: str, value: Value) -> bool:
    """Whether an entry of `metadata` is the mapping of a client."""
    return key in _NESTED and isinstance(value, dict)


def client_fields(doc: Document) -> dict[str, str]:
    """The fields of clients in a skill, by path, with the clients that read them."""
    fields = {name: CLIENTS[name] for name in doc.fields if name in CLIENTS}
    metadata = doc.fields.get("metadata")
    if isinstance(metadata, dict) and not _NESTED.keys().isdisjoint(metadata):
        nested = [key for key, value in metadata.items() if is_clients(key, value)]
        fields |= {f"metadata.{key}": _NESTED[key] for key in nested}
    return fields


def is_for_other_clients(doc: Document) -> bool:
    """Whether claude.ai refuses a skill for the fields at its top."""
    return not CLIENTS.keys().isdisjoint(doc.fields)


@rule(Severity.NOTE)
def field_client(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A note on fields that only some clients define: Hermes, OpenClaw, Claude Code,
    Codex, Copilot.

    They are fine, mappings such as `metadata.hermes` and `metadata.openclaw` included.
    Other agents ignore them. claude.ai, the Skills API and the reference validator
    refuse fields at the top that the specification doesn't define. In a skill with
    such fields, what its client accepts and the specification doesn't, such as another
    name than the folder's, is a note.
    """
    if fields := client_fields(doc):
        by_client: dict[str, list[str]] = {}
        for path, clients in fields.items():
            by_client.setdefault(clients, []).append(f"`{path}`")
        parts = [f"{who}: {', '.join(paths)}" for who, paths in by_client.items()]
        is_refused = any("." not in path for path in fields)
        yield RuleProblem(
            f"uses fields of {'; of '.join(parts)}",
            "nothing to do; other agents ignore them"
            + (", claude.ai and the Skills API refuse an upload" if is_refused else ""),
            min(map(doc.line_of, fields)),
        )


@rule(Severity.WARNING)
def field_client_type(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A field of a client has the type that the client reads: true or false, a text, a
    list or a mapping.

    Clients skip a value of another type, often without a message.
    """
    from skillforge.schema_errors import misfit

    for path, clients in client_fields(doc).items():
        name, _, nested = path.partition(".")
        if name in _PLAIN and isinstance(doc.fields[name], str):
            continue  # any text fits; most fields are one
        value = _typed(doc, doc.fields[name], name)
        if nested and isinstance(value, dict):
            value = {nested: value[nested]}
        if mismatch := misfit(value, "skill.schema.json", f"properties/{name}"):
            where = ".".join(map(str, (name, *mismatch.path)))
            yield RuleProblem(
                f"`{where}`: {mismatch.message}",
                f"write it as {clients} reads it",
                doc.lines.get(where, doc.line_of(path)),
            )


def _typed(doc: Document, value: Value, path: str) -> Any:
    """A value with booleans and nulls; numbers and dates stay text."""
    if isinstance(value, dict):
        return {key: _typed(doc, v, f"{path}.{key}") for key, v in value.items()}
    if isinstance(value, list):
        return [_typed(doc, item, f"{path}.{i}") for i, item in enumerate(value)]
    if doc.kinds.get(path) == "null":
        return None
    word = value.lower()
    is_boolean = doc.kinds.get(path) == "boolean" or word in {"true", "false"}
    return word in {"true", "yes", "on"} if is_boolean else value


RULES = rules_in(globals())
