"""A fast reader for simple frontmatter, without a YAML parser."""

import re
from typing import NamedTuple

from skillforge.model import Value

FIRST_LINE = 2  # the header starts below the opening fence
BREAK = re.compile("\r\n?|[\n\x85\u2028\u2029]")  # where libyaml ends a line

# libyaml takes no key of more than 1,024 characters.
_LINE = re.compile(r"( *)([A-Za-z_][A-Za-z0-9_-]{0,99}):(?: (.*))?")
_BLOCKS = frozenset((">", "|", ">-", "|-"))
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`=<~")
# What YAML 1.1 or 1.2 parsers read as something other than text.
_KINDS = {
    "null": re.compile(r"~|null|Null|NULL|"),
    "sign": re.compile(r"="),
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
_MAYBE_KIND = frozenset("0123456789+-.~=nNyYtTfFoO")


class Header(NamedTuple):
    """Fields with their lines, and the kinds of unquoted values (see `Document`)."""

    fields: dict[str, Value]
    lines: dict[str, int]
    kinds: dict[str, str]


def kind_of(plain: str) -> str | None:
    """The type that other YAML parsers give an unquoted value; None for text."""
    if plain and plain[0] not in _MAYBE_KIND:
        return None
    for kind, pattern in _KINDS.items():
        if pattern.fullmatch(plain):
            return kind
    return None


def read_plain(header: str) -> Header | None:
    """Read `key: value` lines, one level of nested ones, and simple blocks of text.

    Returns None for anything else, which `read_yaml` reads. Otherwise the two agree.
    """
    reader = _PlainReader()
    lines = header.replace("\r\n", "\n").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, FIRST_LINE):
        if not reader.take(line, number):
            return None
    return reader.header() if header.endswith("\n") else None


class _PlainReader:
    """Reads plain lines; `into` is the mapping that indented lines belong to."""

    __slots__ = ("block", "fields", "indent", "into", "kinds", "lines", "prefix")

    def __init__(self) -> None:
        self.fields: dict[str, Value] = {}
        self.lines: dict[str, int] = {}
        self.kinds: dict[str, str] = {}
        self.into = self.fields
        self.prefix = self.indent = ""
        self.block: _TextBlock | None = None

    def take(self, line: str, number: int) -> bool:
        """Read one line; False if it needs a YAML parser."""
        if self.block is not None:
            if not line or line[0] == " ":
                return self.block.take(line)
            self._close_block()
        if not line or line[0] == "#":
            return line.isprintable()
        if (match := _LINE.fullmatch(line)) is None:
            return False
        margin, key, value = match.groups()
        if not margin:
            self.into, self.prefix, self.indent = self.fields, "", ""
        elif not self.prefix or margin != (self.indent or margin):
            return False
        else:
            self.indent = margin
        return self._entry(key, value, number)

    def _entry(self, key: str, value: str | None, number: int) -> bool:
        path = self.prefix + key
        if key in self.into:
            return False
        self.lines[path] = number
        if value is None or value in _BLOCKS:
            return self._open(key, value)
        text = plain_value(value)
        if text is None:
            return False
        self.into[key] = text
        if value[0] in _MAYBE_KIND and (kind := kind_of(value)):
            self.kinds[path] = kind
        return True

    def _open(self, key: str, value: str | None) -> bool:
        """Start a mapping or a block of text, at the top level only."""
        if self.prefix:
            return False
        if value is None:
            self.fields[key] = self.into = {}
            self.prefix = f"{key}."
        else:
            self.fields[key] = ""
            self.block = _TextBlock(key, value)
        return True

    def _close_block(self) -> None:
        if self.block is not None:
            self.fields[self.block.key] = self.block.text()
            self.block = None

    def header(self) -> Header | None:
        if self.block is not None and not self.block.lines:
            return None
        self._close_block()
        if not self.fields:
            return None
        for key, value in self.fields.items():
            if value == {}:
                self.fields[key], self.kinds[key] = "", "null"
        return Header(self.fields, self.lines, self.kinds)


class _TextBlock:
    """The lines below `key: >` or `key: |`: equally indented, none of them empty."""

    __slots__ = ("indent", "key", "lines", "style")

    def __init__(self, key: str, style: str) -> None:
        self.key = key
        self.style = style
        self.indent = ""
        self.lines: list[str] = []

    def take(self, line: str) -> bool:
        text = line.lstrip(" ")
        indent = line[: len(line) - len(text)]
        self.indent = self.indent or indent
        self.lines.append(text)
        return (
            indent == self.indent and text.isprintable() and text[-1:] not in ("", " ")
        )

    def text(self) -> str:
        joined = (" " if self.style[0] == ">" else "\n").join(self.lines)
        return joined if self.style.endswith("-") or not joined else f"{joined}\n"


def plain_value(value: str) -> str | None:
    """The text of a value on one line; None if it needs a YAML parser."""
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
