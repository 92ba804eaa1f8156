"""The segments of a text that an agent reads or runs: prose, code, hidden text."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice

from skillforge.checks.scan import normalize
from skillforge.text import code_blocks, occurrences

MOST_TEXT = 12 << 20  # characters of one skill, all that was unpacked included
_MANY = 200  # segments of one kind in a file; more are joined
_MANY_BLOCKS = 2000  # blocks of code in a file; the rest counts as code and prose


class SegmentView(StrEnum):
    """How an agent reads a text."""

    PROSE = "prose"
    CODE = "code"  # fenced blocks and scripts, which it runs
    HIDDEN = "hidden"  # not visible on the rendered page
    DESCRIPTION = "description"  # part of the system prompt of every session


@dataclass(frozen=True)
class Segment:
    """A text of one kind, as written and as patterns read it.

    `numbers` are the lines of the file that its lines come from, if they are not
    consecutive. `hidden_by` names the encoding or file that contained it.
    """

    path: str
    view: SegmentView
    raw: str
    line: int = 1
    language: str = ""
    hidden_by: str = ""
    numbers: tuple[int, ...] = ()
    depth: int = 0

    @cached_property
    def text(self) -> str:
        """The normalized text, for patterns."""
        read = normalize.code if self.view is SegmentView.CODE else normalize.prose
        return read(self.raw)

    @property
    def size(self) -> int:
        """The number of characters; normalization may add some."""
        return max(len(self.raw), len(self.text))

    def line_of(self, offset: int) -> int:
        """The line of the file that contains a character of `raw`."""
        return self.line + (0 if self.hidden_by else bisect_left(self._ends, offset))

    @cached_property
    def _ends(self) -> list[int]:
        return list(occurrences(self.raw, "\n"))

    def written(self, start: int, end: int) -> str:
        """A part of `text` as written; empty if that is not known."""
        is_aligned = len(self.raw) == len(self.text) and not self.hidden_by
        return self.raw[start:end] if is_aligned else ""


_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_ALT = re.compile(r"!\[([^\[\]\n]{12,2000})\]\(")
# A title ends before the next link, or reading many of them would be quadratic.
_TITLE = re.compile(
    r"""\]\(\s*+[^()\s]{1,500}+\s++["'(]((?:[^"\n\]]|\](?!\()){8,2000})["')]\s*+\)"""
)
_ATTRIBUTE = re.compile(
    r"""\b(?:alt|title|aria-label|data-[\w-]{1,80}+|content)="""
    r"""(?:"([^"]{8,5000}+)"|'([^']{8,5000}+)')"""
)
_UNSHOWN_TAG = re.compile(
    r"<(desc|metadata|title|template|noscript)\b[^>]{0,200}+>", re.IGNORECASE
)
_UNSHOWN_STYLE = re.compile(
    r"(?:display:\s?none|visibility:\s?hidden|font-size:\s?0|opacity:\s?0|"
    r"color:\s?(?:#fff(?:fff)?|white|transparent))\b[^>]{0,200}+>",
    re.IGNORECASE,
)
_TAG = re.compile(r"<\w[^>]{0,240}\Z")
_END_TAG = re.compile(r"</(\w{0,20})")
_LEAST_INSIDE, _MOST_INSIDE = 8, 5000  # characters of an element that is not shown
_REFERENCE = re.compile(
    r"^\[(?://|comment|_|hidden|note)\]:\s*\S+\s+(.{8,2000})$", re.M
)
_UNSEEN = (
    ("<!--", _COMMENT),
    ("![", _ALT),
    ("](", _TITLE),
    ('="', _ATTRIBUTE),
    ("]: ", _REFERENCE),
)
_YAML_COMMENT = re.compile(r"^[ \t]*#(.{8,})$|[ \t]#\s(.{8,})$", re.MULTILINE)


def of_markdown(path: str, text: str) -> Iterator[Segment]:
    """Prose, fenced code, and text that a rendered page does not show."""
    shown: list[str] = []
    last = count = 0
    blocks = code_blocks(text)
    for start, end in blocks[:_MANY_BLOCKS]:
        first, _, rest = text[start:end].partition("\n")
        count += text.count("\n", last, start)
        yield Segment(path, SegmentView.CODE, rest, count + 2, _language(first))
        inside = text.count("\n", start, end)
        count += inside
        shown += text[last:start], "\n" * inside
        last = end
    if len(blocks) > _MANY_BLOCKS:
        yield Segment(path, SegmentView.CODE, text[last:], count + 1)
    prose = "".join((*shown, text[last:]))
    yield Segment(path, SegmentView.PROSE, prose)
    yield from unseen(path, prose)


def _language(fence: str) -> str:
    """The language of an opening fence: the first word after it."""
    return re.sub(r"[\s{,].*", "", fence.strip("`~ \t")).lower()


def unseen(path: str, text: str) -> Iterator[Segment]:
    """Comments, alternative texts, titles: read by an agent, not shown on the page."""
    breaks = list(occurrences(text, "\n"))
    comments = list(_COMMENT.finditer(text)) if "<!--" in text else []
    if 1 < len(comments) <= 50:  # an instruction may span several
        whole = " ".join(match[1].strip() for match in comments)
        line = bisect_left(breaks, comments[0].start()) + 1
        yield Segment(path, SegmentView.HIDDEN, whole, line)
    for sign, pattern in _UNSEEN:
        if sign in text:
            matches = pattern.finditer(text)
            inner = ((m.start(), next(filter(None, m.groups()), "")) for m in matches)
            yield from _hidden(path, breaks, inner)
    if "</" in text:
        yield from _hidden(path, breaks, _not_shown(text))


def _not_shown(text: str) -> Iterator[tuple[int, str]]:
    """The texts of elements that a page does not show, with their offsets."""
    ends: dict[str, list[int]] = {"": []}
    for match in _END_TAG.finditer(text):
        ends[""].append(match.start())
        ends.setdefault(match[1].lower(), []).append(match.start())
    tags = ((m.start(), m.end(), m[1].lower()) for m in _UNSHOWN_TAG.finditer(text))
    for start, end, name in (*tags, *_unshown_styles(text)):
        closing = ends.get(name, [])
        at = bisect_left(closing, end + _LEAST_INSIDE)
        if at < len(closing) and closing[at] <= end + _MOST_INSIDE:
            yield start, text[end : closing[at]]


def _unshown_styles(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _UNSHOWN_STYLE.finditer(text):
        if _TAG.search(text, max(0, match.start() - 240), match.start()):
            yield match.start(), match.end(), ""


def _hidden(
    path: str, breaks: list[int], texts_at: Iterable[tuple[int, str]]
) -> Iterator[Segment]:
    """A segment for each hidden text; beyond a limit, one for all others."""
    texts = (
        (bisect_left(breaks, at) + 1, text) for at, text in texts_at if text.strip()
    )
    for line, text in islice(texts, _MANY):
        yield Segment(path, SegmentView.HIDDEN, text, line)
    yield from _together(path, SegmentView.HIDDEN, texts)


def of_payloads(
    path: str, how: str, decoded: Iterable[tuple[int, str]], depth: int
) -> Iterator[Segment]:
    """A segment for each decoded payload; beyond a limit, one for all others."""
    texts = iter(decoded)
    for line, text in islice(texts, _MANY):
        yield Segment(path, SegmentView.CODE, text, line, "", how, (), depth)
    yield from _together(path, SegmentView.CODE, texts, how, depth)


def _together(
    path: str,
    view: SegmentView,
    texts: Iterable[tuple[int, str]],
    how: str = "",
    depth: int = 0,
) -> Iterator[Segment]:
    """Texts with their lines as a single segment, separated by empty lines."""
    items: list[tuple[int, str]] = []
    size = 0
    for line, text in texts:
        items.append((line, text))
        size += len(text)
        if size > MOST_TEXT:  # which is reported
            break
    items.sort(key=lambda item: item[0])
    numbers = [line for line, text in items for _ in range(text.count("\n") + 2)]
    if items:
        whole = "\n\n".join(text for _line, text in items)
        yield Segment(path, view, whole, numbers[0], "", how, tuple(numbers), depth)


def of_header(path: str, header: str, description: str, line: int) -> Iterator[Segment]:
    """The description of the frontmatter, and its comments."""
    if description:
        yield Segment(path, SegmentView.DESCRIPTION, description, line)
    breaks = list(occurrences(header, "\n"))
    matches = _YAML_COMMENT.finditer(header)
    inner = ((m.start(1 if m[1] else 2), m[1] or m[2]) for m in matches)
    yield from _hidden(path, breaks, inner)
