"""Transcript formats: recognise the format of a file, and read its episodes.

A format is a module with `NAME`, `knows` and `read`; other packages register theirs as
entry points in the group `skillforge.transcripts`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeAlias

from skillforge.errors import RequestError, ToolError
from skillforge.model import Example

GROUP = "skillforge.transcripts"
_BUILT_IN = ("atif", "claude", "codex", "hermes", "chat", "plain")


class Record(NamedTuple):
    """One JSON object of a file, and its line in JSON Lines."""

    line: int
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """The file that records come from.

    `beside` reads a small file in the same folder, such as a verifier's `reward.txt`;
    empty if there is none.
    """

    name: str  # of the file, without its folder
    folder: tuple[str, ...] = ()  # names of its parent folders, nearest last
    beside: Callable[[str], bytes] = lambda _name: b""
    changed: str = ""  # when the file was modified, ISO 8601; empty for a stream
    verdict: str = ""  # a digest of the verifier's files beside it


class FormatProblem(NamedTuple):
    """What could not be read, and where; reading goes on."""

    line: int
    message: str


Episode: TypeAlias = Example | FormatProblem


class Format(Protocol):
    """A transcript format."""

    NAME: str

    def knows(self, first: Mapping[str, Any]) -> bool:
        """Whether one of a file's first objects is in this format."""

    def read(
        self, records: Iterable[Record], origin: RecordOrigin
    ) -> Iterator[Episode]:
        """The episodes of a file, in constant memory for any length."""


@cache
def formats() -> dict[str, Format]:
    """All formats by name, built-in ones first."""
    from importlib.metadata import entry_points

    from skillforge.learn.formats.plugins import load

    modules: list[Any] = [
        import_module(f"skillforge.learn.formats.{name}") for name in _BUILT_IN
    ]
    by_name: dict[str, Format] = {module.NAME: module for module in modules}
    for point in entry_points(group=GROUP):
        by_name.setdefault(point.name, load(point))
    return by_name


def broken() -> list[str]:
    """Why formats of other packages can't be loaded, a message for each."""
    errors = (getattr(form, "error", None) for form in formats().values())
    return [error.message for error in errors if isinstance(error, ToolError)]


def named(name: str) -> Format:
    try:
        return formats()[name]
    except KeyError:
        raise RequestError(
            f"no transcript format {name!r}",
            hint=f"known formats: {', '.join(formats())}",
        ) from None


def recognise(first: Iterable[Mapping[str, Any]]) -> Format | None:
    """The format of a file's first objects; None if no format knows them."""
    objects = list(first)
    return next(
        (form for form in formats().values() if any(map(form.knows, objects))), None
    )
