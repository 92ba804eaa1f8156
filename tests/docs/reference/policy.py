"""Every key of `skillforge.yaml`."""

from collections.abc import Iterator
from typing import Any

from skillforge.resources import schema
from tests.docs.reference.markdown import code, document, table
from tests.docs.reference.shape import default_of, type_of

_LEAD = """\
The policy is the file `skillforge.yaml` at the root of a library. The file and all its
keys are optional. The gate reads it at the base revision, so a proposal cannot change
the rules that it is checked by. An unknown key is an error, which suggests the nearest
one. Editors can use `schemas/policy.schema.json`."""


def render() -> str:
    rows = list(_rows(schema("policy.schema.json")))
    head = ("key", "type", "default", "meaning")
    return document("Policy", _LEAD, [table(head, rows)])


def _rows(node: dict[str, Any], above: str = "") -> Iterator[tuple[str, ...]]:
    for name, inner in node["properties"].items():
        key, meaning = f"{above}{name}", inner.get("description", "")
        yield code(key), type_of(inner), default_of(inner), meaning
        if "properties" in inner:
            yield from _rows(inner, f"{key}.")
