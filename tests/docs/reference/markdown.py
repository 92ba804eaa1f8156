"""Tables, headings and code as Markdown."""

from collections.abc import Iterable, Sequence

MADE = "<!-- Made from the code by `make reference`: change it there. -->"


def document(title: str, lead: str, parts: Iterable[str]) -> str:
    return "\n\n".join([f"# {title}", MADE, lead, *parts]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [_row(head), _row(["---"] * len(head)), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    said = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(said)} |"


def code(words: str) -> str:
    """Words in backticks; as many as they need."""
    fence = "``" if "`" in words else "`"
    space = " " if "`" in words else ""
    return f"{fence}{space}{words}{space}{fence}" if words else ""


def block(text: str, language: str = "text") -> str:
    return f"```{language}\n{text}\n```"
