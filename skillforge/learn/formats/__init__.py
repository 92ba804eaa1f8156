"""Transcript formats: which one a file is in, and its episodes as examples.

A format is a module with `NAME`, `knows` and `read`; others register theirs as entry
points in the group `skillforge.transcripts`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeAlias

from skillforge.errors import RequestError
from skillforge.learn.formats.untrusted_values import as_json, parsed
from skillforge.model import Example

GROUP = "skillforge.transcripts"
_OWN = ("atif", "claude", "codex", "hermes", "chat", "plain")
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "reasoning_text")


class Record(NamedTuple):
    """One JSON object of a file, and the line (of JSON Lines) that it stands on."""

    line: int
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """Where records come from: what a reader may know beside them.

    `beside` reads a small file that lies in the same folder, such as a verifier's
    `reward.txt`; empty if there is none.
    """

    name: str  # of the file, without its folder
    folder: tuple[str, ...] = ()  # names of the folders above it, nearest last
    beside: Callable[[str], bytes] = lambda _name: b""
    changed: str = ""  # when the file was, ISO 8601; a stream is of now
    verdict: str = ""  # a digest of what verifiers say beside it


class FormatProblem(NamedTuple):
    """What could not be read, and where; never a reason to stop."""

    line: int
    message: str


Found: TypeAlias = Example | FormatProblem


class Format(Protocol):
    """A transcript format."""

    NAME: str

    def knows(self, first: Mapping[str, Any]) -> bool:
        """Whether an object, one of the first of a file, is of this format."""

    def read(self, records: Iterable[Record], origin: RecordOrigin) -> Iterator[Found]:
        """The episodes of a file, as they come: constant memory for any length."""


@cache
def formats() -> dict[str, Format]:
    """Every format by name, our own first."""
    from importlib.metadata import entry_points

    from skillforge.learn.formats.plugins import loaded

    own: list[Any] = [import_module(f"skillforge.learn.formats.{n}") for n in _OWN]
    found: dict[str, Format] = {module.NAME: module for module in own}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, loaded(point))
    return found


def named(name: str) -> Format:
    try:
        return formats()[name]
    except KeyError:
        raise RequestError(
            f"there is no transcript format {name!r}",
            hint=f"there are {', '.join(formats())}",
        ) from None


def recognise(first: Iterable[Mapping[str, Any]]) -> Format | None:
    """The format of a file by its first objects; None if none knows them."""
    objects = list(first)
    return next(
        (form for form in formats().values() if any(map(form.knows, objects))), None
    )


def as_text(content: Any) -> str:
    """The text of a message: a string, or blocks of which some are text.

    What a model thinks to itself is left out.
    """
    parts: list[str] = []
    todo = [content]  # instead of recursion: blocks may be nested to any depth
    while todo:
        block = todo.pop()
        if isinstance(block, list):
            todo.extend(reversed(block))
        elif isinstance(block, Mapping):
            if block.get("type") not in _THOUGHTS:
                todo.append(block.get("text", block.get("content")))
        elif block is not None:
            parts.append(block if isinstance(block, str) else as_json(block))
    return "\n".join(filter(None, parts))


def as_answer(content: Any) -> str:
    """The text of what a tool answered: an object without text is JSON."""
    if isinstance(content, Mapping) and not {"text", "content"} & content.keys():
        return as_json(content)
    return as_text(content)


def as_arguments(value: Any) -> dict[str, Any]:
    """The arguments of a call: an object, or JSON text of one."""
    if isinstance(value, str):
        said = parsed(value)
        value = said if isinstance(said, Mapping) else value or None
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    return {} if value is None else {"input": value}
