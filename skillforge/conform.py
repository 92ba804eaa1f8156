"""What a JSON Schema has against a value, in words; and YAML files, with lines."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from skillforge.resources import schema
from skillforge.text import nearest

MAX_BYTES = 1 << 18
_MAX_DEPTH = 40


class Misfit(NamedTuple):
    """The worst thing that a schema has against a value, and where in the value."""

    path: list[Any]
    message: str

    @property
    def words(self) -> str:
        where = ".".join(str(part) for part in self.path)
        return f"{where}: {self.message}" if where else self.message


def misfit(value: Any, schema_name: str, part: str = "") -> Misfit | None:
    """The first thing to mend in a value; None if it is as a schema (a part) says."""
    from jsonschema.exceptions import best_match, relevance

    # A wrong key says more than that no alternative fits.
    error = best_match(
        _validator(schema_name, part).iter_errors(value),
        key=lambda e: (e.validator == "additionalProperties", relevance(e)),
    )
    if error is None:
        return None
    path = list(error.absolute_path)
    if error.validator == "additionalProperties" and error.schema.get("properties"):
        known = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known)
        meant = nearest(str(unknown), known) or ", ".join(known)
        message = f"there is no key `{unknown}`; did you mean {meant}?"
        return Misfit([*path, unknown], message)
    return Misfit(path, _plainly(error))


@cache
def _validator(schema_name: str, part: str) -> Any:
    from jsonschema import Draft202012Validator

    whole = schema(schema_name)
    if part:
        whole = {"$ref": f"#/$defs/{part}", "$defs": whole["$defs"]}
    return Draft202012Validator(whole)


def _plainly(error: Any) -> str:
    if error.validator == "type" and error.validator_value == "string":
        return f"it has to be text: put quotes around {error.instance}"
    if error.validator == "oneOf":
        return f"`{str(error.instance)[:60]}` is not what can stand here"
    return str(error.message)[:300]


class UnreadableError(Exception):
    """A YAML file that cannot be read; says where and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


class Loaded(NamedTuple):
    """The content of a YAML file, and on which line a path in it stands."""

    value: Any
    line_of: Callable[[Sequence[Any]], int]


def load_yaml(data: bytes) -> Loaded:
    """Read a YAML file that is no larger, deeper or more repetitive than it looks."""
    import yaml

    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if len(data) > MAX_BYTES:
        raise UnreadableError(1, f"it has more than {MAX_BYTES >> 10} KB")
    try:
        text = data.decode("utf-8")
        _refuse_aliases(yaml.parse(text, Loader=loader_class), yaml)
        loader = loader_class(text)
        try:
            node = loader.get_single_node()
            _refuse_doubles(node, yaml)
            value = loader.construct_document(node) if node is not None else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark
        raise UnreadableError(mark.line + 1 if mark else 1, f"{err.problem}") from err
    except (yaml.YAMLError, ValueError, RecursionError) as err:
        raise UnreadableError(1, f"not YAML text in UTF-8: {err}") from err
    return Loaded(value, lambda path: _line_of(node, path))


def _refuse_aliases(events: Any, yaml: Any) -> None:
    depth = 0
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise UnreadableError(line, "aliases (`*name`) are not read; write it out")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise UnreadableError(line, "it is nested too deeply")


def _refuse_doubles(node: Any, yaml: Any) -> None:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise UnreadableError(line, "a key has to be text")
            if key.value in seen:
                raise UnreadableError(line, f"the key `{key.value}` is there twice")
            seen.add(key.value)
            _refuse_doubles(value, yaml)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_doubles(item, yaml)


def _line_of(node: Any, path: Sequence[Any]) -> int:
    for part in path:
        below = node.value
        if isinstance(part, int) and isinstance(below, list) and part < len(below):
            found = below[part]
            node = found[1] if isinstance(found, tuple) else found
        else:
            pairs = below if isinstance(below, list) else []
            match = [p for p in pairs if isinstance(p, tuple) and p[0].value == part]
            if not match:
                break
            node = match[0][0] if part == path[-1] else match[0][1]
    return int(node.start_mark.line) + 1 if node is not None else 1
