"""The nouns, frozen: the values that the stages hand to each other."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

SKILL_FILE = "SKILL.md"

# Scalars are text exactly as written: never a number, a boolean or a date.
Value: TypeAlias = "str | list[Value] | dict[str, Value]"


class Severity(StrEnum):
    """How much a finding matters: only errors block promotion."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Profile(StrEnum):
    """How much is asked of a skill; each profile asks all that the one before does."""

    SPEC = "spec"
    PORTABLE = "portable"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: where it stands, and how to mend it."""

    rule: str
    severity: Severity
    message: str
    path: str = SKILL_FILE
    line: int = 1
    hint: str = ""

    def under(self, folder: str) -> "Finding":
        """The same finding, its path seen from the library instead of the skill."""
        path = f"{folder}/{self.path}"
        return Finding(
            self.rule, self.severity, self.message, path, self.line, self.hint
        )


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found in some skills; without errors it is a pass."""

    findings: tuple[Finding, ...] = ()
    skills: tuple[str, ...] = ()

    @classmethod
    def joined(cls, parts: "Iterable[Report]") -> "Report":
        """One report of several, in their order."""
        reports = list(parts)
        return cls(
            tuple(finding for report in reports for finding in report.findings),
            tuple(skill for report in reports for skill in report.skills),
        )

    @property
    def ok(self) -> bool:
        """Whether nothing found here blocks promotion."""
        return all(f.severity is not Severity.ERROR for f in self.findings)

    def count(self, severity: Severity) -> int:
        return sum(f.severity is severity for f in self.findings)


class Problem(NamedTuple):
    """What a rule saw, before the rule's name and severity are put to it."""

    message: str
    hint: str
    line: int = 1
    path: str = SKILL_FILE


@dataclass(frozen=True, slots=True)
class Rule:
    """One demand on a skill; the docstring of `check` is its manual page."""

    id: str
    check: Callable[..., Iterable[Problem]]
    severity: Severity
    profile: Profile

    def finding(self, problem: Problem, severity: Severity | None = None) -> Finding:
        message, hint, line, path = problem
        return Finding(self.id, severity or self.severity, message, path, line, hint)

    def findings(self, *subject: object) -> list[Finding]:
        return [self.finding(problem) for problem in self.check(*subject)]

    @property
    def page(self) -> str:
        return inspect.getdoc(self.check) or ""

    @property
    def summary(self) -> str:
        return " ".join(self.page.split("\n\n")[0].split())


def rule(
    severity: Severity = Severity.ERROR,
    profile: Profile = Profile.SPEC,
) -> Callable[[Callable[..., Iterable[Problem]]], Rule]:
    """Make a function a rule; `name_matches_folder` becomes `name-matches-folder`."""

    def make(check: Callable[..., Iterable[Problem]]) -> Rule:
        name = check.__name__.replace("_", "-")
        return Rule(name, check, severity, profile)

    return make


def rules_in(namespace: Mapping[str, object]) -> tuple[Rule, ...]:
    """The rules that a module defines, in the order in which it defines them."""
    return tuple(value for value in namespace.values() if isinstance(value, Rule))


class Link(NamedTuple):
    """A local file that a body links to (Markdown) or names (a path in the text)."""

    target: str
    offset: int
    is_markdown: bool


@dataclass(frozen=True, slots=True)
class Document:
    """A SKILL.md as read: fields as written, where they stand, what is wrong.

    `lines` and `kinds` are keyed by dotted path (`metadata.version`). `kinds` names
    what other YAML readers would make of an unquoted value: a number, boolean, date or
    null.
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
        """The line, counted from 1, on which the character at `offset` stands."""
        return self.text.count("\n", 0, offset) + 1

    def line_of(self, path: str) -> int:
        return self.lines.get(path, 1)

    def words(self, name: str) -> str:
        """The text of a field; empty where it is missing or is not text."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    def metadata(self, name: str) -> str:
        """The text of an entry of `metadata`; empty where there is none."""
        metadata = self.fields.get("metadata")
        value = metadata.get(name) if isinstance(metadata, dict) else None
        return value if isinstance(value, str) else ""


class Kind(StrEnum):
    """What a path in a skill is, in git's words."""

    FILE = "file"
    EXECUTABLE = "executable"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    OTHER = "other"


class File(NamedTuple):
    """One file of a skill, without its bytes."""

    kind: Kind
    size: int


@dataclass(frozen=True, slots=True)
class Skill:
    """One folder under `skills/`, read at one revision.

    `files` is keyed by path inside the folder. `read` returns a file's bytes, for a
    symlink its target; only what a check asks for is read. `folders` tells when each
    folder of it last changed on disk, in nanoseconds; empty for one read from git.
    """

    name: str
    path: str
    files: Mapping[str, File]
    document: Document | None
    read: Callable[[str], bytes] = field(compare=False, repr=False)
    folders: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    is_agent_made: bool = field(init=False)

    def __post_init__(self) -> None:
        """Learn who made it from what it says itself; by default it is a human."""
        origin = self.document.metadata("origin").lower() if self.document else ""
        by_agent = origin.startswith("agent") or origin == "curator"
        object.__setattr__(self, "is_agent_made", by_agent)
