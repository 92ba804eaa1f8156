"""Text of a template that nobody replaced: a template is not a skill."""

import re
from collections.abc import Iterator
from functools import cache

from skillforge.model import Document, RuleProblem, Skill, rule, rules_in
from skillforge.resources import template
from skillforge.text import code_blocks, in_any

SIGN = "TODO"
_DESCRIPTION = re.compile(rf"\W{{0,2}}{SIGN}\b|Replace with (?:a |the )?description\b")
_LINE = re.compile(rf"^[ \t]*(?:[-*#]+ |\d\. )?(?:\[{SIGN}:|{SIGN}: ).*$", re.MULTILINE)


@rule()
def template_description(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """The description of a template is replaced.

    An agent chooses a skill by its description, and can't choose a template.
    """
    if has_template_description(doc.words("description")):
        yield RuleProblem(
            "the description is that of a template",
            "write what the skill does and when to use it, or remove the folder",
            doc.line_of("description"),
        )


def has_template_description(description: str) -> bool:
    return _DESCRIPTION.match(description) is not None


FIELD_RULES = rules_in(globals())


@rule()
def template_text(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """The text of the template that `skillforge new` writes is replaced.

    So is a `[TODO: …]` of other templates. Delete the sections that the skill doesn't
    need.
    """
    if SIGN not in doc.text:
        return
    code = code_blocks(doc.text)
    left = [
        match
        for match in _LINE.finditer(doc.text, doc.body_start)
        if "[" in match[0] or match[0] in _our_lines()
        if not in_any(match.start(), code)
    ]
    if left:
        first = left[0][0].strip().lstrip("-#0123456789. ")
        more = f", and {len(left) - 1} more" if len(left) > 1 else ""
        yield RuleProblem(
            f"text of the template was not replaced: {first[:60]!r}{more}",
            "write the instructions, or delete the sections that aren't needed",
            doc.line_at(left[0].start()),
        )


@cache
def _our_lines() -> frozenset[str]:
    return frozenset(template("new-skill.md").splitlines())


BODY_RULES = rules_in(globals())[len(FIELD_RULES) :]
