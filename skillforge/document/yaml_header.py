"""Parse any frontmatter with libyaml, to fields or to nodes with offsets."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from skillforge.document import diagnosis, yaml_errors
from skillforge.document.plain_header import BREAK, FIRST_LINE, Header, kind_of
from skillforge.model import Finding, Rule, Value

if TYPE_CHECKING:
    import yaml

MAX_DEPTH = 20


class HeaderError(Exception):
    """The header cannot be read; the finding explains why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass(slots=True)
class Node:
    """One value in the header, and its span in the text."""

    line: int
    start: int
    end: int
    style: str = ""
    text: str = ""
    items: "list[Node] | None" = None
    entries: "dict[str, MappingEntry] | None" = None
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


class MappingEntry(NamedTuple):
    """A key of a mapping and its value."""

    key: Node
    value: Node


def read_yaml(header: str) -> Header:
    """Read any header, or raise a `HeaderError`."""
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
    """The header as nodes; aliases are refused, so no input grows when it is read."""
    import yaml

    _refuse_end_marker(header)
    composer = _Composer(header)
    take = composer.handlers()
    try:
        parser = _parser(header)
        while not parser.check_event(yaml.StreamEndEvent):
            event = parser.get_event()
            if handler := take.get(type(event)):
                handler(event)
    except yaml.MarkedYAMLError as err:
        raise HeaderError(diagnosis.syntax(header, err)) from err
    except yaml.reader.ReaderError as err:
        raise HeaderError(diagnosis.control_character(header, err)) from err
    return composer.mapping()


def _refuse_end_marker(header: str) -> None:
    """Refuse `...`, which ends a YAML document; parsers differ on what follows it."""
    if "..." in header:
        for number, line in enumerate(header.split("\n"), FIRST_LINE):
            if any(part.rstrip() == "..." for part in BREAK.split(line)):
                raise HeaderError(yaml_errors.frontmatter_single.findings(number)[0])


def _parser(header: str) -> Any:
    """A parser of YAML events: libyaml's, if it is installed."""
    import yaml

    libyaml = getattr(yaml, "cyaml", None)
    return libyaml.CParser(header) if libyaml else yaml.SafeLoader(header)


class _Composer:
    """Builds nodes from YAML events, and refuses what skills may not use."""

    def __init__(self, header: str) -> None:
        self.header = header
        self.root: Node | None = None
        self.open: list[Node] = []
        self.documents = 0

    def handlers(self) -> dict[type, Callable[[Any], None]]:
        import yaml

        return {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._mapping,
            yaml.SequenceStartEvent: self._sequence,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }

    def _scalar(self, event: "yaml.ScalarEvent") -> None:
        self._refuse_anchors_and_tags(event)
        self._add(self._node(event, event.style or "", event.value))

    def _mapping(self, event: "yaml.MappingStartEvent") -> None:
        self._open(event).entries = {}

    def _sequence(self, event: "yaml.SequenceStartEvent") -> None:
        self._open(event).items = []

    def _close(self, event: "yaml.CollectionEndEvent") -> None:
        self.open.pop().end = _index(event.end_mark)

    def _alias(self, event: "yaml.AliasEvent") -> None:
        raise HeaderError(diagnosis.alias(self.header, _line(event)))

    def _document(self, event: "yaml.DocumentStartEvent") -> None:
        self.documents += 1
        if self.documents > 1:
            self._refuse(yaml_errors.frontmatter_single, event)

    def mapping(self) -> Node:
        if self.root is None or self.root.entries is None:
            raise HeaderError(diagnosis.not_a_mapping(self.root and self.root.value))
        return self.root

    def _open(self, event: "yaml.CollectionStartEvent") -> Node:
        self._refuse_anchors_and_tags(event)
        node = self._node(event, "flow" if event.flow_style else "", "")
        self._add(node)
        self.open.append(node)
        if len(self.open) > MAX_DEPTH:
            self._refuse(yaml_errors.yaml_depth, event)
        return node

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
        is_sign = key.is_plain and key.text in ("", "<<")
        if key.items is not None or key.entries is not None or is_sign:
            raise HeaderError(diagnosis.key_not_text(self.header, key.line))
        if key.text in parent.entries:
            first = parent.entries[key.text].key.line
            twice = yaml_errors.yaml_duplicate_key.findings(key.text, key.line, first)
            raise HeaderError(twice[0])
        parent.entries[key.text] = MappingEntry(key, value)

    def _node(self, event: "yaml.Event", style: str, text: str) -> Node:
        start, end = _index(event.start_mark), _index(event.end_mark)
        return Node(_line(event), start, end, style, text)

    def _refuse_anchors_and_tags(self, event: "yaml.NodeEvent") -> None:
        if event.anchor is not None:
            self._refuse(yaml_errors.yaml_anchor, event)
        if getattr(event, "tag", None) is not None:
            self._refuse(yaml_errors.yaml_tag, event)

    def _refuse(self, why: Rule, event: "yaml.Event") -> None:
        raise HeaderError(why.findings(_line(event))[0])


def _line(event: "yaml.Event") -> int:
    return int(event.start_mark.line) + FIRST_LINE  # type: ignore[union-attr]


def _index(mark: Any) -> int:
    return int(mark.index)
