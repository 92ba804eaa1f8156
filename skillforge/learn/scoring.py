"""What an episode is worth learning from, and what a reviewer should know of it."""

import re
from collections.abc import Iterator
from dataclasses import replace

from skillforge.checks.prompt_injection import has_instructions
from skillforge.model import (
    Example,
    Outcome,
    OutcomeSource,
    OutcomeStatus,
    StepKind,
    Worth,
)
from skillforge.redact import KnownPrivate, Redaction, remains

FEWEST_MESSAGES = 10
FEWEST_CALLS = 5
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
_ISO = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?"
    r"(?:Z|[+-]\d\d:?\d\d)?"
)
_SAID = ("environment", "task", "inputs", "output", "notes", "named_tools", "session")
_SUSPICIOUS = re.compile(
    r"(?<!\w)@[A-Za-z][\w-]{2,}\b(?!/)|\b\d{9,}\b|\b[0-9a-f]{12,}\b", re.IGNORECASE
)


def redact(example: Example, known: KnownPrivate) -> tuple[Example, dict[str, str]]:
    """The example without private values; and those, by placeholder."""
    redaction = Redaction(known)
    steps = [[step.text, step.tool, dict(step.arguments)] for step in example.steps]
    said = {name: getattr(example, name) for name in _SAID} | {"steps": steps}
    clean = redaction(said)
    session = clean["session"]
    return replace(
        example,
        **{name: clean[name] for name in _SAID[:-2]},
        named_tools=tuple(clean["named_tools"]),
        session=session if session == example.session else digest_of(example.session),
        steps=tuple(
            replace(step, text=text, tool=tool, arguments=arguments)
            for step, (text, tool, arguments) in zip(
                example.steps, clean["steps"], strict=True
            )
        ),
        started=example.started if _ISO.fullmatch(example.started) else "",
        redacted=redaction.counts,
    ), {put: it for put, it in redaction.taken.items() if put in str(clean)}


def digest_of(session: str) -> str:
    """A name for a session that tells it from others, and nothing else."""
    import hashlib

    found = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return found.translate(_LETTERS)  # no digits: it would look like an id itself


def judged(example: Example, known: KnownPrivate) -> Example:
    """A redacted example with its learning value, and what is odd about it."""
    return replace(
        example,
        worth=Worth(
            success=example.has_succeeded,
            several_tools=len(set(example.tools)) >= 3,
            recovered=has_recovered(example),
            generalizable=is_generalizable(example, known),
        ),
        flags=tuple(_flags(example)),
    )


def has_recovered(example: Example) -> bool:
    """Whether a call went wrong, and one after it went well.

    Not if the whole thing is known to have failed.
    """
    if example.outcome.status is OutcomeStatus.FAILURE:
        return False
    kinds = [step.kind for step in example.steps]
    if StepKind.ERROR not in kinds:
        return False
    return StepKind.OBSERVATION in kinds[kinds.index(StepKind.ERROR) :]


def is_generalizable(example: Example, known: KnownPrivate) -> bool:
    """Whether nothing is left in what was asked that is of one person or machine."""
    asked = {"task": example.task, "inputs": dict(example.inputs)}
    if remains(asked, known):
        return False
    texts = (example.task, *map(str, example.inputs.values()))
    return not any(map(_SUSPICIOUS.search, texts))


def is_long_enough(example: Example) -> bool:
    """Whether there was enough work in it: either of the two numbers."""
    calls = sum(1 for _ in example.calls)
    return example.messages >= FEWEST_MESSAGES or calls >= FEWEST_CALLS


def verified(
    example: Example, status: OutcomeStatus, source: OutcomeSource, by: str
) -> Example:
    """The example with an outcome that somebody stands for, and its value by that."""
    example = replace(example, outcome=Outcome(status, source, by))
    success, recovered = status is OutcomeStatus.SUCCESS, has_recovered(example)
    worth = example.worth._replace(success=success, recovered=recovered)
    return replace(example, worth=worth)


def _flags(example: Example) -> Iterator[str]:
    """A transcript is data: what talks to its reader is told, and obeyed by nobody."""
    texts = (example.task, example.notes, str(example.output), str(example.inputs))
    steps = [f"{step.text}\n{step.arguments or ''}" for step in example.steps]
    if any(map(has_instructions, (*texts, *steps))):
        yield "instructions"
    if example.left_out:
        yield "shortened"
