"""Parse Markdown pages into commands and the output that they show.

A `console` block has commands after `$ `, each followed by its output; an `sh` block
has only commands. A command may contain a file, from `<<'END'` to `END`.
Comments before a block set up its situation:

    <!-- given: a library -->        start from a new machine (see situations/)
    <!-- and: a new release -->      stay on it, after something else has happened
    <!-- needs: a sandbox -->        the commands run a skill's own code
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"(?P<comments>(?:^<!-- (?:given|and|needs): [^\n]*-->\n)*)"
    r"^(?P<fence>`{3,})(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=fence)[ ]*$",
    re.M | re.S,
)
_COMMENT = re.compile(r"<!-- (given|and|needs): (.*?) -->")
# Continues a command that takes several lines.
_CONTINUATION = re.compile(r"\s|else\b|fi\b|done\b")
_HERE_DOCUMENT = re.compile(r"<<'(\w+)'$")
DEFAULT = "a library"
RUN = ("console", "sh")


class Step(NamedTuple):
    """A command, the output that the page shows, and what happens before it.

    `shows` is None where the page shows no output.
    """

    line: int
    command: str
    shows: list[str] | None
    before: tuple[str, ...] = ()


class Scene(NamedTuple):
    """Commands that run one after the other on one machine."""

    page: str
    given: str
    steps: list[Step]
    needs_sandbox: bool = False

    @property
    def id(self) -> str:
        return f"{self.page}:{self.steps[0].line}"


def pages() -> list[Path]:
    """The hand-written pages; those in docs/reference are generated."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def scenes(page: Path) -> list[Scene]:
    found: list[Scene] = []
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        if match["language"] not in RUN:
            continue
        comments = _COMMENT.findall(match["comments"])
        given = [name for kind, name in comments if kind == "given"]
        before = tuple(name for kind, name in comments if kind == "and")
        if given or not found:
            found.append(Scene(page.name, given[-1] if given else DEFAULT, []))
        if ("needs", "a sandbox") in comments:
            found[-1] = found[-1]._replace(needs_sandbox=True)
        first = text.count("\n", 0, match.start("text")) + 1
        read = _console if match["language"] == "console" else _sh
        steps = list(read(match["text"].split("\n")[:-1], first))
        found[-1].steps.append(steps[0]._replace(before=before))
        found[-1].steps.extend(steps[1:])
    return found


def blocks(page: Path) -> Iterator[tuple[int, str, str]]:
    """Every block of a page: its line, its language, and its text."""
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        yield (
            text.count("\n", 0, match.start("fence")) + 1,
            match["language"],
            match["text"],
        )


def _console(lines: list[str], number: int) -> Iterator[Step]:
    assert lines[0].startswith("$ "), f"line {number}: a console block starts with `$ `"
    start = 0
    while start < len(lines):
        until = start + 1
        while lines[until - 1].endswith("\\"):
            until += 1
        if document := _HERE_DOCUMENT.search(lines[start]):
            until = lines.index(document[1], until) + 1
        rest = range(until, len(lines))
        end = next((at for at in rest if lines[at].startswith("$ ")), len(lines))
        command = "\n".join(lines[start:until]).removeprefix("$ ")
        yield Step(number + start, command, lines[until:end])
        start = end


def _sh(lines: list[str], number: int) -> Iterator[Step]:
    command: list[str] = []
    start = number
    for at, line in enumerate(lines, number):
        if command and not _CONTINUATION.match(line):
            yield Step(start, "\n".join(command), None)
            command = []
        start = start if command else at
        command.append(line)
    yield Step(start, "\n".join(command), None)


def inline_commands(page: Path) -> Iterator[tuple[int, str]]:
    """Commands of ours in running text and in blocks that are not run, with lines."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"(?<!`)`(skillforge [^`]+)`(?!`)", text):
        yield text.count("\n", 0, match.start()) + 1, " ".join(match[1].split())
    for block in _BLOCK.finditer(text):
        if block["language"] in ("", "text", "yaml"):
            first = text.count("\n", 0, block.start("text")) + 1
            for at, line in enumerate(block["text"].split("\n"), first):
                if found := re.match(r"\s*(?:- run: |\$ )?(skillforge .*)", line):
                    yield at, re.split(r"\s{2,}|\s#\s", found[1])[0]
