"""Attacks that a skill only shows, in material that teaches or detects attacks.

A finding in an example is a warning: a reviewer decides. The skill or the file has to
be about security, and the example has to be marked as an attack where it is shown, so
that an agent sees the mark as well. An order to run something is no example.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property, partial

from skillforge.checks.scan import normalize
from skillforge.model import SKILL_FILE, FileKind, Finding, Severity, Skill
from skillforge.text import code_blocks, occurrences

_TOPIC = re.compile(
    r"\b(?:security|vulnerabilit\w+|attack\w*|adversarial|malware|exploit\w*|pentest\w*|"
    r"penetration|injections?|threats?|phishing|yara|forensics?|hardening|sandbox\w*)\b"
)
_MARK = re.compile(
    r"\b(?:attack(?:s|ers?)?|adversar\w+|malicious|malware|vulnerab\w+|exploit\w*|"
    r"injections?|injected|insecure|unsafe|dangerous|bad|wrong|backdoors?|exfiltrat\w+|"
    r"theft|stolen|steal(?:s|ing)?|reverse shells?|jailbreaks?|evasions?|obfuscat\w+|"
    r"suspicious|poison\w+|hijack\w*|red flags?|threats?|compromised?|detect\w*|"
    r"(?:never|do not|don't) (?:do|run|use|write))\b|\u274c|\U0001f6a8"
)
_ORDER = re.compile(
    r"(?:^|[.:;,!>*]\s*|\b(?:must|please|then|now|first|to \w+,? )\s*)"
    r"(?:run|execute|install|paste|download|use|copy)\b|"
    r"\b(?:you must|required|always)\b"
)
_HEADING = re.compile(r"(#{1,6})\s+(.+)")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--|;)\s(.*)")
# An element of a list of texts, or a regular expression, rather than code.
_LITERAL = re.compile(
    r"""\s*(?:[(\[{-]\s*)*(?:[rbfu]{0,2}["'`]|[\w-]+\s*[:=]\s*[rbfu]{0,2}["'`]|["']\w+["']:)"""
)
_REGEX = re.compile(r"\\[sbwd][+*?{)]|\(\?[:i=!]|\.\*|\[\^")
_YARA = re.compile(r"^\s*(?:(?:private|global)\s+)*rule\s+\w+", re.MULTILINE)
_YARA_TEXT = re.compile(r"""\s*(?:\$\w*\s*=|//|/\*|\*|\w+\s*=\s*["{/])""")
_PAGES = (".md", ".mdx", ".markdown", ".rst")
_YARA_FILES = (".yar", ".yara")
_NEAR = 6  # lines between a comment and the code that it marks
# Rules on text that harms only an agent that reads it.
_ON_TEXT = frozenset((
    "override", "leak-in-reply", "act-in-secret", "told-to-send", "without-consent",
    "poisoned-memory", "fetch-and-obey", "malware",
))  # fmt: skip


def with_examples(
    skill: Skill, about: Iterable[str], findings: Iterable[Finding]
) -> Iterator[Finding]:
    """The findings, with errors in examples as warnings."""
    is_topic = bool(_TOPIC.search(" ".join(about)))
    page_of = cache(partial(_Page, skill))
    for finding in findings:
        is_error = finding.severity is Severity.ERROR
        if is_error and page_of(finding.path).shows(finding, is_topic=is_topic):
            message = f"quotes an attack: {finding.message}"
            hint = "state clearly that it is an example, or describe it instead"
            finding = replace(
                finding, severity=Severity.WARNING, message=message, hint=hint
            )
        yield finding


class _Page:
    """The lines of a file, in lower case; none if it can't be read as text."""

    def __init__(self, skill: Skill, path: str) -> None:
        file = skill.files.get(path)
        is_file = file and file.kind in (FileKind.FILE, FileKind.EXECUTABLE)
        data = skill.read(path) if is_file else b""
        self.path = path.lower()
        self.text = normalize.lines(data.decode("utf-8", "replace")).lower()
        self.lines = self.text.split("\n")

    def shows(self, finding: Finding, *, is_topic: bool) -> bool:
        """Whether a finding is in an example."""
        number = finding.line - 1
        if number >= len(self.lines):
            return False
        line = self.lines[number]
        if self.path.endswith(_YARA_FILES):
            is_rule = _YARA.search(self.text) and not self.text.startswith("#!")
            return bool(is_rule and _YARA_TEXT.match(line))
        if self.path.endswith(_PAGES):
            is_hidden = finding.rule == "hidden-instruction" or self._is_hidden(number)
            return not is_hidden and self._is_marked(number, is_topic=is_topic)
        is_text = bool(_LITERAL.match(line) or _REGEX.search(line))
        return is_topic and is_text and finding.rule in _ON_TEXT

    def _is_marked(self, number: int, *, is_topic: bool) -> bool:
        """Whether a line is marked as an attack: there, above it, or in a heading."""
        line, fence = self.lines[number], self._fence(number)
        if fence is not None and self.lines[fence].strip("`~ ").startswith("yara"):
            return bool(_YARA_TEXT.match(line))
        is_topic = is_topic or bool(_TOPIC.search(re.sub(r"[\W_]", " ", self.path)))
        intro = self._above(number if fence is None else fence)
        orders = [intro] if fence is not None else [intro, line.strip()]
        if not is_topic or any(map(_ORDER.search, orders)):
            return False
        marks = [line, intro, *self._headings_above(number)]
        if fence is not None:
            nearby = self.lines[max(fence + 1, number - _NEAR) : number]
            comments = map(_COMMENT.search, nearby)
            marks += [comment[1] for comment in comments if comment]
        return any(map(_MARK.search, marks))

    def _is_hidden(self, number: int) -> bool:
        """Whether a line is in a comment of the page, which readers don't see."""
        if self._fence(number) is not None:
            return False
        end = sum(len(line) + 1 for line in self.lines[: number + 1])
        start = end - len(self.lines[number]) - 1
        return "<!--" in self.text[self.text.rfind("-->", 0, start) + 1 : end]

    def _fence(self, number: int) -> int | None:
        """The line that opens the block of code around a line."""
        at = bisect_right(self._blocks, number, key=lambda block: block[0]) - 1
        if at < 0 or number > self._blocks[at][1]:
            return None
        return self._blocks[at][0]

    @cached_property
    def _blocks(self) -> list[tuple[int, int]]:
        """The first and last lines of the blocks of code."""
        breaks = list(occurrences(self.text, "\n"))
        return [
            (bisect_left(breaks, start), bisect_left(breaks, end - 1))
            for start, end in code_blocks(self.text)
        ]

    def _above(self, number: int) -> str:
        """The last line of text above a line."""
        lines = reversed(self.lines[:number])
        return next((line.strip() for line in lines if line.strip()), "")

    def _headings_above(self, number: int) -> Iterator[str]:
        """The headings that a line is under; not the title of a SKILL.md."""
        level = 7
        for at, heading in reversed(self._headings):
            if at < number and len(heading[1]) < level:
                level = len(heading[1])
                if level > 1 or self.path != SKILL_FILE.lower():
                    yield heading[2]

    @cached_property
    def _headings(self) -> list[tuple[int, re.Match[str]]]:
        matches = ((at, _HEADING.match(line)) for at, line in enumerate(self.lines))
        return [(at, m) for at, m in matches if m and self._fence(at) is None]
