"""Untrusted values from transcripts: of any type, length or depth.

Nothing here raises, and nothing is kept beyond what a reviewer would read.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

MOST_LETTERS = 4000  # of one text
_MOST_OF_NAME = 200
_MOST_OF_VALUE = 16_000  # letters of all arguments of a call
_MOST_ITEMS = 50
_DEEPEST = 6
_PER_ITEM = 8  # letters that an item costs, so that empty items are not free
_CUT = "…"
_ENDINGS = re.compile(r"(?:\.(?:jsonl?|ndjson|txt|gz|bz2|xz|zst))+\Z")
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "reasoning_text")


def name(value: Any) -> str:
    """A name or a number as short text; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return truncated(str(value).strip(), _MOST_OF_NAME)


def first_name(record: Mapping[str, Any], *keys: str) -> str:
    """The first of these fields that has a name."""
    return next(filter(None, (name(record.get(key)) for key in keys)), "")


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def to_json(value: Any) -> str:
    """A value as JSON; empty if it is nested too deeply."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


def parse_json(text: str) -> Any:
    """The value of a JSON text; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def text(content: Any) -> str:
    """The text of a message: a string, or the text blocks of a list.

    What a model thinks to itself is omitted.
    """
    parts: list[str] = []
    todo = [content]  # no recursion: blocks may be nested to any depth
    while todo:
        block = todo.pop()
        if isinstance(block, list):
            todo.extend(reversed(block))
        elif isinstance(block, Mapping):
            if block.get("type") not in _THOUGHTS:
                todo.append(block.get("text", block.get("content")))
        elif block is not None:
            parts.append(block if isinstance(block, str) else to_json(block))
    return "\n".join(filter(None, parts))


def answer(content: Any) -> str:
    """The text of a tool's answer: an object without text is JSON."""
    if isinstance(content, Mapping) and not {"text", "content"} & content.keys():
        return to_json(content)
    return text(content)


def arguments(value: Any) -> dict[str, Any]:
    """The arguments of a call: an object, or JSON text of one."""
    if isinstance(value, str):
        parsed = parse_json(value)
        value = parsed if isinstance(parsed, Mapping) else value or None
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    return {} if value is None else {"input": value}


def iso_time(value: Any) -> str:
    """A time as ISO text; empty for what does not look like one."""
    time = name(value)
    return time if re.match(r"\d{4}-\d\d-\d\d", time) else ""


def stem(file_name: str) -> str:
    """A file's name without its extensions."""
    return _ENDINGS.sub("", file_name)


def folder_name(path: str) -> str:
    """The last part of a path of any operating system."""
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


def truncated(text: str, most: int = MOST_LETTERS) -> str:
    """The start and the end of a text. Truncating twice changes nothing."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return text[: most - 1 - tail] + _CUT + text[len(text) - tail :]


def limited(value: Any) -> Any:
    """A JSON value within limits of size and depth."""
    return _Budget().take(value, _DEEPEST)


class _Budget:
    """The letters that are left for one value, all its parts together."""

    def __init__(self) -> None:
        self._left = _MOST_OF_VALUE

    def take(self, value: Any, depth: int) -> Any:
        self._left -= _PER_ITEM
        if isinstance(value, str):
            short = truncated(value, max(1, min(MOST_LETTERS, self._left)))
            self._left -= len(short)
            return short
        if isinstance(value, Mapping | list) and not depth:
            return _CUT
        if isinstance(value, Mapping):
            return self._object(value, depth - 1)
        if isinstance(value, list):
            return self._array(value, depth - 1)
        return value

    def _object(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        taken: dict[str, Any] = {}
        for key, item in islice(value.items(), _MOST_ITEMS):
            if self._left <= 0:
                break
            taken[name(str(key))] = self.take(item, depth)
        return taken if len(taken) == len(value) else taken | {_CUT: _CUT}

    def _array(self, value: list[Any], depth: int) -> list[Any]:
        taken: list[Any] = []
        for item in islice(value, _MOST_ITEMS):
            if self._left <= 0:
                break
            taken.append(self.take(item, depth))
        return taken if len(taken) == len(value) else [*taken, _CUT]
