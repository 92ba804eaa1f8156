"""Add what was learned to an existing skill, without touching the rest of it."""

from skillforge.document.sections import with_lines
from skillforge.errors import ConflictError
from skillforge.history.lineage import unknown_skill
from skillforge.learn.skill_contract import Contract
from skillforge.library import Library


def extend(library: Library, skill: str, contract: Contract) -> str:
    """The SKILL.md with the pitfalls, recoveries and steps that it lacks."""
    blob = library.find_file(library.tip, skill)
    if blob is None:
        raise unknown_skill(library, library.tip, skill)
    original = blob.data.decode("utf-8", "surrogateescape")
    before = original.replace("\r\n", "\n")
    failures = [f"{failure}." for failure in contract.failures]
    after = with_lines(before, "Failure handling", failures)
    after = with_lines(after, "Pitfalls", list(contract.pitfalls))
    after = _with_variant(after, contract)
    if after == before:
        raise ConflictError(
            f"{skill} already covers everything in the examples",
            hint="nothing was drafted",
        )
    return after.replace("\n", "\r\n") if "\r\n" in original else after


def _with_variant(text: str, contract: Contract) -> str:
    """Steps with tools that the skill does not mention become a variant."""
    if all(not step.tool or step.tool in text for step in contract.steps):
        return text
    steps = "\n".join(
        f"{number}. {step.text} ({step.support} of {step.of} runs)."
        for number, step in enumerate(contract.steps, 1)
    )
    return f"{text.rstrip()}\n\n## Variant: {contract.phrase}\n\n{steps}\n"
