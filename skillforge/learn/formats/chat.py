"""Chat messages as OpenAI's interface has them, and tau-bench's runs made of those."""

from collections.abc import Iterable, Iterator, Mapping
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
from skillforge.learn.formats.outcome_hints import by_reward
from skillforge.learn.formats.untrusted_values import first_word, listed, mapping, word

NAME = "openai"


def knows(first: Mapping[str, Any]) -> bool:
    return _messages(first) is not None and "conversations" not in first


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Found]:  # noqa: ARG001
    """Every record is a conversation, and an episode."""
    for line, value in records:
        record = mapping(value)
        if messages := _messages(record):
            yield from _episode(line, record, messages)
        else:
            yield FormatProblem(line, "a record without messages")


def _messages(record: Mapping[str, Any]) -> list[Any] | None:
    """The conversation of a record; tau-bench calls it a trajectory."""
    found = (record.get(key) for key in ("messages", "traj"))
    return next((one for one in found if isinstance(one, list)), None)


def _episode(
    line: int, record: Mapping[str, Any], messages: list[Any]
) -> Iterator[Found]:
    episode = Collector(NAME, line, _session(record))
    started = first_word(record, "started", "timestamp", "created_at")
    episode.learn(
        started,
        model=record.get("model"),
        agent=record.get("agent"),
        task=record.get("task_id"),
    )
    odd = sum(not _take(episode, mapping(message)) for message in messages)
    if odd:
        yield FormatProblem(line, f"{odd} of {len(messages)} messages make no sense")
    reward = record.get("reward")
    if reward is None:
        reward = mapping(record.get("info")).get("reward")
    yield from episode.finished(by_reward(reward, "reward"))


def _session(record: Mapping[str, Any]) -> str:
    if said := first_word(record, "session_id", "session", "conversation_id"):
        return said
    run = (word(record.get(key)) for key in ("task_id", "trial"))
    return "-".join(filter(None, run)) or first_word(record, "id")


def _take(episode: Collector, message: Mapping[str, Any]) -> bool:
    """Add a message; False if it is none."""
    role = word(message.get("role"))
    if role in ("system", "developer"):
        return True
    if role not in ("user", "assistant", "tool", "function"):
        return False
    episode.messages += 1
    if role in ("tool", "function"):
        _answer(episode, message)
        return True
    episode.say(role, as_text(message.get("content")))
    if role == "assistant":
        _calls(episode, message)
    return True


def _calls(episode: Collector, message: Mapping[str, Any]) -> None:
    old = message.get("function_call")  # before there were several in a message
    calls = [*listed(message.get("tool_calls")), *([{"function": old}] if old else [])]
    for call in map(mapping, calls):
        function = mapping(call.get("function", call.get("custom", call)))
        tool = first_word(function, "name")
        arguments = function.get("arguments", function.get("input"))
        episode.call(tool, as_arguments(arguments), call.get("id"))


def _answer(episode: Collector, message: Mapping[str, Any]) -> None:
    """Ids may repeat in a conversation: the latest call with this one is meant."""
    text = as_answer(message.get("content"))
    tool = first_word(message, "name")
    episode.answer(text, tool=tool, key=message.get("tool_call_id"))
