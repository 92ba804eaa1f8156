"""Add lines to a section of a document, and keep the rest."""

import re

from skillforge.text import code_blocks, in_any, similarity, terms

SAME = 0.6  # similarity of the words of two lines that mean the same
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


def with_lines(text: str, section: str, lines: list[str]) -> str:
    """A text with bullets added to a section, which is created if it is missing."""
    known = [set(map(hash, terms(line))) for line in text.splitlines() if line.strip()]
    fresh = [line for line in lines if not is_covered(line, known)]
    if not fresh:
        return text
    bullets = "\n".join(f"- {line}" for line in fresh)
    end = _end_of(text, section)
    if end is None:
        return f"{text.rstrip()}\n\n## {section}\n\n{bullets}\n"
    head, rest = text[:end].rstrip("\n"), text[end:]
    gap = "\n" if rest else ""
    return f"{head}\n{bullets}\n{gap}{rest}"


def is_covered(line: str, known: list[set[int]]) -> bool:
    """Whether one of some lines, as hashes of terms, means the same."""
    words = set(map(hash, terms(line)))
    return any(similarity(words, words_of) >= SAME for words_of in known)


def _end_of(text: str, section: str) -> int | None:
    """Where a section ends: at the next heading, or at the end of the text."""
    code = code_blocks(text)
    headings = [
        heading
        for heading in _HEADING.finditer(text)
        if not in_any(heading.start(), code)
    ]
    for at, match in enumerate(headings):
        if match[1].lower() == section.lower():
            return headings[at + 1].start() if at + 1 < len(headings) else len(text)
    return None
