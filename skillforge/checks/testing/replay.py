"""Held-out examples: what the author of a draft never saw, fed to it at the gate."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skillforge.checks.testing.cases import (
    REPLAY,
    BadCaseError,
    Case,
    broken,
    fill,
    make,
    read_yaml,
)
from skillforge.conform import Spelled, misfit
from skillforge.library import EVIDENCE
from skillforge.model import Finding, Kind, Outcome, Severity, Skill, Trial
from skillforge.report import many
from skillforge.text import shingles

_LONG = 24  # characters of a text that is not there by chance
_SHORT = 4  # characters of a value that counts together with its answer
_FEWEST, _NEAR = 8, 0.7  # groups of three words, and how many of them make a copy
_MOST_BYTES = 1 << 20
_DO_NOT_COPY = "a skill that holds the answers proves nothing; state the rule instead"


class Example(NamedTuple):
    """One held-out example: its id, and what it says."""

    id: str
    said: Mapping[str, Any]


def held_out(
    skill: Skill, evidence: Mapping[str, bytes]
) -> tuple[list[Example], list[Trial]]:
    """The examples marked so; one that cannot be read is a trial gone wrong."""
    examples: list[Example] = []
    unread: list[Trial] = []
    for number, data in sorted(evidence.items()):
        try:
            is_small = len(data) <= _MOST_BYTES
            said = json.loads(data, parse_float=Spelled.read) if is_small else None
        except (ValueError, RecursionError):
            said = None
        name = f"{EVIDENCE}/{skill.name}/{number}.json"
        if not isinstance(said, dict):
            why = f"{name} is not an example: a JSON object of at most 1 MB"
        elif not isinstance(said.get("held_out", False), bool):
            why = f"{name}: `held_out` has to be true or false"
        else:
            examples += [Example(number, said)] if said.get("held_out") else []
            continue
        unread.append(Trial(skill.name, name, Outcome.ERROR, 0.0, why, REPLAY))
    return examples, unread


def read_replay(skill: Skill, examples: Sequence[Example]) -> Iterator[Case | Trial]:
    """One case for each held-out example, by what `tests/replay.yaml` makes of it."""
    if REPLAY not in skill.files:
        return
    try:
        loaded = read_yaml(skill, REPLAY)
        if wrong := misfit(loaded.value, "replay.schema.json"):
            raise BadCaseError(loaded.line_of(wrong.path), wrong.words)
    except BadCaseError as err:
        yield broken(skill, REPLAY, err.line, err.why)
        return
    for example in examples:
        try:
            yield _case(skill, loaded.value, example)
        except BadCaseError as err:
            why = f"with example {example.id[:12]}: {err.why}"
            yield broken(skill, REPLAY, err.line, why)


def _case(skill: Skill, template: dict[str, Any], example: Example) -> Case:
    filled = fill(template, {**example.said, "id": example.id}, 1)
    if wrong := misfit(filled, "replay.schema.json"):
        raise BadCaseError(1, wrong.words)
    name = f"{template.get('name', 'held out')} [example {example.id[:12]}]"
    return make(skill, REPLAY, 1, filled, name, is_from_table=True)


def unused(skill: Skill, examples: Sequence[Example]) -> Iterator[Finding]:
    """Held-out examples that nothing is tried with."""
    if examples and REPLAY not in skill.files:
        message = f"{many(len(examples), 'held-out example')} of it cannot be tried"
        hint = f"write {REPLAY}: how an example becomes a case"
        yield Finding("no-replay", Severity.WARNING, message, hint=hint)


def copied(skill: Skill, examples: Sequence[Example]) -> Iterator[Finding]:
    """Files of a skill that hold what they were not to know: overfitting."""
    if not examples:
        return
    for path, file in sorted(skill.files.items()):
        if file.kind not in (Kind.FILE, Kind.EXECUTABLE) or file.size > _MOST_BYTES:
            continue
        text = skill.read(path).decode("utf-8", "replace")
        plain = _plain(text)
        for example in examples:
            if what := _copy(plain, example):
                line = _line_of(text, what)
                shown = what if len(what) <= 60 else f"{what[:60]}…"
                message = f"holds text of the held-out example {example.id[:12]}"
                yield Finding(
                    "held-out-copied",
                    Severity.ERROR,
                    f"{message}: {shown!r}",
                    path,
                    line,
                    _DO_NOT_COPY,
                )


def _copy(plain: str, example: Example) -> str:
    """The text of an example that a file holds, if any."""
    asked = list(_leaves(example.said.get("inputs")))
    answer = list(_leaves(example.said.get("output")))
    folded = plain.lower()
    for text in [*asked, *answer, *_leaves(example.said.get("notes"))]:
        if len(text) >= _LONG and (text.lower() in folded or _is_near(text, plain)):
            return text
    # A table of answers: the question and the answer stand in one file.
    question = next((t for t in asked if len(t) >= _SHORT and _stands(t, plain)), "")
    told = [t for t in answer if len(t) >= _SHORT and t != question]
    return question if question and any(_stands(t, plain) for t in told) else ""


def _is_near(text: str, plain: str) -> bool:
    parts = shingles(text)
    return len(parts) >= _FEWEST and (
        len(parts & shingles(plain)) / len(parts) >= _NEAR
    )


def _stands(text: str, plain: str) -> bool:
    """Whether a value stands in a text by itself, not inside another word."""
    return bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", plain))


def _leaves(value: Any) -> Iterator[str]:
    """Every text in a value, spelled as `_plain` does."""
    if isinstance(value, str):
        if text := _plain(value):
            yield text
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)


def _plain(text: str) -> str:
    return " ".join(text.replace("\\n", " ").split())


def _line_of(text: str, what: str) -> int:
    what = what.lower()
    first = what.split()[0]
    lines = text.lower().split("\n")
    whole = (at for at, line in enumerate(lines, 1) if what in " ".join(line.split()))
    part = (at for at, line in enumerate(lines, 1) if first in line)
    return next(whole, next(part, 1))
