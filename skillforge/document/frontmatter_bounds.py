"""Find the frontmatter of a SKILL.md, or the reason why it is missing."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.model import Finding, RuleProblem, Severity, rule, rules_in

_ADD_HEADER = "start the file with `---`, `name: …`, `description: …`, `---`"
_HEADING = re.compile(r"\s*#{1,6}\s")
_FIELD = re.compile(r"\s*(name|description)\s*:")
_LATER_HEADER = re.compile(r"^---[ \t]*\r?\n(?:name|description)\s*:", re.MULTILINE)
_NEARLY_CLOSED = re.compile(
    r"^(?:[ \t]+-{3,}[ \t]*|---[ \t]*[^\s-].*|-{4,}[ \t]*)\r?$", re.MULTILINE
)


class Fences(NamedTuple):
    """Offsets of the header's text and of the body."""

    header_start: int
    header_end: int
    body_start: int


@rule()
def frontmatter_missing(text: str) -> Iterator[RuleProblem]:
    """A SKILL.md starts with frontmatter: YAML between two lines of `---`.

        ---
        name: csv-tables
        description: Reads and joins CSV tables. Use when ...
        ---

    Without it a client knows neither the name nor when to load the skill.
    """
    if not text.strip():
        yield RuleProblem("the file is empty", _ADD_HEADER)
    elif _HEADING.match(text):
        yield RuleProblem("starts with a heading instead of frontmatter", _ADD_HEADER)
    else:
        yield RuleProblem("has no frontmatter", _ADD_HEADER)


@rule()
def frontmatter_after_heading(text: str) -> Iterator[RuleProblem]:
    """The frontmatter comes first, before any heading."""
    if later := _LATER_HEADER.search(text):
        line = text.count("\n", 0, later.start()) + 1
        yield RuleProblem(
            f"the frontmatter does not come first: it starts on line {line}",
            "move it to the very top of the file",
        )


@rule()
def frontmatter_after_blank(text: str) -> Iterator[RuleProblem]:
    """The opening `---` is the first line; no blank line comes before it."""
    if re.match(r"\s+---[ \t]*\r?\n", text):
        yield RuleProblem(
            "blank lines or spaces come before the opening `---`",
            "remove them: the file starts with `---`",
        )


@rule()
def frontmatter_in_code_fence(text: str) -> Iterator[RuleProblem]:
    """The file is not wrapped in a code fence.

    Chat answers wrap files in ``` fences; remove the first and the last line.
    """
    if re.match(r"\s*(```|~~~)", text):
        yield RuleProblem(
            "the whole file is inside a code fence",
            "remove the first line and the closing fence",
        )


@rule()
def frontmatter_without_fences(text: str) -> Iterator[RuleProblem]:
    """The fields are between two lines of `---`.

    Without these lines, `name:` and `description:` are plain text to every client.
    """
    if _FIELD.match(text):
        yield RuleProblem(
            "the fields are not between lines of `---`",
            "add a line `---` above the first field and one below the last",
        )


@rule()
def frontmatter_link_text(text: str) -> Iterator[RuleProblem]:
    """The file is not a symbolic link that was checked out as text.

    Git without symlink support writes a link as a file that contains the path of its
    target.
    """
    if len(text) < 300 and re.fullmatch(r"[\w./@ -]*/[\w./@ -]+\s*", text):
        yield RuleProblem(
            f"the file contains only a path ({text.strip()}): a symlink as text",
            "replace it with the file that it points to",
        )


@rule()
def fence_inexact(line: int, text: str) -> Iterator[RuleProblem]:
    """A fence is a line of exactly three hyphens: not indented, nothing after it."""
    yield RuleProblem(
        f"the fence is written `{text.strip()[:40]}`"
        + (" and indented" if text[:1].isspace() else ""),
        "write exactly `---`, alone on its line",
        line,
    )


@rule()
def fence_unclosed(line: int) -> Iterator[RuleProblem]:
    """The frontmatter ends with a second line of `---`."""
    yield RuleProblem(
        "the frontmatter is never closed", "add a line `---` below the last field", line
    )


@rule(Severity.WARNING)
def fence_spaces(line: int) -> Iterator[RuleProblem]:
    """No spaces follow a fence: some clients look for the line `---` exactly."""
    yield RuleProblem("spaces follow the `---`", "remove them", line)


RULES = rules_in(globals())
_WHY_MISSING = (
    frontmatter_after_blank,
    frontmatter_in_code_fence,
    frontmatter_without_fences,
    frontmatter_link_text,
    frontmatter_after_heading,
    frontmatter_missing,
)


def find(text: str, start: int = 0) -> Fences | Finding:
    """Find the two fences; `start` is 1 for a text that begins with a BOM."""
    if not text.startswith("---", start):
        return _why_missing(text[start:])
    opening = text.find("\n", start)
    first = text[start : opening if opening >= 0 else len(text)]
    if first.rstrip() != "---":
        return fence_inexact.findings(1, first)[0]
    if opening < 0:
        return fence_unclosed.findings(1)[0]
    at = opening
    while (at := text.find("\n---", at)) >= 0:
        end = text.find("\n", at + 1)
        end = len(text) if end < 0 else end + 1
        if end - at == 5 or not text[at + 4 : end].strip():
            return Fences(opening + 1, at + 1, end)
        at += 4
    return _why_unclosed(text, opening + 1)


def _why_missing(text: str) -> Finding:
    return next(f for r in _WHY_MISSING for f in r.findings(text))


def _why_unclosed(text: str, start: int) -> Finding:
    if nearly := _NEARLY_CLOSED.search(text, start):
        line = text.count("\n", 0, nearly.start()) + 1
        return fence_inexact.findings(line, nearly[0])[0]
    return fence_unclosed.findings(1)[0]


def spaces_after(text: str, fences: Fences) -> Iterator[Finding]:
    """Warnings for fences with trailing spaces, which are accepted."""
    if text[fences.header_start - 2] in " \t" or (
        text[fences.header_start - 3 : fences.header_start] in (" \r\n", "\t\r\n")
    ):
        yield from fence_spaces.findings(1)
    closing = text[fences.header_end : fences.body_start].rstrip("\r\n")
    if closing != "---":
        yield from fence_spaces.findings(text.count("\n", 0, fences.header_end) + 1)
