"""Tables, headings and code as Markdown."""

from collections.abc import Iterable, Sequence

GENERATED = "<!-- Generated from the code by `make reference`. Do not edit. -->"


def document(title: str, lead: str, parts: Iterable[str]) -> str:
    return "\n\n".join([f"# {title}", GENERATED, lead, *parts]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [_row(head), _row(["---"] * len(head)), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    escaped = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def code(words: str) -> str:
    """Text as inline code, also if it has a backtick."""
    fence = "``" if "`" in words else "`"
    space = " " if "`" in words else ""
    return f"{fence}{space}{words}{space}{fence}" if words else ""


def block(text: str, language: str = "text") -> str:
    return f"```{language}\n{text}\n```"
