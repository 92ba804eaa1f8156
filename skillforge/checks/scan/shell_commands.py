"""The commands of shell code, from its syntax tree, however they are quoted.

`c""url $u | ba$'\\x73'h` becomes the line `curl http://... | bash`.
"""

import codecs
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MOST = 200_000  # bytes of one script
_MOST_OUT = 1_000_000  # characters of all its commands, written out
_MOST_PIPES = 1000
_DEEP = 80
# Patterns alone suffice for most scripts.
_NEEDS_PARSER = re.compile(
    r"\w(?:''|\"\"|\\\w)|\w[\"']\w|\$'|\$\{?\w+\}?[\w$\"']|[\"']\$\{?\w|(?:^|[;|"
    r"&(`]\s?)\$\w"
    r"|\|\s*\$|\b\w{1,20}=\S",
    re.MULTILINE,
)
_KEPT = ("command", "pipeline", "redirected_statement")


@cache
def _parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def commands(source: str) -> list[tuple[int, str]]:
    """The pipelines with their lines, unquoted and with variables expanded."""
    if is_too_much(source) or not _NEEDS_PARSER.search(source):
        return []
    tree = _parser().parse(source.encode("utf-8", "replace"))
    lines: list[tuple[int, str]] = []
    size = 0
    for number, line in _CommandReader().lines(tree.root_node, 0):
        size += len(line)
        if size > _MOST_OUT:
            break
        lines.append((number, line))
    return lines


def is_too_much(source: str) -> bool:
    """Whether a script is too long for the parser to read in a short time."""
    return len(source) > _MOST or source.count("|") > _MOST_PIPES


class _CommandReader:
    def __init__(self) -> None:
        self.variables: dict[str, str] = {"IFS": " "}

    def lines(self, node: "Node", depth: int) -> Iterator[tuple[int, str]]:
        if depth > _DEEP:
            return
        if node.type == "variable_assignment" and len(node.children) >= 3:
            name = _text(node.children[0])
            value = self.word(node.children[2], 0)
            if name and len(value) < 5000:
                self.variables[name] = value
        elif node.type in _KEPT:
            line = self.word(node, 0)
            if line != _text(node):
                yield node.start_point[0] + 1, line.replace("\n", " ")
        for child in node.named_children:
            yield from self.lines(child, depth + 1)

    def word(self, node: "Node", depth: int) -> str:
        """A part of a command as the shell expands it."""
        kind = node.type
        if depth > _DEEP:
            return ""
        if kind in ("word", "string_content", "number", "special_character"):
            return re.sub(r"\\(.)", r"\1", _text(node))
        if kind == "raw_string":
            return _text(node)[1:-1]
        if kind == "ansi_c_string":
            return _unescaped(_text(node)[2:-1])
        if kind in ("simple_expansion", "expansion"):
            name = next((_text(c) for c in node.children if "variable" in c.type), "")
            return self.variables.get(name, f"${name}")
        between = "" if kind in ("concatenation", "string", "command_name") else " "
        parts = (self.word(c, depth + 1) for c in node.children if c.type != '"')
        return between.join(parts) if node.child_count else _text(node)


def _text(node: "Node") -> str:
    return node.text.decode("utf-8", "replace") if node.text else ""


def _unescaped(text: str) -> str:
    try:
        return codecs.decode(text.encode("latin-1", "replace"), "unicode_escape")
    except UnicodeDecodeError:
        return text
