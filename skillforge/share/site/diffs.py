"""A diff as git prints it, as numbered lines with the changed words marked."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

MAX_LINES = 1500
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


class DiffLine(NamedTuple):
    """One line of a diff; `old` and `new` are its numbers, if it has them."""

    kind: str  # add, del, same, hunk
    text: str
    old: int | None = None
    new: int | None = None


class ShownLine(NamedTuple):
    """A line as a page shows it, with the changed part between two unchanged ones."""

    kind: str
    old: int | None
    new: int | None
    before: str
    changed: str = ""
    after: str = ""


def parse(diff: str) -> Iterator[DiffLine]:
    """The lines of the hunks, without the header that git prints before them."""
    old = new = 0
    for text in diff.removesuffix("\n").split("\n"):
        if hunk := _HUNK.match(text):
            old, new = int(hunk[1][:9]), int(hunk[2][:9])
            yield DiffLine("hunk", text)
        elif not (old or new) or text.startswith("\\"):
            continue
        elif text.startswith("+"):
            yield DiffLine("add", text[1:], None, new)
            new += 1
        elif text.startswith("-"):
            yield DiffLine("del", text[1:], old, None)
            old += 1
        else:
            yield DiffLine("same", text[1:], old, new)
            old, new = old + 1, new + 1


def counts(lines: list[DiffLine]) -> tuple[int, int]:
    """How many lines were added and removed."""
    kinds = [line.kind for line in lines]
    return kinds.count("add"), kinds.count("del")


def shown_lines(lines: list[DiffLine]) -> Iterator[ShownLine]:
    """The lines for a page; a long diff is cut, and its last line says so."""
    shown = lines[:MAX_LINES]
    for is_change, group in groupby(shown, lambda line: line.kind in ("add", "del")):
        run = list(group)
        yield from _changed(run) if is_change else map(_shown, run)
    if len(lines) > MAX_LINES:
        more = f"{len(lines) - MAX_LINES:,} more lines"
        yield _shown(DiffLine("hunk", more))


def _changed(group: list[DiffLine]) -> Iterator[ShownLine]:
    """Removed lines, then added ones: line by line, they often are rewrites."""
    removed = [line for line in group if line.kind == "del"]
    added = [line for line in group if line.kind == "add"]
    common = [
        _common(old.text, new.text) for old, new in zip(removed, added, strict=False)
    ]
    for side in (removed, added):
        for at, line in enumerate(side):
            yield _shown(line, *(common[at] if at < len(common) else ()))


def _common(old: str, new: str) -> tuple[int, int] | tuple[()]:
    """How many words both have at the start and end; empty if that is too few."""
    was, now = _WORDS.findall(old), _WORDS.findall(new)
    most = min(len(was), len(now))
    head = next((at for at in range(most) if was[at] != now[at]), most)
    rest = range(most - head)
    tail = next((at for at in rest if was[-1 - at] != now[-1 - at]), len(rest))
    return () if head + tail < most / 3 else (head, tail)


def _shown(line: DiffLine, head: int | None = None, tail: int = 0) -> ShownLine:
    facts = (line.kind, line.old, line.new)
    if head is None:
        return ShownLine(*facts, _one_line(line.text))
    words = _WORDS.findall(line.text)
    end = len(words) - tail
    parts = (words[:head], words[head:end], words[end:])
    return ShownLine(*facts, *(_one_line("".join(part)) for part in parts))


def _one_line(text: str) -> str:
    """A carriage return inside a line would look like a line break."""
    return text.removesuffix("\r").replace("\r", "‹U+000D›")
