"""Fenced code in a SKILL.md: blocks marked `test` are cases, others illustrations."""

import re
import textwrap
from collections.abc import Iterator

from skillforge.checks.cases.case_files import Case
from skillforge.model import SKILL_FILE, Skill, Trial, TrialOutcome
from skillforge.text import code_blocks

_MARK = "test"
# `--`, because a block may begin with a hyphen.
_RUN = {
    "python": ("python3", "-c"),
    "sh": ("sh", "-eu", "-c", "--"),
    "bash": ("bash", "-eu", "-c", "--"),
}
_LANGUAGES = {"python3": "python", "py": "python", "shell": "sh"}
_INFO = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([^\n]*)\n")


def read_blocks(skill: Skill) -> Iterator[Case | Trial]:
    """The blocks to run, as cases; a failed trial for one that can't be run."""
    document = skill.document
    if document is None or not document.readable:
        return
    body = document.body
    for start, end in code_blocks(body):
        opening = _INFO.match(body, start)
        words = opening[1].lower().split() if opening else []
        if opening is None or _MARK not in words[1:]:
            continue
        language = _LANGUAGES.get(words[0], words[0])
        line = document.line_at(document.body_start + opening.end())
        name = f"{SKILL_FILE}:{line} {language}"
        if language in _RUN:
            argv = (*_RUN[language], _without_fence(body[opening.end() : end]))
            yield Case(name, SKILL_FILE, argv, line)
        else:
            why = f"marked `{_MARK}`, but only {', '.join(_RUN)} can be run"
            outcome = TrialOutcome.ERROR
            yield Trial(skill.name, name, outcome, 0.0, why, SKILL_FILE, line)


def _without_fence(block: str) -> str:
    is_closed = block.rstrip().endswith(("```", "~~~"))
    return textwrap.dedent(block.rpartition("\n")[0] if is_closed else block)
