"""A diff as git prints it, as lines with numbers and what changed inside them."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from skillforge.share.site.markup import Html, el, escape, join

MOST_LINES = 1500
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


class DiffLine(NamedTuple):
    """One line of a diff; `old` and `new` are its numbers, if it has them."""

    kind: str  # add, del, same, hunk
    text: str
    old: int | None = None
    new: int | None = None


def read(diff: str) -> Iterator[DiffLine]:
    """The lines of the hunks; what git says before the first is left out."""
    old = new = 0
    for text in diff.removesuffix("\n").split("\n"):
        if found := _HUNK.match(text):
            old, new = int(found[1][:9]), int(found[2][:9])
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


def render(lines: list[DiffLine]) -> Html:
    """The lines as a table; their numbers are no part of what one selects."""
    rows: list[Html] = []
    shown = lines[:MOST_LINES]
    for is_change, grouped in groupby(shown, lambda line: line.kind in ("add", "del")):
        run = list(grouped)
        rows += _changed(run) if is_change else map(_row, run)
    if len(lines) > MOST_LINES:
        rows.append(_row(DiffLine("hunk", f"{len(lines) - MOST_LINES} more lines")))
    return el("div", el("table", el("tbody", rows), class_="diff"), class_="wide")


def counts(lines: list[DiffLine]) -> tuple[int, int]:
    kinds = [line.kind for line in lines]
    return kinds.count("add"), kinds.count("del")


def _changed(run: list[DiffLine]) -> Iterator[Html]:
    """Lines that went, then those that came, which often are the same rewritten."""
    gone = [line for line in run if line.kind == "del"]
    come = [line for line in run if line.kind == "add"]
    parted: dict[DiffLine, Html | None] = {}
    for old, new in zip(gone, come, strict=False):
        parted[old], parted[new] = _parted(old.text, new.text)
    for line in (*gone, *come):
        yield _row(line, parted.get(line))


def _parted(old: str, new: str) -> tuple[Html | None, Html | None]:
    """Both with the words that differ marked; none where they have little in common."""
    was, now = _WORDS.findall(old), _WORDS.findall(new)
    most = min(len(was), len(now))
    head = next((at for at in range(most) if was[at] != now[at]), most)
    rest = range(most - head)
    tail = next((at for at in rest if was[-1 - at] != now[-1 - at]), len(rest))
    if head + tail < most / 3:
        return None, None
    return _marked(was, head, tail), _marked(now, head, tail)


def _marked(words: list[str], head: int, tail: int) -> Html:
    end = len(words) - tail
    before, middle, after = words[:head], words[head:end], words[end:]
    marked = el("b", _plain("".join(middle))) if middle else None
    return join(_plain("".join(before)), marked, _plain("".join(after)))


def _row(line: DiffLine, content: Html | None = None) -> Html:
    """Written out, since there can be thousands of them."""
    sign = {"add": "+", "del": "−"}.get(line.kind, "")
    text = content or escape(_plain(line.text))
    return Html(
        f'<tr class="{line.kind}">{_number(line.old)}{_number(line.new)}'
        f'<td class="sign">{sign}</td><td class="text">{text}</td></tr>\n'
    )


def _number(number: int | None) -> str:
    shown = "" if number is None else f' data-number="{number}"'
    return f'<td class="number"{shown}></td>'


def _plain(text: str) -> str:
    """A carriage return inside a line would look like a line of its own."""
    return text.removesuffix("\r").replace("\r", "‹U+000D›")
