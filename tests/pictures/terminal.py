"""What a terminal showed, as an SVG: sharp at any size, and text that can be copied."""

import re
from html import escape
from itertools import takewhile
from typing import NamedTuple

WIDTH = 116  # letters
_EACH, _LINE, _EDGE = 8.4, 19, 18  # pixels: a letter, a line, the margin
_SGR = re.compile(r"\x1b\[([\d;]*)m")
_OTHER = re.compile(r"\x1b(\[[^a-zA-Z]*[a-ln-zA-Z]|\][^\x07]*\x07|[()].)|\r")
_COLOURS = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 36: "#76e3ea"}
_STYLE = (
    "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;"
    "fill:#c9d1d9;white-space:pre}.typed{fill:#fff;font-weight:600}.said{fill:#8b949e}"
)


class Shown(NamedTuple):
    """One command and what came of it."""

    line: str
    output: list[str]


def steps(recorded: str) -> list[Shown]:
    """The commands of a recording; one starts with `$ `."""
    lines = _OTHER.sub("", recorded).split("\n")
    starts = [number for number, line in enumerate(lines) if _plain(line)[:2] == "$ "]
    return [
        Shown(_plain(lines[start]), list(takewhile(_is_output, lines[start + 1 :])))
        for start in starts
    ]


def _is_output(line: str) -> bool:
    return not _plain(line).startswith(("$ ", "# ", "== "))


def _plain(line: str) -> str:
    return _SGR.sub("", line)


def picture(title: str, shown: list[Shown]) -> str:
    """Commands and their output in a window."""
    rows: list[str] = []
    for step in shown:
        rows.append(f'<tspan class="typed">{escape(step.line)}</tspan>')
        rows += [_coloured(line[:400]) for line in step.output if line.strip()]
        rows.append("")
    width = WIDTH * _EACH + 2 * _EDGE
    height = (len(rows) + 1) * _LINE + 2 * _EDGE
    texts = "".join(
        f'<text x="{_EDGE}" y="{_EDGE + (number + 2) * _LINE}">{row}</text>\n'
        for number, row in enumerate(rows)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">\n<style>{_STYLE}</style>\n'
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n{_buttons()}'
        f'<text x="50%" y="22" text-anchor="middle" class="said">{escape(title)}</text>'
        f"\n{texts}</svg>\n"
    )


def _buttons() -> str:
    colours = ("#ff5f56", "#ffbd2e", "#27c93f")
    circles = (
        f'<circle cx="{20 + 20 * place}" cy="18" r="6" fill="{colour}"/>'
        for place, colour in enumerate(colours)
    )
    return "".join(circles) + "\n"


def _coloured(line: str) -> str:
    """A line with the colours that the terminal would have given it."""
    parts, style, letters = [], "", 0
    for number, piece in enumerate(_SGR.split(line)):
        if number % 2:
            style = _style(piece)
            continue
        text = piece[: max(WIDTH - letters, 0)]
        letters += len(piece)
        shown = escape(text) if letters <= WIDTH else f"{escape(text[:-1])}…"
        if text:
            parts.append(f"<tspan{style}>{shown}</tspan>" if style else shown)
    return "".join(parts)


def _style(codes: str) -> str:
    numbers = [int(code) for code in codes.split(";") if code]
    colour = next((_COLOURS[number] for number in numbers if number in _COLOURS), "")
    fill = f' fill="{colour}"' if colour else ""
    return fill + (' font-weight="600"' if 1 in numbers else "")
