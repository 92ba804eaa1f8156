"""Held-out examples, which test a draft because its author has not seen them."""

import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from skillforge.checks.cases.case_files import (
    REPLAY,
    BadCaseError,
    Case,
    broken,
    fill,
    make,
    placeholders,
    read_yaml,
)
from skillforge.model import (
    EVIDENCE,
    FileKind,
    Finding,
    Severity,
    Skill,
    Trial,
    TrialOutcome,
)
from skillforge.report import plural
from skillforge.schema_errors import Spelled, as_text, misfit
from skillforge.text import shingles, shortened

_LONG = 24  # characters of a text that does not occur by chance
_LONGER = 40  # the same for texts about an example, rather than of it
_SHORT = 4  # characters of a value that counts together with its answer
_TELLING, _NEARBY = 8, 30  # characters of a question; distance to its answer
_ABOUT_IT = ("id", "held_out", "session", "status", "tools")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPE = re.compile(r"\\[nrtbf\"'\\/]")
_GROUPING = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD = re.compile(r"\w+")
_FEWEST, _NEAR = 8, 0.7  # groups of three words, and the share that makes a copy
_MOST_BYTES = 1 << 20
_MOST_LEAVES = 200  # texts of an example, and occurrences of one
_DO_NOT_COPY = "describe the rule instead; the example must stay unknown to the skill"


class HeldOutExample(NamedTuple):
    """A held-out example: its id and its content."""

    id: str
    content: Mapping[str, Any]


class Evidence(NamedTuple):
    """The examples of a skill: held out, shown to the author, or unreadable."""

    held_out: list[HeldOutExample]
    shown: list[HeldOutExample]
    unread: list[Trial]


def sort_examples(skill: Skill, evidence: Mapping[str, bytes]) -> Evidence:
    """Sort out the held-out examples; an unreadable one is a failed trial."""
    held: list[HeldOutExample] = []
    shown: list[HeldOutExample] = []
    unread: list[Trial] = []
    for number, data in sorted(evidence.items()):
        try:
            is_small = len(data) <= _MOST_BYTES
            content = json.loads(data, parse_float=Spelled.read) if is_small else None
        except (ValueError, RecursionError):
            content = None
        name = f"{EVIDENCE}/{skill.name}/{number}.json"
        if not isinstance(content, dict):
            why = f"{name} is not an example: a JSON object of at most 1 MB"
        elif not isinstance(content.get("held_out", False), bool):
            why = f"{name}: `held_out` must be true or false"
        else:
            (held if content.get("held_out") else shown).append(
                HeldOutExample(number, content)
            )
            continue
        unread.append(Trial(skill.name, name, TrialOutcome.ERROR, 0.0, why, REPLAY))
    return Evidence(held, shown, unread)


def read_replay(
    skill: Skill, examples: Sequence[HeldOutExample]
) -> Iterator[Case | Trial]:
    """A case for each held-out example, from the template `tests/replay.yaml`."""
    if REPLAY not in skill.files:
        return
    try:
        loaded = read_yaml(skill, REPLAY)
        if wrong := misfit(loaded.value, "replay.schema.json"):
            raise BadCaseError(loaded.line_of(wrong.path), wrong.words)
        _refuse_sham(skill, loaded.value)
    except BadCaseError as err:
        yield broken(skill, REPLAY, err.line, err.why)
        return
    for example in examples:
        try:
            yield _case(skill, loaded.value, example)
        except BadCaseError as err:
            why = f"with example {example.id[:12]}: {err.why}"
            yield broken(skill, REPLAY, err.line, why)


def _refuse_sham(skill: Skill, template: Mapping[str, Any]) -> None:
    """Refuse a replay that passes the answer to the skill."""
    asked = {key: value for key, value in template.items() if key != "expect"}
    if "output" in set(placeholders(asked)):
        raise BadCaseError(1, "`output` is the answer: use it below `expect` only")
    if "output" not in set(placeholders(template["expect"])):
        raise BadCaseError(1, "`expect` must use the answer: {{ output }}")
    own = [PurePosixPath(p).name for p in skill.files if not p.startswith("tests/")]
    if not any(name in as_text(template["run"]) for name in own):
        raise BadCaseError(1, "`run` must run a file of the skill")


def _case(skill: Skill, template: dict[str, Any], example: HeldOutExample) -> Case:
    filled = fill(template, {**example.content, "id": example.id}, 1)
    if wrong := misfit(filled, "replay.schema.json"):
        raise BadCaseError(1, wrong.words)
    name = f"{template.get('name', 'held out')} [example {example.id[:12]}]"
    case = make(skill, REPLAY, 1, filled, name, is_from_table=True)
    with_wrong_answer = {
        **example.content,
        "id": example.id,
        "output": _wrong_answer(example.content.get("output")),
    }
    return replace(case, decoy=fill(template["expect"], with_wrong_answer, 1))


def _wrong_answer(value: Any) -> Any:
    """Another answer of the same shape."""
    if isinstance(value, dict):
        return {key: _wrong_answer(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_wrong_answer(item) for item in value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 7919
    return f"no {secrets.token_hex(8)}"


def unused(skill: Skill, examples: Sequence[HeldOutExample]) -> Iterator[Finding]:
    """A finding for held-out examples that cannot be run."""
    if examples and REPLAY not in skill.files:
        message = f"{plural(len(examples), 'held-out example')} cannot be run"
        hint = f"write {REPLAY}, which turns an example into a case"
        yield Finding("no-replay", Severity.WARNING, message, hint=hint)


def copied(
    skill: Skill,
    examples: Sequence[HeldOutExample],
    shown: Sequence[HeldOutExample] = (),
) -> Iterator[Finding]:
    """Findings for files that contain held-out text (overfitting).

    Text that the shown examples contain as well is allowed.
    """
    if not examples:
        return
    known = (
        f" {' '.join(text for example in shown for text in _leaves(example.content))} "
    )
    for path, file in sorted(skill.files.items()):
        if file.kind not in (FileKind.FILE, FileKind.EXECUTABLE):
            continue
        if file.size > _MOST_BYTES:
            message = "too large to be checked for held-out text"
            yield _finding(path, 1, message)
            continue
        text = skill.read(path).decode("utf-8", "replace")
        plain = f" {_plain(text)} "
        parts = shingles(plain) - shingles(known)
        for example in examples:
            if what := _copy(plain, parts, example, known):
                message = f"contains text of the held-out example {example.id[:12]}"
                yield _finding(
                    path, _line_of(text, what), f"{message}: {shortened(what, 60)!r}"
                )


def _finding(path: str, line: int, message: str) -> Finding:
    rule = "held-out-copied"
    return Finding(rule, Severity.ERROR, message, path, line, _DO_NOT_COPY)


def _copy(plain: str, parts: Set[int], example: HeldOutExample, known: str) -> str:
    """The text of an example that a file contains, if any, as `_plain` returns it."""
    content = example.content

    def new_texts(value: Any) -> Iterator[str]:
        return (text for text in _leaves(value) if f" {text} " not in known)

    asked = list(
        islice(new_texts([content.get("task"), content.get("inputs")]), _MOST_LEAVES)
    )
    answers = list(islice(new_texts(content.get("output")), _MOST_LEAVES))
    named = ("task", "inputs", "output", *_ABOUT_IT)
    rest = (t for k, v in content.items() if k not in named for t in new_texts(v))
    longer = list(islice(rest, _MOST_LEAVES))
    for text in (*asked, *answers, *(t for t in longer if len(t) >= _LONGER)):
        if len(text) >= _LONG and (f" {text} " in plain or _is_near(text, parts)):
            return text
    return next((q for q in asked if _is_answered(q, answers, plain)), "")


def _is_answered(question: str, answers: list[str], plain: str) -> bool:
    """Whether a file contains a question and its answer, as a table of answers does.

    A short answer counts only close to its question.
    """
    if any(
        len(answer) >= _SHORT and answer != question and f" {answer} " in plain
        for answer in answers
    ):
        return len(question) >= _SHORT and f" {question} " in plain
    at = plain.find(f" {question} ") if len(question) >= _SHORT else -1
    for _ in range(_MOST_LEAVES):
        if at < 0:
            return False
        after = plain[at + len(question) + 1 :][:_NEARBY]
        for answer in answers:
            tells = len(question) >= _TELLING or len(answer) >= _SHORT
            if tells and f" {answer} " in f"{after} ":
                return True
        at = plain.find(f" {question} ", at + 1)
    return False


def _is_near(text: str, parts: Set[int]) -> bool:
    """Whether another text contains nearly all of a text."""
    own = shingles(text)
    return len(own) >= _FEWEST and len(own & parts) / len(own) >= _NEAR


def _leaves(value: Any) -> Iterator[str]:
    """The texts and numbers in a value, keys included."""
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(key, str) and len(_plain(key)) >= _LONG:
                yield _plain(key)
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None and not isinstance(value, bool) and _plain(as_text(value)):
        yield _plain(as_text(value))


def _plain(text: str) -> str:
    """The words and numbers of a text, without quotes, escapes and punctuation."""
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    text = _ESCAPE.sub(" ", text)
    text = _GROUPING.sub("", text.replace("_", " "))
    return " ".join(_WORD.findall(text.casefold()))


def _line_of(text: str, what: str) -> int:
    first = what.split()[0]
    lines = [_plain(line) for line in text.split("\n")]
    whole = (at for at, line in enumerate(lines, 1) if what in line)
    part = (at for at, line in enumerate(lines, 1) if first in line.split())
    return next(whole, next(part, 1))
