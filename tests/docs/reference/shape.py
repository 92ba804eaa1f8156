"""Describe a part of a JSON Schema in words."""

import json
from typing import Any

from tests.docs.reference.markdown import code

_NAMES = {"array": "list", "object": "mapping", "integer": "whole number"}


def resolve(top: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """A node merged with the node of the same schema that it refers to."""
    reference = node.get("$ref", "")
    if not reference.startswith("#/"):
        return node
    target: Any = top
    for part in reference.removeprefix("#/").split("/"):
        target = target[part]
    return {**resolve(top, target), **node}


def type_of(node: dict[str, Any]) -> str:
    if "enum" in node:
        return ", ".join(code(str(value)) for value in node["enum"])
    if "const" in node:
        return code(str(node["const"]))
    if choices := [*node.get("oneOf", ()), *node.get("anyOf", ())]:
        types = dict.fromkeys(type_of(choice) for choice in choices)
        return " or ".join(filter(None, types))
    return _plain(node) + _bounds(node)


def _plain(node: dict[str, Any]) -> str:
    types = node.get("type", "")
    names = [types] if isinstance(types, str) else types
    words = " or ".join(_NAMES.get(name, name) for name in names)
    inner = node.get("items") if "array" in names else node.get("additionalProperties")
    if isinstance(inner, dict) and (of := type_of(inner)):
        return f"{words or 'mapping'} of {of}"
    return words


def _bounds(node: dict[str, Any]) -> str:
    signs = {
        "minimum": "≥",
        "exclusiveMinimum": ">",
        "maximum": "≤",
        "exclusiveMaximum": "<",
    }
    found = [f"{sign} {node[key]}" for key, sign in signs.items() if key in node]
    return f", {', '.join(found)}".replace("<", "&lt;") if found else ""


def default_of(node: dict[str, Any]) -> str:
    inner = node.get("additionalProperties")
    if "default" not in node and isinstance(inner, dict) and "default" in inner:
        return f"each {code(str(inner['default']))}"
    if "default" not in node:
        return ""
    value = node["default"]
    return code(json.dumps(value) if not isinstance(value, str) else value)
