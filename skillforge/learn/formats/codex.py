"""Codex: rollouts of the command line, in the form of today and in the flat one before.

Events repeat what items say, and a compaction repeats the history: only items count.
"""

import re
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
from skillforge.learn.formats.outcome_hints import has_failed
from skillforge.learn.formats.untrusted_values import (
    first_word,
    folder_name,
    listed,
    mapping,
    parsed,
    stem,
    word,
)

NAME = "codex"

_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_MOST_ANCESTORS = 100
# What the program writes in the user's name, before what the user wrote.
_INJECTED = re.compile(
    r"""\s*(?:
        \#\ AGENTS\.md\ instructions.*?(?:</INSTRUCTIONS>|\Z)
    |   <(environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill
        |permissions\ instructions|collaboration_mode|user_shell_command
        |recommended_plugins|subagent_notification|skills_instructions|model_switch
        )>.*?(?:</\1>|\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_REQUEST = "## My request for Codex:"  # what an editor puts before it is context


def knows(first: Mapping[str, Any]) -> bool:
    kind = word(first.get("type"))
    if isinstance(first.get("payload"), Mapping):
        return kind in _ENVELOPES
    if first.get("record_type") == "state" or _is_old_meta(first):
        return True
    is_message = kind == "message" and "role" in first
    return is_message or ("call_id" in first and "_call" in kind)


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Found]:
    """A rollout is an episode; a second one in the same file is another."""
    session = _CodexSession(1, stem(origin.name))
    for line, value in records:
        record = mapping(value)
        meta = _meta(record)
        if meta is not None and session.is_left_by(meta):
            yield from session.episode.finished()
            session = _CodexSession(line, stem(origin.name))
        if meta is not None:
            session.begin(meta)
        elif wrong := session.take(record):
            yield FormatProblem(line, wrong)
    yield from session.episode.finished()


def _is_old_meta(record: Mapping[str, Any]) -> bool:
    says_more = "instructions" in record or "git" in record
    has_ids = word(record.get("id")) and word(record.get("timestamp"))
    is_other = "type" in record or "task" in record
    is_other |= any(isinstance(part, list) for part in record.values())
    return bool(has_ids) and says_more and not is_other


def _meta(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a session says of itself, if this record is where it does."""
    if record.get("type") == "session_meta":
        return mapping(record.get("payload"))
    return record if _is_old_meta(record) else None


class _CodexSession:
    """One session, with the ids of those that it was forked from."""

    def __init__(self, line: int, name: str) -> None:
        self.episode = Collector(NAME, line, name)
        self._ids: set[str] = set()
        self._is_speaking = False

    def is_left_by(self, meta: Mapping[str, Any]) -> bool:
        """Whether another session starts here.

        A fork repeats its parent's history, what the parent said of itself included.
        """
        said = word(meta.get("id"))
        return bool(said) and said not in self._ids and not self.episode.is_empty

    def begin(self, meta: Mapping[str, Any]) -> None:
        """The first description is the session's own; later ones are its parents'."""
        parent = word(meta.get("forked_from_id"))
        git, said = mapping(meta.get("git")), word(meta.get("id"))
        self.episode.session = self.episode.session if self._ids or not said else said
        if len(self._ids) < _MOST_ANCESTORS:
            self._ids |= {said, parent} - {""}
        self.episode.learn(
            meta.get("timestamp"),
            agent=NAME,
            version=meta.get("cli_version"),
            branch=git.get("branch"),
            forked_from=parent,
        )
        self._locate(meta)

    def take(self, record: Mapping[str, Any]) -> str:
        """Add a record; what is wrong with it, if anything."""
        self.episode.learn(record.get("timestamp"), agent=NAME)
        kind = word(record.get("type"))
        if kind == "turn_context":
            self._locate(mapping(record.get("payload")))
            return ""
        item = record.get("payload") if kind == "response_item" else record
        return self._take_item(mapping(item))

    def _take_item(self, item: Mapping[str, Any]) -> str:
        kind = word(item.get("type"))
        if kind == "message":
            return self._hear(item)
        if kind.endswith("_output"):
            self._answer(item)
        elif kind.endswith("_call"):
            self._call(kind.removesuffix("_call"), item)
        is_known = kind or item.get("record_type") == "state"
        return "" if is_known else "neither an item nor an event"

    def _locate(self, context: Mapping[str, Any]) -> None:
        cwd = word(context.get("cwd"))
        self.episode.learn(
            model=context.get("model"), cwd=cwd, project=folder_name(cwd)
        )

    def _hear(self, item: Mapping[str, Any]) -> str:
        role, content = item.get("role"), item.get("content")
        if not isinstance(content, str | list):
            return "a message without content"
        if role == "assistant":
            self._speaks()
            self.episode.say("assistant", as_text(content))
        elif role == "user" and (text := _said(content)):
            self._count()
            self.episode.say("user", text)
        return ""

    def _call(self, kind: str, item: Mapping[str, Any]) -> None:
        self._speaks()
        tool = first_word(item, "name") or kind
        keys = ("arguments", "input", "action")
        said = next((item[key] for key in keys if item.get(key)), None)
        key = first_word(item, "call_id", "id")
        self.episode.call(tool, as_arguments(said), key)

    def _answer(self, item: Mapping[str, Any]) -> None:
        self._count()
        text, failed = _output(item.get("output"))
        self.episode.answer(text, key=item.get("call_id"), failed=failed)

    def _speaks(self) -> None:
        # A reply is several items: words, and one for each of its calls.
        self.episode.messages += not self._is_speaking
        self._is_speaking = True

    def _count(self) -> None:
        self.episode.messages += 1
        self._is_speaking = False


def _output(output: Any) -> tuple[str, bool | None]:
    """What a tool answered, and whether that was an error, if it is said."""
    is_json = isinstance(output, str) and output.startswith("{")
    said = mapping(parsed(output) if is_json else output)
    inner = said.get("output", said.get("content"))
    if inner is None:
        return as_answer(output), None
    return as_answer(inner), has_failed(said)


def _said(content: str | list[Any]) -> str:
    """What the user wrote, without what the program put before it."""
    blocks = [content] if isinstance(content, str) else listed(content)
    return "\n".join(filter(None, map(_without_injected, map(as_text, blocks))))


def _without_injected(text: str) -> str:
    at = 0
    while found := _INJECTED.match(text, at):
        at = found.end()
    before, marker, request = text[at:].partition(_REQUEST)
    return (request if marker else before).strip()
