"""Episodes as people, and we, write them: a task, and what else is known.

An outcome in such a file is a claim: it proves nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from skillforge.learn.formats import Episode, FormatProblem, Record, RecordOrigin
from skillforge.learn.formats import untrusted_values as values
from skillforge.learn.formats.episode_builder import EpisodeBuilder
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
_STATUSES = dict.fromkeys(
    ("success", "succeeded", "passed", "pass", "ok"), OutcomeStatus.SUCCESS
)
_STATUSES |= dict.fromkeys(
    ("failure", "failed", "fail", "error"), OutcomeStatus.FAILURE
)
_ANSWERS = ("output", "result", "observation")
_ARGUMENTS = ("arguments", "args", "input", "parameters")
_MOST_FACTS = 30
_MOST_COUNT = 10**9


def knows(first: Mapping[str, Any]) -> bool:
    task, version = first.get("task"), first.get("schema_version")
    is_other = isinstance(version, str) and version.startswith("ATIF")
    is_other |= any(isinstance(first.get(key), list) for key in _OTHERS)
    return isinstance(task, str) and bool(task.strip()) and not is_other


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Episode]:  # noqa: ARG001
    """Each record is an episode."""
    for line, value in records:
        record = values.mapping(value)
        task = record.get("task")
        if isinstance(task, str) and task.strip():
            yield from _episode(line, record, task)
        else:
            yield FormatProblem(line, "a record without a task")


def _episode(line: int, record: Mapping[str, Any], task: str) -> Iterator[Episode]:
    session = values.first_name(record, "session", "session_id")
    episode = EpisodeBuilder(NAME, line, session, task)
    episode.add_context(record.get("started"))
    for name, fact in islice(
        values.mapping(record.get("environment")).items(), _MOST_FACTS
    ):
        episode.add_context(**{values.name(name) or "unnamed": fact})
    yield from episode.add_all("steps", record.get("steps"), _add)
    for example in episode.finish(_claim(record.get("outcome"))):
        assert isinstance(example, Example)  # there is a task
        yield _with_details(example, record)


def _with_details(example: Example, record: Mapping[str, Any]) -> Example:
    """The example with the fields that only this format has."""
    output = record.get("output") or record.get("expected_output")
    has_calls = any(True for _ in example.calls)
    return replace(
        example,
        inputs=values.limited(values.mapping(record.get("inputs"))),
        output=values.limited(output) if output else example.output,
        notes=values.truncated(values.text(record.get("notes")).strip()),
        named_tools=() if has_calls else _tools(record.get("tools")),
        messages=_count(record.get("messages")) or example.messages,
        left_out=example.left_out + _count(record.get("left_out")),
        review=_review(record),
    )


def _review(record: Mapping[str, Any]) -> Review:
    """The review that a file claims: only a rejection counts."""
    claims = (record.get("status"), values.mapping(record.get("review")).get("status"))
    is_rejected = any(values.name(claim).lower() == "rejected" for claim in claims)
    return Review("rejected") if is_rejected else Review()


def _tools(value: Any) -> tuple[str, ...]:
    names = (
        values.name(tool) or values.first_name(values.mapping(tool), "name", "tool")
        for tool in values.sequence(value)
    )
    return tuple(islice(filter(None, names), _MOST_FACTS))


def _count(value: Any) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= _MOST_COUNT else 0


def _claim(value: Any) -> Outcome:
    """The claimed outcome. A model as its source is believed, as it counts less."""
    claim = values.mapping(value)
    status = claim.get("status", claim.get("result")) if claim else value
    if isinstance(status, bool):
        outcome = OutcomeStatus.SUCCESS if status else OutcomeStatus.FAILURE
    else:
        outcome = _STATUSES.get(values.name(status).lower(), OutcomeStatus.UNKNOWN)
    is_model = values.first_name(claim, "source", "verified_by").lower() == "llm"
    return Outcome(outcome, OutcomeSource.LLM if is_model else OutcomeSource.NONE)


def _add(episode: EpisodeBuilder, value: Any) -> bool:
    """Add a step; False if it is not understood."""
    if isinstance(value, str):
        return _add_line(episode, value)
    step = values.mapping(value)
    kind = values.name(step.get("kind"))
    tool = values.first_name(step, "tool", *(() if "role" in step else ("name",)))
    if kind in tuple(StepKind):
        return _add_step(episode, StepKind(kind), step)
    if tool:
        return _add_call(episode, tool, step)
    return _add_message(episode, step)


def _add_line(episode: EpisodeBuilder, line: str) -> bool:
    """A description of what was done; it is not the agent's final message."""
    output = episode.output
    episode.messages += 1
    episode.say("assistant", line)
    episode.output = output
    return bool(line.strip())


def _add_step(episode: EpisodeBuilder, kind: StepKind, step: Mapping[str, Any]) -> bool:
    """A step as `Step.record` writes it, which records whether it failed."""
    if kind is StepKind.MESSAGE:
        return _add_message(episode, step)
    tool = values.first_name(step, "tool")
    episode.messages += 1
    if kind is StepKind.CALL:
        episode.call(tool, values.arguments(step.get("arguments")))
    else:
        failed = kind is StepKind.ERROR
        episode.answer(values.answer(step.get("text")), tool=tool, failed=failed)
    return True


def _add_call(episode: EpisodeBuilder, tool: str, step: Mapping[str, Any]) -> bool:
    """A call together with its answer, if there is one."""
    arguments = next((step[key] for key in _ARGUMENTS if key in step), None)
    episode.messages += 1
    episode.call(tool, values.arguments(arguments))
    if step.get("error"):
        episode.messages += 1
        episode.answer(values.answer(step["error"]), tool=tool, failed=True)
    elif answer := next((step[key] for key in _ANSWERS if key in step), None):
        episode.messages += 1
        episode.answer(values.answer(answer), tool=tool)
    return True


def _add_message(episode: EpisodeBuilder, step: Mapping[str, Any]) -> bool:
    keys = ("text", "content", "message", "description", "action")
    text = next(filter(None, (values.text(step.get(key)) for key in keys)), "")
    role = "user" if step.get("role") in ("user", "human") else "assistant"
    episode.messages += bool(text)
    episode.say(role, text)
    return bool(text)
