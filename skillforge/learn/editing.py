"""Add what was learned to a skill that is there, without touching the rest of it."""

import re

from skillforge.errors import ConflictError, RequestError
from skillforge.learn.contract import Contract
from skillforge.library import Library
from skillforge.model import SKILL_FILE, SKILLS
from skillforge.text import code_blocks, in_any, similarity, terms

_SAME = 0.6  # of the words of a line: it says the same
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


def extended(library: Library, skill: str, said: Contract) -> str:
    """The SKILL.md with the pitfalls, cures and steps that it does not have yet."""
    found = library.repository().find(f"{library.tip}:{SKILLS}/{skill}/{SKILL_FILE}")
    if found is None:
        raise RequestError(
            f"there is no skill {skill!r} on main",
            hint="skillforge validate lists them",
        )
    whole = found.data.decode("utf-8", "surrogateescape")
    text = whole.replace("\r\n", "\n")
    after = with_lines(text, "Failure handling", [f"{it}." for it in said.failures])
    after = with_lines(after, "Pitfalls", list(said.pitfalls))
    after = _with_variant(after, said)
    if after == text:
        raise ConflictError(
            f"{skill} says already what pattern and examples show",
            hint="nothing was drafted",
        )
    return after.replace("\n", "\r\n") if "\r\n" in whole else after


def with_lines(text: str, section: str, lines: list[str]) -> str:
    """A text with bullets at the end of a section, which is made if it is missing."""
    known = [set(map(hash, terms(line))) for line in text.splitlines() if line.strip()]
    fresh = [line for line in lines if not _is_said(line, known)]
    if not fresh:
        return text
    bullets = "\n".join(f"- {line}" for line in fresh)
    end = _end_of(text, section)
    if end is None:
        return f"{text.rstrip()}\n\n## {section}\n\n{bullets}\n"
    head, rest = text[:end].rstrip("\n"), text[end:]
    gap = "\n" if rest else ""
    return f"{head}\n{bullets}\n{gap}{rest}"


def _is_said(line: str, known: list[set[int]]) -> bool:
    words = set(map(hash, terms(line)))
    return any(similarity(words, it) >= _SAME for it in known)


def _end_of(text: str, section: str) -> int | None:
    """Where a section ends: at the next heading, or with the text."""
    code = code_blocks(text)
    found = [it for it in _HEADING.finditer(text) if not in_any(it.start(), code)]
    for at, match in enumerate(found):
        if match[1].lower() == section.lower():
            return found[at + 1].start() if at + 1 < len(found) else len(text)
    return None


def _with_variant(text: str, said: Contract) -> str:
    """Steps with tools that the skill does not mention are another way to do it."""
    fresh = [step for step in said.steps if step.tool and step.tool not in text]
    if not fresh:
        return text
    lines = [f"{step.text} ({step.support} of {step.of} runs)." for step in said.steps]
    steps = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    title = f"## Variant: {said.phrase}"
    return f"{text.rstrip()}\n\n{title}\n\n{steps}\n"
