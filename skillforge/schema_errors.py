"""What a JSON Schema has against a value, in words; and YAML files, with lines."""

import re
from collections.abc import Callable, Sequence
from functools import cache
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


class SchemaMismatch(NamedTuple):
    """The worst thing that a schema has against a value, and where in the value."""

    path: list[Any]
    message: str

    @property
    def words(self) -> str:
        where = ".".join(str(part) for part in self.path)
        return f"{where}: {self.message}" if where else self.message


def misfit(value: Any, schema_name: str, part: str = "") -> SchemaMismatch | None:
    """The first thing to mend in a value; None if it is as a schema (a part) says."""
    errors = sorted(_validator(schema_name, part).iter_errors(value), key=_weight)
    if not errors:
        return None
    error = _inmost(errors[-1])
    path = list(error.absolute_path)
    if error.validator == "additionalProperties" and error.schema.get("properties"):
        known = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known)
        similar = nearest(str(unknown), known)
        rest = (
            f"did you mean {similar}?" if similar else f"there are {', '.join(known)}"
        )
        return SchemaMismatch([*path, unknown], f"there is no key `{unknown}`; {rest}")
    return SchemaMismatch(path, _plainly(error))


def _weight(error: Any) -> tuple[bool, int]:
    """A wrong key says more than what is missing without it; deeper is nearer."""
    return error.validator == "additionalProperties", len(error.absolute_path)


def _inmost(error: Any) -> Any:
    """Of alternatives, what is wrong with the one that was probably meant."""
    likely = [
        e for e in error.context or () if e.validator != "type" or e.relative_path
    ]
    return _inmost(max(likely, key=_weight)) if likely else error


@cache
def _validator(schema_name: str, part: str) -> Any:
    from jsonschema import Draft202012Validator

    whole = schema(schema_name)
    if part:
        whole = {"$ref": f"#/$defs/{part}", "$defs": whole["$defs"]}
    return Draft202012Validator(whole)


def _plainly(error: Any) -> str:
    """An error of a schema in the words of somebody who has never seen one."""
    limit = error.validator_value
    if error.validator in ("type", "oneOf"):
        types = limit if error.validator == "type" else _alternatives(error)
        names = [types] if isinstance(types, str) else types
        allowed = list(dict.fromkeys(_TYPES.get(name, name) for name in names))
        quotes = "; put quotes around it" if "text" in allowed else ""
        simple = not isinstance(error.instance, dict | list)
        shown = f", not `{error.instance}`" if simple else ""
        return f"it has to be {' or '.join(allowed)}{shown}{quotes if simple else ''}"
    if error.validator == "required":
        missing = next(key for key in limit if key not in error.instance)
        return f"`{missing}` is missing"
    words = {
        "exclusiveMinimum": f"it has to be more than {limit}",
        "minimum": f"it has to be at least {limit}",
        "maximum": f"it has to be at most {limit}",
        "minItems": "it is empty",
        "minLength": "it is empty",
        "minProperties": "it is empty",
        "pattern": f"`{error.instance}` cannot stand here; it has to be like {limit}",
    }
    return words.get(error.validator, str(error.message)[:300])


def _alternatives(error: Any) -> list[str]:
    """The types that any of several alternatives takes."""
    types = [e.validator_value for e in error.context if e.validator == "type"]
    return [n for t in types for n in ([t] if isinstance(t, str) else t)]


class YamlFileError(Exception):
    """A YAML file that cannot be read; says where and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


class Loaded(NamedTuple):
    """The content of a YAML file, and on which line a path in it stands."""

    value: Any
    line_of: Callable[[Sequence[Any]], int]


class Spelled(float):
    """A number that knows how it was written: as text, 0.80 is not 0.8."""

    text: str

    @classmethod
    def read(cls, text: str) -> "Spelled":
        number = cls(text)
        number.text = text
        return number


def as_text(value: Any) -> str:
    """A value inside a text: a number as it was written, the rest as JSON."""
    import json

    if isinstance(value, Spelled):
        return value.text
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def load_yaml(data: bytes) -> Loaded:
    """Read a YAML file that is no larger, deeper or more repetitive than it looks.

    Of what is not quoted, only numbers, `true`, `false` and `null` are not text: no
    dates, no `yes`, no octal numbers.
    """
    import yaml

    if len(data) > MAX_BYTES:
        raise YamlFileError(1, f"it has more than {MAX_BYTES >> 10} KB")
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
            raise YamlFileError(line, "it holds two documents; write a list") from err
        hint = "check the indent and the quotes of this line"
        raise YamlFileError(line, f"not YAML: {err.problem}; {hint}") from err
    except (yaml.YAMLError, ValueError, RecursionError) as err:
        raise YamlFileError(1, f"not YAML text in UTF-8: {err}") from err
    return Loaded(value, lambda path: _line_of(node, path))


@cache
def _loader() -> Any:
    """YAML 1.2's idea of what is not text, which holds fewer surprises."""
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
            raise YamlFileError(line, "aliases (`*name`) are not read; write it out")
        if getattr(event, "tag", None) not in (None, "!"):
            raise YamlFileError(line, "tags (`!name`) are not read; leave it out")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise YamlFileError(line, "it is nested too deeply")


def _refuse_doubles(node: Any, yaml: Any) -> None:
    if isinstance(node, yaml.MappingNode):
        keys = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise YamlFileError(line, "a key has to be text")
            if key.value in keys:
                raise YamlFileError(line, f"the key `{key.value}` is there twice")
            keys.add(key.value)
            _refuse_doubles(value, yaml)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_doubles(item, yaml)


def _line_of(node: Any, path: Sequence[Any]) -> int:
    """The line of the last part of a path that is there, a key or an item."""
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
