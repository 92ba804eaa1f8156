"""Codex: rollouts of the command line, in the current and the older flat layout.

Events repeat items, and a compaction repeats the history: only items count.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillforge.learn.formats import Episode, FormatProblem, Record, RecordOrigin
from skillforge.learn.formats import untrusted_values as values
from skillforge.learn.formats.episode_builder import EpisodeBuilder
from skillforge.learn.formats.outcome_hints import has_failed

NAME = "codex"

_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_MOST_ANCESTORS = 100
# What the program puts before the user's text.
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
_REQUEST = "## My request for Codex:"  # an editor puts context before it


def knows(first: Mapping[str, Any]) -> bool:
    kind = values.name(first.get("type"))
    if isinstance(first.get("payload"), Mapping):
        return kind in _ENVELOPES
    if first.get("record_type") == "state" or _is_old_meta(first):
        return True
    is_message = kind == "message" and "role" in first
    return is_message or ("call_id" in first and "_call" in kind)


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Episode]:
    """Each rollout of a file is an episode."""
    session = _CodexSession(1, values.stem(origin.name))
    for line, value in records:
        record = values.mapping(value)
        meta = _meta(record)
        if meta is not None and session.is_followed_by(meta):
            yield from session.episode.finish()
            session = _CodexSession(line, values.stem(origin.name))
        if meta is not None:
            session.begin(meta)
        elif problem := session.add(record):
            yield FormatProblem(line, problem)
    yield from session.episode.finish()


def _is_old_meta(record: Mapping[str, Any]) -> bool:
    has_details = "instructions" in record or "git" in record
    has_ids = values.name(record.get("id")) and values.name(record.get("timestamp"))
    is_other = "type" in record or "task" in record
    is_other |= any(isinstance(part, list) for part in record.values())
    return bool(has_ids) and has_details and not is_other


def _meta(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The session's metadata, if this record contains it."""
    if record.get("type") == "session_meta":
        return values.mapping(record.get("payload"))
    return record if _is_old_meta(record) else None


class _CodexSession:
    """One session, with the ids of the sessions that it was forked from."""

    def __init__(self, line: int, name: str) -> None:
        self.episode = EpisodeBuilder(NAME, line, name)
        self._ids: set[str] = set()
        self._is_in_reply = False

    def is_followed_by(self, meta: Mapping[str, Any]) -> bool:
        """Whether another session starts here.

        A fork repeats its parent's history, including the parent's metadata.
        """
        number = values.name(meta.get("id"))
        return bool(number) and number not in self._ids and not self.episode.is_empty

    def begin(self, meta: Mapping[str, Any]) -> None:
        """Add metadata; the first is the session's own, later ones are its parents'."""
        parent = values.name(meta.get("forked_from_id"))
        git, number = values.mapping(meta.get("git")), values.name(meta.get("id"))
        if number and not self._ids:
            self.episode.session = number
        if len(self._ids) < _MOST_ANCESTORS:
            self._ids |= {number, parent} - {""}
        self.episode.add_context(
            meta.get("timestamp"),
            agent=NAME,
            version=meta.get("cli_version"),
            branch=git.get("branch"),
            forked_from=parent,
        )
        self._add_place(meta)

    def add(self, record: Mapping[str, Any]) -> str:
        """Add a record; returns what is wrong with it, if anything."""
        self.episode.add_context(record.get("timestamp"), agent=NAME)
        kind = values.name(record.get("type"))
        if kind == "turn_context":
            self._add_place(values.mapping(record.get("payload")))
            return ""
        item = record.get("payload") if kind == "response_item" else record
        return self._add_item(values.mapping(item))

    def _add_item(self, item: Mapping[str, Any]) -> str:
        kind = values.name(item.get("type"))
        if kind == "message":
            return self._add_message(item)
        if kind.endswith("_output"):
            self._answer(item)
        elif kind.endswith("_call"):
            self._call(kind.removesuffix("_call"), item)
        is_known = kind or item.get("record_type") == "state"
        return "" if is_known else "neither an item nor an event"

    def _add_place(self, context: Mapping[str, Any]) -> None:
        cwd = values.name(context.get("cwd"))
        self.episode.add_context(
            model=context.get("model"), cwd=cwd, project=values.folder_name(cwd)
        )

    def _add_message(self, item: Mapping[str, Any]) -> str:
        role, content = item.get("role"), item.get("content")
        if not isinstance(content, str | list):
            return "a message without content"
        if role == "assistant":
            self._count_reply()
            self.episode.say("assistant", values.text(content))
        elif role == "user" and (text := _user_text(content)):
            self._count()
            self.episode.say("user", text)
        return ""

    def _call(self, kind: str, item: Mapping[str, Any]) -> None:
        self._count_reply()
        tool = values.first_name(item, "name") or kind
        keys = ("arguments", "input", "action")
        arguments = next((item[key] for key in keys if item.get(key)), None)
        key = values.first_name(item, "call_id", "id")
        self.episode.call(tool, values.arguments(arguments), key)

    def _answer(self, item: Mapping[str, Any]) -> None:
        self._count()
        text, failed = _output(item.get("output"))
        self.episode.answer(text, key=item.get("call_id"), failed=failed)

    def _count_reply(self) -> None:
        # A reply is several items: its text, and one for each call.
        self.episode.messages += not self._is_in_reply
        self._is_in_reply = True

    def _count(self) -> None:
        self.episode.messages += 1
        self._is_in_reply = False


def _output(output: Any) -> tuple[str, bool | None]:
    """A tool's answer, and whether it is an error, if that is recorded."""
    is_json = isinstance(output, str) and output.startswith("{")
    content = values.mapping(values.parse_json(output) if is_json else output)
    inner = content.get("output", content.get("content"))
    if inner is None:
        return values.answer(output), None
    return values.answer(inner), has_failed(content)


def _user_text(content: str | list[Any]) -> str:
    """What the user wrote, without what the program put before it."""
    blocks = [content] if isinstance(content, str) else values.sequence(content)
    return "\n".join(filter(None, map(_without_injected, map(values.text, blocks))))


def _without_injected(text: str) -> str:
    at = 0
    while match := _INJECTED.match(text, at):
        at = match.end()
    before, marker, request = text[at:].partition(_REQUEST)
    return (request if marker else before).strip()
