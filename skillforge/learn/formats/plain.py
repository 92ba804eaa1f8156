"""Episodes as people write them down, and as we do: a task, and what else is known.

What such a file claims of its outcome is kept as a claim: it proves nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from skillforge.learn.formats import (
    FormatProblem,
    Found,
    Record,
    RecordOrigin,
    as_answer,
    as_arguments,
    as_text,
)
from skillforge.learn.formats.episode_builder import Collector
from skillforge.learn.formats.untrusted_values import (
    first_word,
    kept,
    listed,
    mapping,
    shortened,
    word,
)
from skillforge.model import (
    Example,
    Outcome,
    OutcomeSource,
    OutcomeStatus,
    Review,
    StepKind,
)

NAME = "plain"

_OTHERS = ("messages", "conversations", "traj")
_ENDS = dict.fromkeys(
    ("success", "succeeded", "passed", "pass", "ok"), OutcomeStatus.SUCCESS
)
_ENDS |= dict.fromkeys(("failure", "failed", "fail", "error"), OutcomeStatus.FAILURE)
_ANSWERS = ("output", "result", "observation")
_ARGUMENTS = ("arguments", "args", "input", "parameters")
_MOST_FACTS = 30
_MOST_COUNT = 10**9


def knows(first: Mapping[str, Any]) -> bool:
    task, version = first.get("task"), first.get("schema_version")
    is_other = isinstance(version, str) and version.startswith("ATIF")
    is_other |= any(isinstance(first.get(key), list) for key in _OTHERS)
    return isinstance(task, str) and bool(task.strip()) and not is_other


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Found]:  # noqa: ARG001
    """Every record is an episode."""
    for line, value in records:
        record = mapping(value)
        task = record.get("task")
        if isinstance(task, str) and task.strip():
            yield from _episode(line, record, task)
        else:
            yield FormatProblem(line, "a record without a task")


def _episode(line: int, record: Mapping[str, Any], task: str) -> Iterator[Found]:
    session = first_word(record, "session", "session_id")
    episode = Collector(NAME, line, session, task)
    episode.learn(record.get("started"))
    for name, fact in islice(mapping(record.get("environment")).items(), _MOST_FACTS):
        episode.learn(**{word(name) or "unnamed": fact})
    steps = listed(record.get("steps"))
    odd = sum(not _take(episode, step) for step in steps)
    if odd:
        yield FormatProblem(line, f"{odd} of {len(steps)} steps make no sense")
    for found in episode.finished(_claim(record.get("outcome"))):
        assert isinstance(found, Example)  # there is a task
        yield _with_rest(found, record)


def _with_rest(example: Example, record: Mapping[str, Any]) -> Example:
    """What only this format tells; counts, where it is an example that we wrote."""
    output = record.get("output") or record.get("expected_output")
    has_calls = any(True for _ in example.calls)
    return replace(
        example,
        inputs=kept(mapping(record.get("inputs"))),
        output=kept(output) if output else example.output,
        notes=shortened(as_text(record.get("notes")).strip()),
        named_tools=() if has_calls else _tools(record.get("tools")),
        messages=_count(record.get("messages")) or example.messages,
        left_out=example.left_out + _count(record.get("left_out")),
        review=_review(record),
    )


def _review(record: Mapping[str, Any]) -> Review:
    """What it says of its own review: only that it was rejected is worth knowing."""
    said = (record.get("status"), mapping(record.get("review")).get("status"))
    is_rejected = any(word(it).lower() == "rejected" for it in said)
    return Review("rejected") if is_rejected else Review()


def _tools(value: Any) -> tuple[str, ...]:
    names = (
        word(tool) or first_word(mapping(tool), "name", "tool")
        for tool in listed(value)
    )
    return tuple(islice(filter(None, names), _MOST_FACTS))


def _count(value: Any) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= _MOST_COUNT else 0


def _claim(value: Any) -> Outcome:
    """How it is said to have ended. By a model is believed, as that counts for less."""
    said = mapping(value)
    status = said.get("status", said.get("result")) if said else value
    if isinstance(status, bool):
        ended = OutcomeStatus.SUCCESS if status else OutcomeStatus.FAILURE
    else:
        ended = _ENDS.get(word(status).lower(), OutcomeStatus.UNKNOWN)
    by = first_word(said, "source", "verified_by").lower()
    return Outcome(
        ended, OutcomeSource.LLM if by == OutcomeSource.LLM else OutcomeSource.NONE
    )


def _take(episode: Collector, value: Any) -> bool:
    """Add a step; False if it makes no sense."""
    if isinstance(value, str):
        return _take_line(episode, value)
    step = mapping(value)
    kind = word(step.get("kind"))
    tool = first_word(step, "tool", *(() if "role" in step else ("name",)))
    if kind in tuple(StepKind):
        return _take_ours(episode, StepKind(kind), step)
    if tool:
        return _take_use(episode, tool, step)
    return _take_words(episode, step)


def _take_line(episode: Collector, line: str) -> bool:
    """What was done, in words: nothing that the agent said in the end."""
    output = episode.output
    episode.messages += 1
    episode.say("assistant", line)
    episode.output = output
    return bool(line.strip())


def _take_ours(episode: Collector, kind: StepKind, step: Mapping[str, Any]) -> bool:
    """A step as `Step.record` writes it; whether it failed was decided before."""
    if kind is StepKind.MESSAGE:
        return _take_words(episode, step)
    tool = first_word(step, "tool")
    episode.messages += 1
    if kind is StepKind.CALL:
        episode.call(tool, as_arguments(step.get("arguments")))
    else:
        failed = kind is StepKind.ERROR
        episode.answer(as_answer(step.get("text")), tool=tool, failed=failed)
    return True


def _take_use(episode: Collector, tool: str, step: Mapping[str, Any]) -> bool:
    """A call together with its answer, if that is told."""
    arguments = next((step[key] for key in _ARGUMENTS if key in step), None)
    episode.messages += 1
    episode.call(tool, as_arguments(arguments))
    if step.get("error"):
        episode.messages += 1
        episode.answer(as_answer(step["error"]), tool=tool, failed=True)
    elif answer := next((step[key] for key in _ANSWERS if key in step), None):
        episode.messages += 1
        episode.answer(as_answer(answer), tool=tool)
    return True


def _take_words(episode: Collector, step: Mapping[str, Any]) -> bool:
    keys = ("text", "content", "message", "description", "action")
    text = next(filter(None, (as_text(step.get(key)) for key in keys)), "")
    role = "user" if step.get("role") in ("user", "human") else "assistant"
    episode.messages += bool(text)
    episode.say(role, text)
    return bool(text)
