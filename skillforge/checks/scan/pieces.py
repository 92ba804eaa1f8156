"""What an agent would read or run, in pieces: prose, code, and what is out of sight."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from skillforge.checks.scan import normal
from skillforge.text import code_blocks


class View(StrEnum):
    """How an agent meets a text."""

    PROSE = "prose"
    CODE = "code"  # fenced blocks and scripts: what it will run
    HIDDEN = "hidden"  # what it reads, and a person who looks at the page does not see
    DESCRIPTION = "description"  # stands in the system prompt of every session


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of one kind, as written and as patterns read it.

    `numbers` are the lines of the file that its own lines stand for, where it is not
    simply a part of it. `hidden_by` names the encoding or the file it was taken from.
    """

    path: str
    view: View
    raw: str
    line: int = 1
    language: str = ""
    hidden_by: str = ""
    numbers: tuple[int, ...] = ()
    depth: int = 0
    text: str = field(init=False)

    def __post_init__(self) -> None:
        read = normal.code if self.view is View.CODE else normal.prose
        object.__setattr__(self, "text", read(self.raw))

    def line_of(self, offset: int) -> int:
        """The line of the file on which a character of `raw` stands."""
        return self.line + (0 if self.hidden_by else self.raw.count("\n", 0, offset))

    def written(self, start: int, end: int) -> str:
        """A part of `text` as it is written; empty where that is not known."""
        is_aligned = len(self.raw) == len(self.text) and not self.hidden_by
        return self.raw[start:end] if is_aligned else ""


_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_ALT = re.compile(r"!\[([^\[\]\n]{12,2000})\]\(")
_TITLE = re.compile(r"""\]\(\s*[^()\s]{1,500}\s+["'(]([^"\n]{8,2000})["')]\s*\)""")
_ATTRIBUTE = re.compile(
    r"""\b(?:alt|title|aria-label|data-[\w-]+|content)=(?:"([^"]{8,5000})"|'([^']{8,5000})')"""
)
_UNSHOWN = re.compile(
    r"<(desc|metadata|title|template|noscript)\b[^>]{0,200}>(.{8,5000}?)</\1>"
    r"|<\w+[^>]{0,200}(?:display:\s?none|visibility:\s?hidden|font-size:\s?0|"
    r"opacity:\s?0|"
    r"color:\s?(?:#fff(?:fff)?|white|transparent))\b[^>]{0,200}>(.{8,5000}?)</",
    re.DOTALL | re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"^\[(?://|comment|_|hidden|note)\]:\s*\S+\s+(.{8,2000})$", re.M
)
_UNSEEN = (
    ("<!--", _COMMENT),
    ("![", _ALT),
    ("](", _TITLE),
    ('="', _ATTRIBUTE),
    ("</", _UNSHOWN),
    ("]: ", _REFERENCE),
)
_YAML_COMMENT = re.compile(r"^[ \t]*#(.{8,})$|[ \t]#\s(.{8,})$", re.MULTILINE)


def of_markdown(path: str, text: str) -> Iterator[Piece]:
    """Prose, fenced code, and what a rendered page does not show."""
    shown: list[str] = []
    last = 0
    for start, end in code_blocks(text):
        first, _, rest = text[start:end].partition("\n")
        line = text.count("\n", 0, start) + 2
        yield Piece(path, View.CODE, rest, line, _language(first))
        shown += text[last:start], "\n" * text.count("\n", start, end)
        last = end
    prose = "".join((*shown, text[last:]))
    yield Piece(path, View.PROSE, prose)
    yield from unseen(path, prose)


def _language(fence: str) -> str:
    """The language that an opening fence names: what follows it up to a space."""
    return re.sub(r"[\s{,].*", "", fence.strip("`~ \t")).lower()


def unseen(path: str, text: str) -> Iterator[Piece]:
    """Comments, alternative texts, titles: read by an agent, not shown on the page."""
    comments = list(_COMMENT.finditer(text)) if "<!--" in text else []
    if 1 < len(comments) <= 50:  # an order may be spread over several
        whole = " ".join(match[1].strip() for match in comments)
        line = text.count("\n", 0, comments[0].start()) + 1
        yield Piece(path, View.HIDDEN, whole, line)
    for sign, pattern in _UNSEEN:
        if sign not in text:
            continue
        for match in pattern.finditer(text):
            inner = next((group for group in match.groups()[::-1] if group), "")
            if inner.strip():
                line = text.count("\n", 0, match.start()) + 1
                yield Piece(path, View.HIDDEN, inner, line)


def of_header(path: str, header: str, description: str, line: int) -> Iterator[Piece]:
    """The frontmatter: its description by itself, and its comments."""
    if description:
        yield Piece(path, View.DESCRIPTION, description, line)
    for match in _YAML_COMMENT.finditer(header):
        at = header.count("\n", 0, match.start(1 if match[1] else 2)) + 1
        yield Piece(path, View.HIDDEN, match[1] or match[2], at)
