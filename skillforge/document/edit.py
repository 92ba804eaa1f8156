"""Change one field of a SKILL.md and keep every other byte.

The text is spliced: a YAML round trip would lose comments and quoting.
"""

import json
import re

from skillforge.document import frontmatter_bounds, read_header
from skillforge.document.frontmatter_bounds import Fences
from skillforge.document.plain_header import BREAK, kind_of, plain_value
from skillforge.document.yaml_header import HeaderError, MappingEntry, Node, compose
from skillforge.errors import RequestError
from skillforge.model import Value

_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def set_field(text: str, path: tuple[str, ...], value: str) -> str:
    """Set a field, or an entry of a mapping such as `metadata`."""
    return _spliced(text, path, value)


def remove_field(text: str, path: tuple[str, ...]) -> str:
    """Remove a field and its lines."""
    return _spliced(text, path, None)


def scalar(value: str, style: str = "") -> str:
    """A text as a YAML scalar that every parser reads as this text."""
    if not style and plain_value(value) == value and kind_of(value) is None:
        return value
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    quoted = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _spliced(text: str, path: tuple[str, ...], value: str | None) -> str:
    bounds = frontmatter_bounds.find(text, int(text.startswith("\ufeff")))
    if not isinstance(bounds, Fences):
        raise _cannot(path, bounds.message)
    header = text[bounds.header_start : bounds.header_end]
    newline = "\r\n" if "\r\n" in header else "\n"
    try:
        root = compose(header) if _has_fields(header) else Node(2, 0, 0, entries={})
        changed = _HeaderEditor(header, newline).apply(root, path, value)
        _check(header, changed, path, value)
    except HeaderError as err:
        raise _cannot(path, err.finding.message) from err
    return text[: bounds.header_start] + changed + text[bounds.header_end :]


def _has_fields(header: str) -> bool:
    return any(line.strip() and line[0] != "#" for line in BREAK.split(header))


def _cannot(path: tuple[str, ...], why: str) -> RequestError:
    return RequestError(
        f"cannot change `{'.'.join(path)}`: {why}",
        hint="fix the frontmatter first: skillforge validate --fix",
    )


def _check(before: str, after: str, path: tuple[str, ...], value: str | None) -> None:
    """Refuse the edit unless it changed this field and nothing else."""
    fields = read_header(before).fields if _has_fields(before) else {}
    expected = _changed(fields, path, value)
    # libyaml decides here, not the fast reader.
    written = compose(after).value if expected else {}
    if written != expected:
        raise _cannot(path, "this form of YAML cannot be edited in place")


def _changed(
    fields: dict[str, Value], path: tuple[str, ...], value: str | None
) -> dict[str, Value]:
    """The expected fields; a mapping without entries is removed as well."""
    key, *rest = path
    inner = fields.get(key)
    new: Value | None = value
    if rest:
        if value is None and (not isinstance(inner, dict) or rest[0] not in inner):
            return fields
        inner = inner if isinstance(inner, dict) else {}
        new = _changed(inner, tuple(rest), value) or None
    unchanged = {k: v for k, v in fields.items() if k != key}
    return unchanged if new is None else {**unchanged, key: new}


class _HeaderEditor:
    """Edits the text of a header, at the offsets of its nodes."""

    def __init__(self, header: str, newline: str) -> None:
        self.header = header
        self.newline = newline

    def apply(self, node: Node, path: tuple[str, ...], value: str | None) -> str:
        """Set the field at `path` below `node`, or remove it if `value` is None."""
        *parents, last = path
        owner: MappingEntry | None = None
        for depth, key in enumerate(parents):
            entry = (node.entries or {}).get(key)
            if entry is None:
                return self._missing(node, path[depth:], depth, value)
            if entry.value.entries is None:
                return self._replace_by_map(entry, path[depth + 1 :], depth, value)
            owner, node = entry, entry.value
        entry = (node.entries or {}).get(last)
        if entry is None:
            return self._missing(node, (last,), len(parents), value)
        if value is None:
            return self._without(node, entry, owner)
        return self._replace(entry, value, in_flow=node.is_flow)

    def _missing(
        self, parent: Node, path: tuple[str, ...], depth: int, value: str | None
    ) -> str:
        if value is None:
            return self.header
        if parent.is_flow:
            at = parent.end - 1
            inside = self.header[parent.start + 1 : at].rstrip()
            comma = ", " if inside and not inside.endswith(",") else ""
            quoted = scalar(value, '"')
            return self._insert(at, f"{comma}{scalar(path[0])}: {quoted}")
        indent = self._indent(parent, depth)
        at = self._line_end(_end(parent)) if parent.entries else len(self.header)
        return self._insert(at, self._lines(path, indent, value))

    def _lines(self, path: tuple[str, ...], indent: str, value: str) -> str:
        *parents, last = path
        out = ""
        for parent in parents:
            out += f"{indent}{scalar(parent)}:{self.newline}"
            indent += "  "
        return f"{out}{indent}{scalar(last)}: {scalar(value)}{self.newline}"

    def _replace(self, entry: MappingEntry, value: str, *, in_flow: bool) -> str:
        node = entry.value
        style = '"' if in_flow else ""
        if node.items is not None or node.entries is not None:
            start = self.header.index(":", entry.key.end) + 1
            return self._put(start, _end(node), " " + scalar(value, style))
        style = node.style if node.style in ("'", '"') else style
        if node.start == node.end:
            return self._insert(node.start, " " + scalar(value, style))
        old = self.header[node.start : node.end]
        line_end = old[len(old.rstrip("\r\n")) :]
        return self._put(node.start, node.end, scalar(value, style) + line_end)

    def _replace_by_map(
        self, entry: MappingEntry, path: tuple[str, ...], depth: int, value: str | None
    ) -> str:
        """Replace a value by a mapping; a comment on the key's line is kept."""
        if value is None:
            return self.header
        start = self.header.index(":", entry.key.end) + 1
        end = max(start, _end(entry.value))
        if "\n" in self.header[start:end]:
            rest, after = self.newline, self._line_end(end)
        else:
            after = self._line_end(end)
            rest = self.header[end:after]
        lines = self._lines(path, "  " * (depth + 1), value)
        return self._put(start, after, rest + lines)

    def _without(
        self, parent: Node, entry: MappingEntry, owner: MappingEntry | None
    ) -> str:
        """Remove an entry; with the last one its mapping, which would become null."""
        assert parent.entries is not None
        if len(parent.entries) == 1 and owner is not None:
            entry = owner
        elif parent.is_flow:
            return self._without_in_flow(parent, entry)
        end = self._line_end(_end(entry.value))
        start = self.header.rfind("\n", 0, entry.key.start) + 1
        return self._put(start, end, "")

    def _without_in_flow(self, parent: Node, entry: MappingEntry) -> str:
        assert parent.entries is not None
        entries = list(parent.entries.values())
        at = entries.index(entry)
        if at + 1 < len(entries):
            return self._put(entry.key.start, entries[at + 1].key.start, "")
        start = _end(entries[at - 1].value) if at else entry.key.start
        return self._put(start, _end(entry.value), "")

    def _indent(self, node: Node, depth: int) -> str:
        if not node.entries:
            return "  " * depth
        first = next(iter(node.entries.values())).key.start
        return self.header[self.header.rfind("\n", 0, first) + 1 : first]

    def _line_end(self, at: int) -> int:
        """The offset after the line that contains `at`."""
        if at and self.header[at - 1] == "\n":
            return at
        newline = self.header.find("\n", at)
        return newline + 1 if newline >= 0 else len(self.header)

    def _insert(self, at: int, new: str) -> str:
        return self._put(at, at, new)

    def _put(self, start: int, end: int, new: str) -> str:
        return self.header[:start] + new + self.header[end:]


def _end(node: Node) -> int:
    """Where the last value inside `node` ends; the end of a block is further down."""
    if node.is_flow or (not node.items and not node.entries):
        return node.end
    if node.items:
        return _end(node.items[-1])
    assert node.entries
    return _end(list(node.entries.values())[-1].value)
