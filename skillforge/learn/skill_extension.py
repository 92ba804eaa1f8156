"""Add what was learned to a skill that is there, without touching the rest of it."""

from skillforge.document.sections import with_lines
from skillforge.errors import ConflictError
from skillforge.history.lineage import unknown_skill
from skillforge.learn.skill_contract import Contract
from skillforge.library import Library
from skillforge.model import SKILL_FILE, SKILLS


def extended(library: Library, skill: str, said: Contract) -> str:
    """The SKILL.md with the pitfalls, cures and steps that it does not have yet."""
    found = library.repository().find(f"{library.tip}:{SKILLS}/{skill}/{SKILL_FILE}")
    if found is None:
        raise unknown_skill(library, library.tip, skill)
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


def _with_variant(text: str, said: Contract) -> str:
    """Steps with tools that the skill does not mention are another way to do it."""
    fresh = [step for step in said.steps if step.tool and step.tool not in text]
    if not fresh:
        return text
    lines = [f"{step.text} ({step.support} of {step.of} runs)." for step in said.steps]
    steps = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    title = f"## Variant: {said.phrase}"
    return f"{text.rstrip()}\n\n{title}\n\n{steps}\n"
