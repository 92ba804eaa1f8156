"""Every JSON Schema that ships with Skillforge, field by field."""

from collections.abc import Iterator
from typing import Any

from skillforge.resources import schema, schema_path
from tests.docs.reference.markdown import code, document, table
from tests.docs.reference.shape import default_of, resolve, type_of

_LEAD = """\
JSON Schemas (draft 2020-12) of what people and agents write. They ship inside the
package, and lie in `schemas/` of the repository; an editor or `check-jsonschema` can
use them."""
_MOST = 5  # levels of fields in fields


def render() -> str:
    folder = schema_path("skill.schema.json").parent
    parts: list[str] = []
    for file in sorted(folder.glob("*.json")):
        parts.extend(_schema(file.name))
    return document("Schemas", _LEAD, parts)


def _schema(name: str) -> Iterator[str]:
    said = schema(name)
    yield f"## {name}"
    yield said["title"].replace("<", "&lt;") + "."
    if "description" in said:
        yield said["description"]
    if name == "policy.schema.json":
        yield "Its keys are on a page of their own: [policy.md](policy.md)."
        return
    yield table(("field", "type", "default", "meaning"), _fields(said, said))


def _fields(
    top: dict[str, Any], node: dict[str, Any], above: str = "", depth: int = 0
) -> Iterator[tuple[str, ...]]:
    node = resolve(top, node)
    if depth > _MOST:
        return
    if "properties" not in node and (inner := _inner(top, node)):
        yield from _fields(top, inner, above, depth)
        return
    needed = node.get("required", ())
    for name, said in node.get("properties", {}).items():
        field = resolve(top, said)
        key = f"{above}{name}"
        must = " (required)" if name in needed else ""
        meaning = said.get("description", field.get("description", ""))
        yield code(key) + must, type_of(field), default_of(field), meaning
        if inner := _inner(top, field):
            many = "[]" if field.get("type") == "array" else ""
            yield from _fields(top, inner, f"{key}{many}.", depth + 1)


def _inner(top: dict[str, Any], node: dict[str, Any]) -> dict[str, Any] | None:
    """What has fields of its own, inside a field or a choice."""
    if "properties" in node:
        return node
    choices = [node.get("items", {}), *node.get("oneOf", ()), *node.get("anyOf", ())]
    for choice in (resolve(top, it) for it in choices):
        if "properties" in choice:
            return choice
    return None
