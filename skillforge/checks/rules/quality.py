"""Rules on the quality of a skill, most of them warnings."""

import re
from collections.abc import Iterator

from skillforge.checks.rules.client_fields import client_fields
from skillforge.model import (
    Document,
    Profile,
    RuleProblem,
    Severity,
    Skill,
    rule,
    rules_in,
)
from skillforge.text import BYTES_PER_TOKEN, headings

# The specification recommends less than 500 lines and 5,000 tokens; a body that is only
# a little longer is no problem.
MAX_LINES = 1000
MAX_TOKENS = 7500
FEW_WORDS = 6

_WHEN = re.compile(
    r"\b(?:when|whenever|if|before|after|while|during|use (?:this|it|for|to)|trigger|"
    r"for (?:use|tasks|work|any|all|the|every)|asks?|needs? to|wants? to|mentions?)\b",
    re.IGNORECASE,
)
# The sections of a skill by an agent, and words of their headings.
SECTIONS = {
    "When to use": ("when",),
    "Inputs": ("input", "parameter", "prerequisite"),
    "Steps": ("step", "procedure", "workflow", "process", "how to", "instructions"),
    "Tools": ("tool", "script", "command"),
    "Output": ("output", "result", "deliverable"),
    "Failure handling": ("failure", "error", "recover", "troubleshoot"),
    "Verification": ("verif", "check", "validat", "test"),
    "Pitfalls": ("pitfall", "caveat", "gotcha", "mistake", "limit"),
}


@rule(Severity.WARNING, Profile.PORTABLE)
def description_when(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A description says what the skill does and when to use it.

    An agent chooses a skill by its description alone: "Extracts tables from PDF files.
    Use when a user asks for data that is in a PDF." This reports a description of less
    than six words that says nothing about when. Hermes asks for short ones; a skill
    with fields of Hermes may have one.
    """
    description = doc.words("description")
    words = len(description.split())
    if (
        0 < words < FEW_WORDS
        and not _WHEN.search(description)
        and not _has_wide_letters(description)
        and "Hermes" not in " ".join(client_fields(doc).values())
    ):
        yield RuleProblem(
            "the description is too short to say when to use the skill",
            'add a sentence such as "Use when …"',
            doc.line_of("description"),
        )


def _has_wide_letters(text: str) -> bool:
    """Whether the text is in a script that the English pattern does not cover."""
    return not text.isascii() and sum(c > "\u024f" and c.isalpha() for c in text) > 4


FIELD_RULES = rules_in(globals())


@rule(Severity.WARNING)
def body_length(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """The body is short: the specification recommends 500 lines and 5,000 tokens.

    Agents load all of it. Details that only some tasks need belong in `references/`.
    This reports a body of more than 7,500 tokens or 1,000 lines.
    """
    # Bytes are counted four times as fast as the characters of a text with emoji.
    lines = doc.data.count(b"\n") - doc.text.count("\n", 0, doc.body_start) + 1
    tokens = (len(doc.data) - doc.body_start) // BYTES_PER_TOKEN
    if lines > MAX_LINES or tokens > MAX_TOKENS:
        yield RuleProblem(
            f"the body has {lines:,} lines and about {tokens:,} tokens, which agents "
            "load at once",
            "move details to references/; 500 lines and 5,000 tokens are recommended",
            doc.line_at(doc.body_start),
        )


@rule(Severity.WARNING)
def body_empty(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A skill has a body with instructions."""
    if len(doc.text) - doc.body_start < 1000 and not doc.body.strip():
        hint = "write down the steps below the closing `---`"
        yield RuleProblem(
            "the skill has no instructions", hint, doc.line_at(doc.body_start)
        )


@rule(profile=Profile.PORTABLE)
def sections_required(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A skill by an agent has the sections of a contract.

    Its headings cover when to use it, inputs, steps, tools, output, failure handling,
    verification and pitfalls. `metadata.origin` is the author of a skill; without it,
    the author counts as human, and the sections are optional.
    """
    if not skill.is_agent_made:
        return
    existing = list(headings(doc.body))
    missing = [
        name
        for name, words in SECTIONS.items()
        if not any(word in heading for heading in existing for word in words)
    ]
    if missing:
        yield RuleProblem(
            f"sections are missing: {', '.join(missing)}",
            f"add the heading `## {missing[0]}`" + (" and so on" * (len(missing) > 1)),
            doc.line_at(doc.body_start),
        )


@rule(Severity.NOTE, Profile.PORTABLE)
def line_endings(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """Lines end in LF.

    CRLF works in most clients but makes diffs noisy, and a mix of both hides changes.
    """
    if b"\r" not in doc.data:
        return
    crlf, all_lines = doc.text.count("\r\n"), doc.text.count("\n")
    how = "CRLF" if crlf == all_lines else "both LF and CRLF"
    hint = "git add --renormalize . with `* text=auto eol=lf` in .gitattributes"
    yield RuleProblem(f"lines end in {how}", hint)


BODY_RULES = rules_in(globals())[len(FIELD_RULES) :]
