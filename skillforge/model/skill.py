"""A skill at one revision: its document and its files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from skillforge.model.finding import Finding

# Scalars are text exactly as written: never a number, a boolean or a date.
Value: TypeAlias = "str | list[Value] | dict[str, Value]"


class Link(NamedTuple):
    """A local file that a body links to in Markdown, or names as a path."""

    target: str
    offset: int
    is_markdown: bool


@dataclass(frozen=True, slots=True)
class Document:
    """A SKILL.md: its fields as written, their lines, and its problems.

    `lines` and `kinds` are keyed by dotted path (`metadata.version`). `kinds` is the
    type that other YAML readers give an unquoted value: number, boolean, date or null.
    """

    text: str
    fields: Mapping[str, Value]
    lines: Mapping[str, int]
    kinds: Mapping[str, str]
    body_start: int
    data: bytes = field(repr=False)
    links: tuple[Link, ...] = ()
    problems: tuple[Finding, ...] = ()
    readable: bool = True

    @property
    def body(self) -> str:
        return self.text[self.body_start :]

    def line_at(self, offset: int) -> int:
        """The line of the character at `offset`, counted from 1."""
        return self.text.count("\n", 0, offset) + 1

    def line_around(self, offset: int) -> str:
        """The text of that line."""
        return self.text[self.text.rfind("\n", 0, offset) + 1 :].split("\n", 1)[0]

    def line_of(self, path: str) -> int:
        return self.lines.get(path, 1)

    def words(self, name: str) -> str:
        """The text of a field; empty if it is missing or not text."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    def metadata(self, name: str) -> str:
        """The text of an entry of `metadata`; empty if there is none."""
        metadata = self.fields.get("metadata")
        value = metadata.get(name) if isinstance(metadata, dict) else None
        return value if isinstance(value, str) else ""


class FileKind(StrEnum):
    """What a path in a skill is, in git's terms."""

    FILE = "file"
    EXECUTABLE = "executable"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    OTHER = "other"


class File(NamedTuple):
    """One file of a skill, without its bytes."""

    kind: FileKind
    size: int


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill folder, read at one revision.

    `name` is what the library calls it: its folder, or more of its path.

    `files` is keyed by path inside the folder. `read` returns the bytes of a file, or
    the target of a symlink; files are read on demand. `folders` maps each folder to its
    modification time on disk in nanoseconds; it is empty for a skill read from git.
    """

    name: str
    path: str
    files: Mapping[str, File]
    document: Document | None
    read: Callable[[str], bytes] = field(compare=False, repr=False)
    folders: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    origin: str = ""  # who proposes it, if that is known
    nested: frozenset[str] = frozenset()  # each SKILL.md in it that is another skill's
    says_agent: bool = field(init=False)
    is_agent_made: bool = field(init=False)

    @property
    def folder(self) -> str:
        """The name of its folder, which clients compare with the `name` field."""
        return self.name.rpartition("/")[2]

    def __post_init__(self) -> None:
        """Derive the kind of author from the metadata and from who proposes it.

        The default is a human. A skill that claims a human origin proves nothing.
        """
        origin = self.document.metadata("origin").lower() if self.document else ""
        object.__setattr__(self, "says_agent", is_of_agent(origin))
        by_agent = self.says_agent or is_of_agent(self.origin)
        object.__setattr__(self, "is_agent_made", by_agent)


def is_of_agent(origin: str) -> bool:
    """Whether an origin is an agent's rather than a person's."""
    return origin.startswith("agent") or origin == "curator"
