"""Chat messages of OpenAI's API, and tau-bench's runs, which consist of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillforge.learn.formats import Episode, FormatProblem, Record, RecordOrigin
from skillforge.learn.formats import untrusted_values as values
from skillforge.learn.formats.episode_builder import EpisodeBuilder
from skillforge.learn.formats.outcome_hints import by_reward

NAME = "openai"


def knows(first: Mapping[str, Any]) -> bool:
    return _messages(first) is not None and "conversations" not in first


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Episode]:  # noqa: ARG001
    """Each record is a conversation and an episode."""
    for line, value in records:
        record = values.mapping(value)
        if messages := _messages(record):
            yield from _episode(line, record, messages)
        else:
            yield FormatProblem(line, "a record without messages")


def _messages(record: Mapping[str, Any]) -> list[Any] | None:
    """The conversation of a record; tau-bench calls it a trajectory."""
    candidates = (record.get(key) for key in ("messages", "traj"))
    return next(
        (candidate for candidate in candidates if isinstance(candidate, list)), None
    )


def _episode(
    line: int, record: Mapping[str, Any], messages: list[Any]
) -> Iterator[Episode]:
    episode = EpisodeBuilder(NAME, line, _session(record))
    started = values.first_name(record, "started", "timestamp", "created_at")
    episode.add_context(
        started,
        model=record.get("model"),
        agent=record.get("agent"),
        task=record.get("task_id"),
    )
    yield from episode.add_all("messages", messages, _add)
    reward = record.get("reward")
    if reward is None:
        reward = values.mapping(record.get("info")).get("reward")
    yield from episode.finish(by_reward(reward, "reward"))


def _session(record: Mapping[str, Any]) -> str:
    keys = ("session_id", "session", "conversation_id")
    if number := values.first_name(record, *keys):
        return number
    run = (values.name(record.get(key)) for key in ("task_id", "trial"))
    return "-".join(filter(None, run)) or values.first_name(record, "id")


def _add(episode: EpisodeBuilder, value: Any) -> bool:
    """Add a message; False if it is not a message."""
    message = values.mapping(value)
    role = values.name(message.get("role"))
    if role in ("system", "developer"):
        return True
    if role not in ("user", "assistant", "tool", "function"):
        return False
    episode.messages += 1
    if role in ("tool", "function"):
        _answer(episode, message)
        return True
    episode.say(role, values.text(message.get("content")))
    if role == "assistant":
        _calls(episode, message)
    return True


def _calls(episode: EpisodeBuilder, message: Mapping[str, Any]) -> None:
    old = message.get("function_call")  # the older form, with a single call
    calls = [
        *values.sequence(message.get("tool_calls")),
        *([{"function": old}] if old else []),
    ]
    for call in map(values.mapping, calls):
        function = values.mapping(call.get("function", call.get("custom", call)))
        tool = values.first_name(function, "name")
        arguments = function.get("arguments", function.get("input"))
        episode.call(tool, values.arguments(arguments), call.get("id"))


def _answer(episode: EpisodeBuilder, message: Mapping[str, Any]) -> None:
    """Ids may repeat in a conversation: the latest call with this id is answered."""
    text = values.answer(message.get("content"))
    tool = values.first_name(message, "name")
    episode.answer(text, tool=tool, key=message.get("tool_call_id"))
