"""Every JSON Schema that ships with Skillforge, field by field."""

from collections.abc import Iterator
from typing import Any

from skillforge.resources import schema, schema_path
from tests.docs.reference.markdown import code, document, table
from tests.docs.reference.shape import default_of, resolve, type_of

_LEAD = """\
JSON Schemas (draft 2020-12) for the files that people and agents write. They ship in
the package and are in `schemas/` of the repository. Editors and `check-jsonschema` can
use them."""
_MAX_DEPTH = 5


def render() -> str:
    folder = schema_path("skill.schema.json").parent
    parts: list[str] = []
    for file in sorted(folder.glob("*.json")):
        parts.extend(_schema(file.name))
    return document("Schemas", _LEAD, parts)


def _schema(name: str) -> Iterator[str]:
    loaded = schema(name)
    yield f"## {name}"
    yield loaded["title"].replace("<", "&lt;") + "."
    if "description" in loaded:
        yield loaded["description"]
    if name == "policy.schema.json":
        yield "See [policy.md](policy.md) for its keys."
        return
    yield table(("field", "type", "default", "meaning"), _fields(loaded, loaded))


def _fields(
    top: dict[str, Any], node: dict[str, Any], above: str = "", depth: int = 0
) -> Iterator[tuple[str, ...]]:
    node = resolve(top, node)
    if depth > _MAX_DEPTH:
        return
    if "properties" not in node and (inner := _inner(top, node)):
        yield from _fields(top, inner, above, depth)
        return
    needed = node.get("required", ())
    for name, property_ in node.get("properties", {}).items():
        field = resolve(top, property_)
        key = f"{above}{name}"
        must = " (required)" if name in needed else ""
        meaning = property_.get("description", field.get("description", ""))
        yield code(key) + must, type_of(field), default_of(field), meaning
        if inner := _inner(top, field):
            suffix = "[]" if field.get("type") == "array" else ""
            yield from _fields(top, inner, f"{key}{suffix}.", depth + 1)


def _inner(top: dict[str, Any], node: dict[str, Any]) -> dict[str, Any] | None:
    """The first object with fields in a field, its items or its choices."""
    if "properties" in node:
        return node
    choices = [node.get("items", {}), *node.get("oneOf", ()), *node.get("anyOf", ())]
    for choice in (resolve(top, node) for node in choices):
        if "properties" in choice:
            return choice
    return None
