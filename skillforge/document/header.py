"""Frontmatter to fields: a direct reader for plain headers, libyaml for the rest."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from skillforge.document import causes, explain
from skillforge.model import Finding, Rule, Value

if TYPE_CHECKING:
    import yaml

FIRST_LINE = 2  # the header starts below the opening fence
MAX_DEPTH = 20

_LINE = re.compile(r"( *)([A-Za-z_][A-Za-z0-9_-]*):(?: (.*))?")
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`=<~")
# What YAML 1.1 or 1.2 readers take for something other than text.
_KINDS = {
    "null": re.compile(r"~|null|Null|NULL|"),
    "boolean": re.compile(
        r"yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF"
    ),
    "date": re.compile(r"\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d\S*.*)?"),
    "number": re.compile(
        r"[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[\da-fA-F_]+|\.(?:inf|Inf|INF)"
        r"|[\d][\d_]*(?::[0-5]?\d)*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?"
        r"|\.\d[\d_]*(?:[eE][-+]?\d+)?)|\.(?:nan|NaN|NAN)"
    ),
}
_MAYBE_KIND = frozenset("0123456789+-.~nNyYtTfFoO")


class Header(NamedTuple):
    """Fields with their lines, and the kinds of unquoted values (see `Document`)."""

    fields: dict[str, Value]
    lines: dict[str, int]
    kinds: dict[str, str]


class UnreadableError(Exception):
    """The header cannot be read; the finding says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def kind_of(plain: str) -> str | None:
    """What other YAML readers take an unquoted value for, if not for text."""
    if plain and plain[0] not in _MAYBE_KIND:
        return None
    for kind, pattern in _KINDS.items():
        if pattern.fullmatch(plain):
            return kind
    return None


def read_plain(header: str) -> Header | None:
    """Read a header of plain `key: value` lines and one level of nested ones.

    Answers None for anything else: then `read_yaml` has to look. Where this answers,
    the two agree.
    """
    reader = _PlainReader()
    for number, line in enumerate(header.replace("\r\n", "\n").split("\n"), FIRST_LINE):
        if line and line[0] != "#" and not reader.take(line, number):
            return None
    return reader.header()


class _PlainReader:
    """Collects plain lines; `into` is the mapping that indented lines belong to."""

    __slots__ = ("fields", "indent", "into", "kinds", "lines", "prefix")

    def __init__(self) -> None:
        self.fields: dict[str, Value] = {}
        self.lines: dict[str, int] = {}
        self.kinds: dict[str, str] = {}
        self.into = self.fields
        self.prefix = self.indent = ""

    def take(self, line: str, number: int) -> bool:
        """Read one line; False if it needs a YAML parser."""
        if (match := _LINE.fullmatch(line)) is None:
            return False
        margin, key, value = match.groups()
        if not margin:
            self.into, self.prefix, self.indent = self.fields, "", ""
        elif not self.prefix or margin != (self.indent or margin):
            return False
        else:
            self.indent = margin
        path = self.prefix + key
        if key in self.into:
            return False
        self.lines[path] = number
        return self._open(key) if value is None else self._set(key, path, value)

    def _open(self, key: str) -> bool:
        """Begin a nested mapping; a second level is not plain any more."""
        if self.prefix:
            return False
        self.fields[key] = self.into = {}
        self.prefix = f"{key}."
        return True

    def _set(self, key: str, path: str, value: str) -> bool:
        text = plain_value(value)
        if text is None:
            return False
        self.into[key] = text
        if value[0] in _MAYBE_KIND and (kind := kind_of(value)):
            self.kinds[path] = kind
        return True

    def header(self) -> Header | None:
        if not self.fields:
            return None
        for key, value in self.fields.items():
            if value == {}:
                self.fields[key], self.kinds[key] = "", "null"
        return Header(self.fields, self.lines, self.kinds)


def plain_value(value: str) -> str | None:
    """The text of a value that fits on its line; None if YAML must be asked."""
    if not value.isprintable() or not value or value[-1] == " ":
        return None
    first = value[0]
    if first in "'\"":
        inner = value[1:-1]
        simple = len(value) > 1 and value[-1] == first and first not in inner
        return inner if simple and "\\" not in inner else None
    if first in _INDICATORS or first == " " or value[-1] == ":":
        return None
    if ": " in value or " #" in value:
        return None
    return value


@dataclass(slots=True)
class Node:
    """One value in the header, with the span of text it was read from."""

    line: int
    start: int
    end: int
    style: str = ""
    text: str = ""
    items: "list[Node] | None" = None
    entries: "dict[str, Entry] | None" = None
    pending: "Node | None" = field(default=None, repr=False)

    @property
    def value(self) -> Value:
        if self.entries is not None:
            return {key: entry.value.value for key, entry in self.entries.items()}
        if self.items is not None:
            return [item.value for item in self.items]
        return self.text

    @property
    def is_plain(self) -> bool:
        return self.entries is None and self.items is None and not self.style

    @property
    def is_flow(self) -> bool:
        return self.style == "flow"


class Entry(NamedTuple):
    """A key of a mapping and its value."""

    key: Node
    value: Node


def read_yaml(header: str) -> Header:
    """Read any header, or raise `UnreadableError` with the line and how to mend it."""
    root = compose(header)
    lines: dict[str, int] = {}
    kinds: dict[str, str] = {}
    for path, line, node in _walk(root, ""):
        lines[path] = line
        if node.is_plain and (kind := kind_of(node.text)):
            kinds[path] = kind
    fields = root.value
    assert isinstance(fields, dict)
    return Header(fields, lines, kinds)


def _walk(node: Node, prefix: str) -> Iterator[tuple[str, int, Node]]:
    for key, entry in (node.entries or {}).items():
        yield f"{prefix}{key}", entry.key.line, entry.value
        yield from _walk(entry.value, f"{prefix}{key}.")
    for index, item in enumerate(node.items or ()):
        yield f"{prefix}{index}", item.line, item
        yield from _walk(item, f"{prefix}{index}.")


def compose(header: str) -> Node:
    """The header as nodes; nothing is expanded, so no input grows when it is read."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    composer = _Composer(header)
    try:
        for event in yaml.parse(header, Loader=loader):
            composer.take(event)
    except yaml.MarkedYAMLError as err:
        raise UnreadableError(explain.syntax(header, err)) from err
    except yaml.reader.ReaderError as err:
        raise UnreadableError(explain.control_character(header, err)) from err
    return composer.mapping()


class _Composer:
    """Builds nodes from libyaml's events, and refuses what skills must not use."""

    def __init__(self, header: str) -> None:
        self.header = header
        self.root: Node | None = None
        self.open: list[Node] = []
        self.documents = 0

    def take(self, event: "yaml.Event") -> None:
        import yaml

        if isinstance(event, yaml.ScalarEvent):
            self._refuse_anchors_and_tags(event)
            self._add(self._node(event, event.style or "", event.value))
        elif isinstance(event, yaml.CollectionStartEvent):
            self._refuse_anchors_and_tags(event)
            self._open(event, is_map=isinstance(event, yaml.MappingStartEvent))
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop().end = _index(event.end_mark)
        elif isinstance(event, yaml.AliasEvent):
            raise UnreadableError(explain.alias(self.header, _line(event)))
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self._refuse(causes.frontmatter_single, event)

    def mapping(self) -> Node:
        if self.root is None or self.root.entries is None:
            raise UnreadableError(explain.not_a_mapping(self.root and self.root.value))
        return self.root

    def _open(self, event: "yaml.CollectionStartEvent", *, is_map: bool) -> None:
        node = self._node(event, "flow" if event.flow_style else "", "")
        if is_map:
            node.entries = {}
        else:
            node.items = []
        self._add(node)
        self.open.append(node)
        if len(self.open) > MAX_DEPTH:
            self._refuse(causes.yaml_depth, event)

    def _add(self, node: Node) -> None:
        if not self.open:
            self.root = node
            return
        parent = self.open[-1]
        if parent.items is not None:
            parent.items.append(node)
        elif parent.pending is None:
            parent.pending = node
        else:
            self._add_entry(parent, parent.pending, node)
            parent.pending = None

    def _add_entry(self, parent: Node, key: Node, value: Node) -> None:
        assert parent.entries is not None
        if key.items is not None or key.entries is not None:
            raise UnreadableError(explain.key_not_text(self.header, key.line))
        if key.text in parent.entries:
            first = parent.entries[key.text].key.line
            twice = causes.yaml_duplicate_key.findings(key.text, key.line, first)
            raise UnreadableError(twice[0])
        parent.entries[key.text] = Entry(key, value)

    def _node(self, event: "yaml.Event", style: str, text: str) -> Node:
        start, end = _index(event.start_mark), _index(event.end_mark)
        return Node(_line(event), start, end, style, text)

    def _refuse_anchors_and_tags(self, event: "yaml.NodeEvent") -> None:
        if event.anchor is not None:
            self._refuse(causes.yaml_anchor, event)
        if getattr(event, "tag", None) is not None:
            self._refuse(causes.yaml_tag, event)

    def _refuse(self, why: Rule, event: "yaml.Event") -> None:
        raise UnreadableError(why.findings(_line(event))[0])


def _line(event: "yaml.Event") -> int:
    return int(event.start_mark.line) + FIRST_LINE  # type: ignore[union-attr]


def _index(mark: Any) -> int:
    return int(mark.index)
