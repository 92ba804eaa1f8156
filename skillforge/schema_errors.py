"""JSON Schema errors in plain words, and YAML files with line numbers."""

import re
from collections.abc import Callable, Sequence
from functools import cache, reduce
from operator import getitem
from typing import Any, NamedTuple

from skillforge.resources import schema
from skillforge.text import nearest

MAX_BYTES = 1 << 18
_MAX_DEPTH = 40
_TYPES = {
    "string": "text",
    "object": "a mapping of keys to values",
    "array": "a list",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
}


_SCALARS = frozenset(("string", "number", "boolean", "null"))  # any plain value


class SchemaMismatch(NamedTuple):
    """The most relevant schema error of a value, and its place in the value."""

    path: list[Any]
    message: str

    @property
    def words(self) -> str:
        where = ".".join(str(part) for part in self.path)
        return f"{where}: {self.message}" if where else self.message


def misfit(value: Any, schema_name: str, part: str = "") -> SchemaMismatch | None:
    """The error to fix first; None if a value conforms to a schema or its part."""
    errors = sorted(_validator(schema_name, part).iter_errors(value), key=_weight)
    if not errors:
        return None
    error = _inmost(errors[-1])
    path = list(error.absolute_path)
    if error.validator == "additionalProperties" and error.schema.get("properties"):
        known = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known)
        similar = nearest(str(unknown), known)
        hint = f"did you mean {similar}?" if similar else f"known: {', '.join(known)}"
        return SchemaMismatch([*path, unknown], f"unknown key `{unknown}`; {hint}")
    return SchemaMismatch(path, _message(error))


def _weight(error: Any) -> tuple[bool, int]:
    """An unknown key explains more than the missing one; so does a deeper error."""
    return error.validator == "additionalProperties", len(error.absolute_path)


def _inmost(error: Any) -> Any:
    """The error in the alternative that was probably intended."""
    likely = [
        e for e in error.context or () if e.validator != "type" or e.relative_path
    ]
    return _inmost(max(likely, key=_weight)) if likely else error


@cache
def _validator(schema_name: str, part: str) -> Any:
    from jsonschema import Draft202012Validator

    whole = schema(schema_name)
    if part:
        inner = reduce(getitem, part.split("/"), whole)
        whole = {**inner, "$defs": whole["$defs"]}
    return Draft202012Validator(whole)


def _message(error: Any) -> str:
    """A schema error in words that need no knowledge of schemas."""
    limit = error.validator_value
    if error.validator in ("type", "oneOf"):
        types = limit if error.validator == "type" else _alternatives(error)
        names = [types] if isinstance(types, str) else types
        if _SCALARS.issubset(names):
            names = [name for name in names if name not in _SCALARS - {"string"}]
        allowed = list(dict.fromkeys(_TYPES.get(name, name) for name in names))
        quotes = "; quote it" if "text" in allowed else ""
        simple = not isinstance(error.instance, dict | list)
        shown = f", not `{error.instance}`" if simple else ""
        return f"must be {' or '.join(allowed)}{shown}{quotes if simple else ''}"
    if error.validator == "required":
        missing = next(key for key in limit if key not in error.instance)
        return f"`{missing}` is missing"
    words = {
        "exclusiveMinimum": f"must be more than {limit}",
        "minimum": f"must be at least {limit}",
        "maximum": f"must be at most {limit}",
        "minItems": "must not be empty",
        "minLength": "must not be empty",
        "minProperties": "must not be empty",
        "pattern": f"`{error.instance}` {_pattern_words(error)}",
    }
    return words.get(error.validator, str(error.message)[:300])


def _pattern_words(error: Any) -> str:
    """What a pattern asks for: in the schema's words, if it has some."""
    words = error.schema.get("patternErrorMessage")  # editors show it, too
    return str(words or f"does not match {error.validator_value}")


def _alternatives(error: Any) -> list[str]:
    """The types that the alternatives accept."""
    types = [e.validator_value for e in error.context if e.validator == "type"]
    return [n for t in types for n in ([t] if isinstance(t, str) else t)]


class YamlFileError(Exception):
    """A YAML file cannot be read: the line and the reason."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


class Loaded(NamedTuple):
    """The content of a YAML file, and the line of each path in it."""

    value: Any
    line_of: Callable[[Sequence[Any]], int]


class Spelled(float):
    """A number that keeps its spelling: as text, 0.80 is not 0.8."""

    text: str

    @classmethod
    def read(cls, text: str) -> "Spelled":
        number = cls(text)
        number.text = text
        return number


def as_text(value: Any) -> str:
    """A value as text: numbers as they were written, other values as JSON."""
    import json

    if isinstance(value, Spelled):
        return value.text
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def load_yaml(data: bytes) -> Loaded:
    """Read a YAML file of limited size and depth, without aliases and tags.

    Unquoted numbers, `true`, `false` and `null` are values; anything else is text,
    dates and `yes` included.
    """
    import yaml

    if len(data) > MAX_BYTES:
        raise YamlFileError(1, f"larger than {MAX_BYTES >> 10} KB")
    try:
        text = data.decode("utf-8-sig")
        _refuse_aliases(yaml.parse(text, Loader=_loader()), yaml)
        loader = _loader()(text)
        try:
            node = loader.get_single_node()
            _refuse_doubles(node, yaml)
            value = loader.construct_document(node) if node is not None else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as err:
        line = err.problem_mark.line + 1 if err.problem_mark else 1
        if "another document" in str(err.problem):
            why = "the file contains two documents; write a list"
            raise YamlFileError(line, why) from err
        hint = "check the indentation and the quotes of this line"
        raise YamlFileError(line, f"not YAML: {err.problem}; {hint}") from err
    except (yaml.YAMLError, ValueError, RecursionError) as err:
        raise YamlFileError(1, f"not YAML in UTF-8: {err}") from err
    return Loaded(value, lambda path: _line_of(node, path))


@cache
def _loader() -> Any:
    """A loader with the scalar types of YAML 1.2, which are less surprising."""
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc, valid-type]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - yaml's own

    def add(tag: str, pattern: str, first: str) -> None:
        whole = re.compile(rf"(?:{pattern})\Z")
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", whole, list(first))

    add("bool", "true|True|TRUE|false|False|FALSE", "tTfF")
    add("null", "~|null|Null|NULL|", "~nN\0")
    add("int", "[-+]?(?:0|[1-9][0-9]*)", "-+0123456789")
    add(
        "float",
        r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?",
        "-+0123456789",
    )
    Loader.yaml_implicit_resolvers[""] = Loader.yaml_implicit_resolvers.pop("\0")
    Loader.add_constructor(
        "tag:yaml.org,2002:float", lambda _, node: Spelled.read(node.value)
    )
    return Loader


def _refuse_aliases(events: Any, yaml: Any) -> None:
    depth = 0
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise YamlFileError(line, "aliases (`*name`) are not supported")
        if getattr(event, "tag", None) not in (None, "!"):
            raise YamlFileError(line, "tags (`!name`) are not supported")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise YamlFileError(line, "nested too deeply")


def _refuse_doubles(node: Any, yaml: Any) -> None:
    if isinstance(node, yaml.MappingNode):
        keys = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise YamlFileError(line, "a key must be text")
            if key.value in keys:
                raise YamlFileError(line, f"duplicate key `{key.value}`")
            keys.add(key.value)
            _refuse_doubles(value, yaml)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_doubles(item, yaml)


def _line_of(node: Any, path: Sequence[Any]) -> int:
    """The line of the last part of a path that exists, a key or an item."""
    for at, part in enumerate(path):
        below = node.value if isinstance(node.value, list) else []
        is_last = at == len(path) - 1
        if isinstance(part, int) and part < len(below):
            item = below[part]
            node = item[1] if isinstance(item, tuple) else item
            continue
        pairs = (pair for pair in below if isinstance(pair, tuple))
        match = next((pair for pair in pairs if pair[0].value == str(part)), None)
        if match is None:
            break
        node = match[0] if is_last else match[1]
    return int(node.start_mark.line) + 1 if node is not None else 1
