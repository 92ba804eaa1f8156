"""Values of transcripts, which anybody may have written: any type, length or depth.

Nothing here raises, and nothing is kept longer than a reviewer would read.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

MOST_LETTERS = 4000  # of one text
_MOST_OF_WORD = 200
_MOST_OF_VALUE = 16_000  # letters of all arguments of a call
_MOST_ITEMS = 50
_DEEPEST = 6
_PER_ITEM = 8  # letters that an item costs, so that empty ones do not come for nothing
_CUT = "…"
_ENDINGS = re.compile(r"(?:\.(?:jsonl?|ndjson|txt|gz|bz2|xz|zst))+\Z")


def word(value: Any) -> str:
    """A name or a number as short text; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return shortened(str(value).strip(), _MOST_OF_WORD)


def first_word(record: Mapping[str, Any], *keys: str) -> str:
    """The first of these fields that says something."""
    return next(filter(None, (word(record.get(key)) for key in keys)), "")


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def as_json(value: Any) -> str:
    """A value as JSON; empty if it is nested too deeply to be written."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


def parsed(text: str) -> Any:
    """The value of a JSON text; None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def when(value: Any) -> str:
    """A time as ISO text; empty for what does not look like one."""
    said = word(value)
    return said if re.match(r"\d{4}-\d\d-\d\d", said) else ""


def stem(name: str) -> str:
    """A file's name without what says how it is stored."""
    return _ENDINGS.sub("", name)


def folder_name(path: str) -> str:
    """The last part of a path, of whatever system it is."""
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


def shortened(text: str, most: int = MOST_LETTERS) -> str:
    """The start and the end of a text. Doing it twice changes nothing."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return text[: most - 1 - tail] + _CUT + text[len(text) - tail :]


def kept(value: Any) -> Any:
    """As much of a JSON value as is worth keeping: all of it, unless it is huge."""
    return _Budget().take(value, _DEEPEST)


class _Budget:
    """What is left to be filled by one value, all its parts together."""

    def __init__(self) -> None:
        self._left = _MOST_OF_VALUE

    def take(self, value: Any, depth: int) -> Any:
        self._left -= _PER_ITEM
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping | list) and not depth:
            return _CUT
        if isinstance(value, Mapping):
            return self._object(value, depth - 1)
        if isinstance(value, list):
            return self._array(value, depth - 1)
        return value

    def _text(self, text: str) -> str:
        said = shortened(text, max(1, min(MOST_LETTERS, self._left)))
        self._left -= len(said)
        return said

    def _object(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, item in islice(value.items(), _MOST_ITEMS):
            if self._left <= 0:
                break
            found[word(str(key))] = self.take(item, depth)
        return found if len(found) == len(value) else found | {_CUT: _CUT}

    def _array(self, value: list[Any], depth: int) -> list[Any]:
        found: list[Any] = []
        for item in islice(value, _MOST_ITEMS):
            if self._left <= 0:
                break
            found.append(self.take(item, depth))
        return found if len(found) == len(value) else [*found, _CUT]
