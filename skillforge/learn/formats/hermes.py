"""Hermes: ShareGPT conversations with calls, answers and thoughts in tags.

`completed` means that the agent stopped on its own, which is not a success.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillforge.learn.formats import Episode, FormatProblem, Record, RecordOrigin
from skillforge.learn.formats import untrusted_values as values
from skillforge.learn.formats.episode_builder import EpisodeBuilder

NAME = "hermes"

_ROLES = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant"}
_TAG = re.compile(
    r"<(think|thinking|scratch_pad|REASONING_SCRATCHPAD|tool_call|tool_response)>"
)
_THOUGHT_ENDS = "</think>"


def knows(first: Mapping[str, Any]) -> bool:
    return isinstance(first.get("conversations"), list)


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Episode]:  # noqa: ARG001
    """Each record is a conversation and an episode."""
    for line, value in records:
        record = values.mapping(value)
        turns = record.get("conversations")
        if isinstance(turns, list) and turns:
            yield from _episode(line, record, turns)
        else:
            yield FormatProblem(line, "a record without conversations")


def _episode(
    line: int, record: Mapping[str, Any], turns: list[Any]
) -> Iterator[Episode]:
    episode = EpisodeBuilder(NAME, line, values.first_name(record, "session_id", "id"))
    episode.add_context(
        record.get("timestamp"),
        agent="hermes",
        model=record.get("model"),
        task=record.get("prompt_index"),
    )
    conversation = _Conversation(episode)
    yield from episode.add_all("messages", turns, conversation.add)
    if conversation.invalid_calls:
        problem = f"{conversation.invalid_calls} tool calls are not JSON"
        yield FormatProblem(line, problem)
    yield from episode.finish()


class _Conversation:
    """A conversation. Answers come in the order of their calls."""

    def __init__(self, episode: EpisodeBuilder) -> None:
        self.episode = episode
        self.invalid_calls = 0
        self._unanswered: deque[str] = deque(maxlen=1000)

    def add(self, _episode: EpisodeBuilder, value: Any) -> bool:
        """Add a message; False if it is not a message."""
        turn = values.mapping(value)
        sender = values.first_name(turn, "from", "role")
        text = values.text(turn.get("value", turn.get("content")))
        is_answer = sender in ("tool", "function")
        if is_answer or text.lstrip().startswith("<tool_response>"):
            self._answers(text)
        elif role := _ROLES.get(sender):
            self.episode.messages += 1
            self._speak(role, text)
        else:
            return sender == "system"
        return True

    def _speak(self, role: str, text: str) -> None:
        if role == "user":
            self.episode.say("user", text)
            return
        self._unanswered.clear()
        segments = list(_segments(_without_unopened_thought(text)))
        self.episode.say(role, "".join(part for tag, part in segments if not tag))
        for call in (part for tag, part in segments if tag == "tool_call"):
            self._call(values.parse_json(call))

    def _call(self, call: Any) -> None:
        if not isinstance(call, Mapping):
            self.invalid_calls += 1
            self._unanswered.append("")  # it was answered as well
            return
        tool = values.first_name(call, "name", "function")
        self._unanswered.append(tool)
        arguments = call.get("arguments", call.get("parameters"))
        self.episode.call(tool, values.arguments(arguments))

    def _answers(self, text: str) -> None:
        parts = [part for tag, part in _segments(text) if tag == "tool_response"]
        for part in parts or [text]:
            self._answer(part.strip())

    def _answer(self, text: str) -> None:
        tool = self._unanswered.popleft() if self._unanswered else ""
        is_object = text.startswith("{")
        content = values.mapping(values.parse_json(text)) if is_object else {}
        if "content" in content:
            text = values.answer(content["content"])
            tool = values.first_name(content, "name") or tool
        self.episode.messages += 1
        self.episode.answer(text, tool=tool)


def _without_unopened_thought(text: str) -> str:
    """Some models close a thought that they did not open."""
    start, end, rest = text.partition(_THOUGHT_ENDS)
    return rest if end and not _TAG.search(start) else text


def _segments(text: str) -> Iterator[tuple[str, str]]:
    """A text in segments: each with the name of its tag, or none.

    Nested tags are part of the outer one: an argument may mention thoughts.
    """
    at, open_ended = 0, set()
    for tag in _TAG.finditer(text):
        if tag.start() < at:
            continue
        yield "", text[at : tag.start()]
        name = tag[1]
        end = -1 if name in open_ended else text.find(f"</{name}>", tag.end())
        if end < 0:  # no later one is closed either; it is not searched for again
            open_ended.add(name)
        at, stop = _stop(text, tag, end)
        yield name, text[tag.end() : stop]
    yield "", text[at:]


def _stop(text: str, tag: re.Match[str], end: int) -> tuple[int, int]:
    """Where the text goes on after a tag, and where its content ends."""
    if end >= 0:
        return end + len(tag[0]) + 1, end
    # Never closed: a thought ends where a call starts, other tags with the text.
    call = text.find("<tool_call>", tag.end()) if tag[1] != "tool_call" else -1
    stop = call if call >= 0 else len(text)
    return stop, stop
