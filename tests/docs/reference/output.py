"""What every command prints with `--json`, field by field."""

from collections.abc import Iterator
from typing import Any

from skillforge.render.data.outputs import OUTPUTS
from tests.docs.reference.markdown import code, document, table
from tests.docs.reference.output_schemas import schema
from tests.docs.reference.shape import resolve

_LEAD = """\
With `--json`, a command prints one object on standard output, also on failure:
`format` (`skillforge/1`), `command`, `ok`, `data` and `error` (`message`, `hint`,
`exit`). `data` is described below, and by the JSON Schemas in `schemas/output/`. Keys
are never renamed or removed within a format; more may be added. `?` marks a key that
may be absent."""


def render() -> str:
    parts: list[str] = []
    for command in OUTPUTS:
        parts.extend(_command(command))
    return document("JSON output", _LEAD, parts)


def _command(command: str) -> Iterator[str]:
    top = schema(command)
    yield f"## {command}"
    shapes = top.get("anyOf", [top])
    for number, shape in enumerate(resolve(top, shape) for shape in shapes):
        if number:
            yield "or:"
        yield shape["description"]
        yield table(("key", "type"), _rows(top, shape, "", 0))


def _rows(
    top: dict[str, Any], node: dict[str, Any], above: str, depth: int
) -> Iterator[tuple[str, str]]:
    for key, property_ in node["properties"].items():
        optional = "" if key in node["required"] else "?"
        about = property_.get("description", "")
        yield (
            code(f"{above}{key}{optional}"),
            _type(top, property_) + (f": {about}" if about else ""),
        )
        inner, suffix = _inner(top, property_)
        if inner and depth < 4:
            yield from _rows(top, inner, f"{above}{key}{suffix}.", depth + 1)


def _inner(
    top: dict[str, Any], node: dict[str, Any], suffix: str = ""
) -> tuple[dict[str, Any] | None, str]:
    """The object inside a key, its items or its values, and how to get there."""
    node = resolve(top, node)
    if "properties" in node:
        return node, suffix
    if "items" in node:
        return _inner(top, node["items"], f"{suffix}[]")
    if isinstance(node.get("additionalProperties"), dict):
        return _inner(top, node["additionalProperties"], f"{suffix}.*")
    for choice in node.get("anyOf", ()):
        found, path = _inner(top, choice, suffix)
        if found:
            return found, path
    return None, suffix


def _type(top: dict[str, Any], node: dict[str, Any]) -> str:
    node = resolve(top, node)
    if "enum" in node:
        return ", ".join(code(str(value)) for value in node["enum"])
    if "anyOf" in node:
        return " or ".join(_type(top, choice) for choice in node["anyOf"])
    if node.get("type") == "array":
        return f"list of {_type(top, node['items'])}"
    if isinstance(node.get("additionalProperties"), dict):
        return f"object of {_type(top, node['additionalProperties'])}"
    types = node.get("type", "any")
    return types if isinstance(types, str) else " or ".join(types)
