"""JSON Schemas of what `--json` prints, generated from `skillforge.render.data`."""

import inspect
import json
import types
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from skillforge.render.data.outputs import OUTPUTS

FOLDER = Path(__file__).parents[3] / "schemas" / "output"
_PLAIN = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
Node = dict[str, Any]


def files() -> dict[Path, str]:
    """The current text of every schema, by its file."""
    return {
        FOLDER / f"{command}.schema.json": f"{json.dumps(schema(command), indent=2)}\n"
        for command in OUTPUTS
    }


def schema(command: str) -> Node:
    """The schema of a command's `data`."""
    shared: dict[str, Node] = {}
    node = _node(OUTPUTS[command], shared)
    if "$ref" in node:
        node = shared.pop(node["$ref"].rpartition("/")[2])
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"`data` of `skillforge {command} --json`",
    }
    return head | node | ({"$defs": shared} if shared else {})


def strict(node: Any) -> Any:
    """The same schema, but no key is allowed that it doesn't name."""
    if isinstance(node, list):
        return [strict(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    closed = {"additionalProperties": False} if "properties" in node else {}
    return closed | {key: strict(value) for key, value in node.items()}


def _node(type_: Any, shared: dict[str, Node]) -> Node:
    origin, arguments = get_origin(type_), get_args(type_)
    if origin in (NotRequired, Required):
        return _node(arguments[0], shared)
    if origin is Annotated:
        return _node(arguments[0], shared) | {"description": arguments[1]}
    if type_ in _PLAIN:
        return {"type": _PLAIN[type_]}
    if is_typeddict(type_):
        return _object(type_, shared)
    if origin in (Union, types.UnionType):
        return _union([_node(argument, shared) for argument in arguments])
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _node(arguments[0], shared)}
    if origin is dict:
        return {
            "type": "object",
            "additionalProperties": _node(arguments[1], shared),
        }
    assert type_ is Any, f"{type_} has no JSON Schema"
    return {}


def _union(nodes: list[Node]) -> Node:
    """`type: [...]` for plain types, else `anyOf`."""
    if all(node.keys() == {"type"} for node in nodes):
        return {"type": [node["type"] for node in nodes]}
    return {"anyOf": nodes}


def _object(type_: Any, shared: dict[str, Node]) -> Node:
    """A reference to a typed dictionary, which is described once."""
    name = type_.__name__.removesuffix("Data")
    if name not in shared:
        shared[name] = {}  # known from here on, also to itself
        hints = get_type_hints(type_, include_extras=True)
        properties = {key: _node(hint, shared) for key, hint in hints.items()}
        required = [key for key in hints if key in type_.__required_keys__]
        shared[name] |= {
            "description": inspect.cleandoc(type_.__doc__ or "").split("\n\n")[0],
            "type": "object",
            "required": required,
            "properties": properties,
        }
    return {"$ref": f"#/$defs/{name}"}
