"""Redact an example, compute its learning value, and flag it for reviewers."""

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
_FIELDS = ("environment", "task", "inputs", "output", "notes", "named_tools", "session")
_SUSPICIOUS = re.compile(
    r"(?<!\w)@[A-Za-z][\w-]{2,}\b(?!/)|\b\d{9,}\b|\b[0-9a-f]{12,}\b", re.IGNORECASE
)


def redact(example: Example, known: KnownPrivate) -> tuple[Example, dict[str, str]]:
    """The example without private values; and those values, by placeholder."""
    redaction = Redaction(known)
    steps = [[step.text, step.tool, dict(step.arguments)] for step in example.steps]
    fields = {name: getattr(example, name) for name in _FIELDS}
    clean = redaction(fields | {"steps": steps})
    session = clean["session"]
    redacted = replace(
        example,
        **{name: clean[name] for name in _FIELDS[:-2]},
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
    )
    text = str(clean)
    return redacted, {
        placeholder: value
        for placeholder, value in redaction.taken.items()
        if placeholder in text
    }


def digest_of(session: str) -> str:
    """A pseudonym for a session id."""
    import hashlib

    data = session.encode("utf-8", "surrogatepass")
    # Letters only: digits would look like an id, which redaction removes.
    return hashlib.sha256(data).hexdigest()[:20].translate(_LETTERS)


def score(example: Example, known: KnownPrivate) -> Example:
    """A redacted example with its learning value and flags."""
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
    """Whether a call succeeded after an error; False if the episode failed."""
    if example.outcome.status is OutcomeStatus.FAILURE:
        return False
    kinds = [step.kind for step in example.steps]
    if StepKind.ERROR not in kinds:
        return False
    return StepKind.OBSERVATION in kinds[kinds.index(StepKind.ERROR) :]


def is_generalizable(example: Example, known: KnownPrivate) -> bool:
    """Whether the request contains nothing specific to one person or machine."""
    if remains({"task": example.task, "inputs": dict(example.inputs)}, known):
        return False
    texts = (example.task, *map(str, example.inputs.values()))
    return not any(map(_SUSPICIOUS.search, texts))


def is_long_enough(example: Example) -> bool:
    """Whether an episode has enough messages or enough tool calls."""
    calls = sum(1 for _ in example.calls)
    return example.messages >= FEWEST_MESSAGES or calls >= FEWEST_CALLS


def with_outcome(
    example: Example, status: OutcomeStatus, source: OutcomeSource, by: str
) -> Example:
    """The example with another outcome, and its learning value updated."""
    example = replace(example, outcome=Outcome(status, source, by))
    success, recovered = status is OutcomeStatus.SUCCESS, has_recovered(example)
    worth = example.worth._replace(success=success, recovered=recovered)
    return replace(example, worth=worth)


def _flags(example: Example) -> Iterator[str]:
    """What a reviewer should know, such as instructions aimed at the agent."""
    texts = (example.task, example.notes, str(example.output), str(example.inputs))
    steps = [f"{step.text}\n{step.arguments or ''}" for step in example.steps]
    if any(map(has_instructions, (*texts, *steps))):
        yield "instructions"
    if example.left_out:
        yield "shortened"
