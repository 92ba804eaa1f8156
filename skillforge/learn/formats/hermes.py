"""Hermes: ShareGPT conversations with calls, answers and thoughts in tags.

`completed` says that the agent stopped by itself, which is no success.
"""

import re
from collections import deque
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
from skillforge.learn.formats.untrusted_values import first_word, mapping, parsed

NAME = "hermes"

_ROLES = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant"}
_TAG = re.compile(
    r"<(think|thinking|scratch_pad|REASONING_SCRATCHPAD|tool_call|tool_response)>"
)
_THOUGHT_ENDS = "</think>"


def knows(first: Mapping[str, Any]) -> bool:
    return isinstance(first.get("conversations"), list)


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Found]:  # noqa: ARG001
    """Every record is a conversation, and an episode."""
    for line, value in records:
        record = mapping(value)
        turns = record.get("conversations")
        if isinstance(turns, list) and turns:
            yield from _episode(line, record, turns)
        else:
            yield FormatProblem(line, "a record without conversations")


def _episode(line: int, record: Mapping[str, Any], turns: list[Any]) -> Iterator[Found]:
    episode = Collector(NAME, line, first_word(record, "session_id", "id"))
    episode.learn(
        record.get("timestamp"),
        agent="hermes",
        model=record.get("model"),
        task=record.get("prompt_index"),
    )
    talk = _Conversation(episode)
    for turn in turns:
        talk.take(mapping(turn))
    if talk.odd:
        yield FormatProblem(line, f"{talk.odd} of {len(turns)} messages make no sense")
    if talk.broken:
        yield FormatProblem(line, f"{talk.broken} tool calls that are no JSON")
    yield from episode.finished()


class _Conversation:
    """A conversation. Answers belong to calls in the order of both."""

    def __init__(self, episode: Collector) -> None:
        self.episode = episode
        self.odd = 0  # messages that make no sense
        self.broken = 0  # calls that are no JSON
        self._waiting: deque[str] = deque(maxlen=1000)

    def take(self, turn: Mapping[str, Any]) -> None:
        said = first_word(turn, "from", "role")
        text = as_text(turn.get("value", turn.get("content")))
        is_answer = said in ("tool", "function")
        if is_answer or text.lstrip().startswith("<tool_response>"):
            self._answers(text)
        elif role := _ROLES.get(said):
            self.episode.messages += 1
            self._speak(role, text)
        else:
            self.odd += said != "system"

    def _speak(self, role: str, text: str) -> None:
        if role == "user":
            self.episode.say("user", text)
            return
        self._waiting.clear()
        pieces = list(_pieces(_without_start_of_thought(text)))
        self.episode.say(role, "".join(part for tag, part in pieces if not tag))
        for call in (part for tag, part in pieces if tag == "tool_call"):
            self._call(parsed(call))

    def _call(self, call: Any) -> None:
        if not isinstance(call, Mapping):
            self.broken += 1
            self._waiting.append("")  # it was answered, too
            return
        tool = first_word(call, "name", "function")
        self._waiting.append(tool)
        arguments = call.get("arguments", call.get("parameters"))
        self.episode.call(tool, as_arguments(arguments))

    def _answers(self, text: str) -> None:
        parts = [part for tag, part in _pieces(text) if tag == "tool_response"]
        for part in parts or [text]:
            self._answer(part.strip())

    def _answer(self, text: str) -> None:
        tool = self._waiting.popleft() if self._waiting else ""
        said = mapping(parsed(text)) if text.startswith("{") else {}
        if "content" in said:
            text, tool = as_answer(said["content"]), first_word(said, "name") or tool
        self.episode.messages += 1
        self.episode.answer(text, tool=tool)


def _without_start_of_thought(text: str) -> str:
    """Some models close a thought that they never opened."""
    start, end, rest = text.partition(_THOUGHT_ENDS)
    return rest if end and not _TAG.search(start) else text


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """A text in pieces: those in a tag with its name, the others with none.

    Of tags in a tag only the outer one counts: an argument may speak of thoughts.
    """
    at, open_ended = 0, set()
    for tag in _TAG.finditer(text):
        if tag.start() < at:
            continue
        yield "", text[at : tag.start()]
        name = tag[1]
        end = -1 if name in open_ended else text.find(f"</{name}>", tag.end())
        if end < 0:  # nor will any later one: not to search for it again
            open_ended.add(name)
        at, stop = _stop(text, tag, end)
        yield name, text[tag.end() : stop]
    yield "", text[at:]


def _stop(text: str, tag: re.Match[str], end: int) -> tuple[int, int]:
    """Where to go on after a tag, and where what is in it stops."""
    if end >= 0:
        return end + len(tag[0]) + 1, end
    # Never closed: a thought ends where a call starts, all else with the text.
    call = text.find("<tool_call>", tag.end()) if tag[1] != "tool_call" else -1
    stop = call if call >= 0 else len(text)
    return stop, stop
