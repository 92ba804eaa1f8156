"""`skillforge.baseline.json`: findings that a library had when it adopted Skillforge.

They are reported as known, and block nothing. The file belongs to the library and is
read at the base, like the policy. An entry is bound to the content that its finding is
about: the line, the field or the file. When that changes, the finding is new again.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from skillforge.errors import ConfigError
from skillforge.library import Library
from skillforge.model import (
    BASELINE_FILE,
    CANARY,
    NOT_RUN,
    SKILL_FILE,
    FileKind,
    Finding,
    Severity,
    Skill,
)
from skillforge.report import printable
from skillforge.text import shortened

_FORMAT = "skillforge/baseline/1"
_TEXTS = ("skill", "rule", "path", "content", "severity", "message")
_MESSAGE = 160  # characters
_HEX = 32
_NUMBER = re.compile(r"\d[\d,.]*")
_NEVER = (NOT_RUN, CANARY)  # what did not run has not passed; an alarm is never old
_READABLE = (FileKind.FILE, FileKind.EXECUTABLE)


class Key(NamedTuple):
    """What identifies a known finding; `path` is relative to the skill."""

    skill: str
    rule: str
    path: str
    content: str


class BaselineEntry(NamedTuple):
    """Equal known findings, counted; severity and message are for the reader."""

    key: Key
    number: int
    severity: str
    message: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known findings of a library."""

    entries: tuple[BaselineEntry, ...] = ()
    counts: dict[str, Counter[Key]] = field(default_factory=dict)  # by skill

    @classmethod
    def of(cls, entries: Iterable[BaselineEntry]) -> "Baseline":
        listed = tuple(sorted(entries))
        counts: dict[str, Counter[Key]] = {}
        for entry in listed:
            counts.setdefault(entry.key.skill, Counter())[entry.key] += entry.number
        return cls(listed, counts)

    @property
    def size(self) -> int:
        """The number of known findings."""
        return sum(entry.number for entry in self.entries)

    def marked(self, findings: Iterable[Finding], skill: Skill) -> list[Finding]:
        """The findings of a skill; those in the baseline are known.

        Paths of findings are relative to the skill.
        """
        listed = list(findings)
        left = Counter(self.counts.get(skill.name, ()))
        return [_marked(f, skill, left) for f in listed] if left else listed

    def text(self) -> str:
        """The file: sorted, one line for each entry, so that diffs are readable."""
        lines = [json.dumps(_row(entry)) for entry in self.entries]
        listed = "".join(f"\n{line}," for line in lines).removesuffix(",")
        return f'{{"format": "{_FORMAT}", "findings": [{listed}\n]}}\n'


def _marked(finding: Finding, skill: Skill, left: Counter[Key]) -> Finding:
    key = key_of(finding, skill)
    if finding.severity is Severity.NOTE or finding.rule in _NEVER or not left[key]:
        return finding
    left[key] -= 1
    return replace(finding, known=True)


def entries_of(findings: Iterable[Finding], skill: Skill) -> Iterator[BaselineEntry]:
    """The entries for findings of a skill; notes need none."""
    grouped: dict[Key, list[Finding]] = {}
    for finding in findings:
        if finding.severity is not Severity.NOTE:
            grouped.setdefault(key_of(finding, skill), []).append(finding)
    for key, (first, *more) in grouped.items():
        message = shortened(printable(first.message), _MESSAGE)
        yield BaselineEntry(key, 1 + len(more), first.severity.value, message)


def key_of(finding: Finding, skill: Skill) -> Key:
    path = printable(finding.path)
    digest = hashlib.sha256(_content(finding, skill)).hexdigest()[:_HEX]
    return Key(printable(skill.name), finding.rule, path, digest)


def _content(finding: Finding, skill: Skill) -> bytes:
    """What a finding is about; if that changes, the finding is a new one."""
    path, line = finding.path, finding.line
    if finding.rule.startswith("trial-") and path in skill.files:
        case = finding.message.partition(": ")[0]  # the rest differs in each run
        return f"case\0{case}\0".encode() + skill.read(path)
    if path not in skill.files:  # something inside an archive
        path = path.partition("!")[0]
    is_whole = line <= 1 and not finding.text
    is_file = path in skill.files and skill.files[path].kind in _READABLE
    if not is_file or (is_whole and (path == SKILL_FILE or not finding.category)):
        return b"message\0" + _message(finding).encode("utf-8", "surrogatepass")
    data = skill.read(path)
    if is_whole or path != finding.path:
        return b"file\0" + data
    lines = data.split(b"\n")
    if path == SKILL_FILE and skill.document is not None:
        head = skill.document.text.count("\n", 0, skill.document.body_start)
        if line <= head:
            return b"field\0" + _field(lines[:head], line - 1)
    return b"line\0" + _command(lines, line - 1)


def _message(finding: Finding) -> str:
    """The message; its numbers, such as a length, change with edits of other parts.

    In findings about evidence they count private data: more of it is a new finding.
    """
    is_count = finding.rule == "evidence"
    return finding.message if is_count else _NUMBER.sub("#", finding.message)


def _field(lines: list[bytes], at: int) -> bytes:
    """A line of the header, and the deeper lines below it: a field's whole value."""
    first, *rest = lines[at:] or [b""]
    value = [first.strip()]
    for line in rest:
        if line.strip() and _indent(line) <= _indent(first):
            break
        value.append(line.strip())
    return b"\n".join(value).strip()


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _command(lines: list[bytes], at: int) -> bytes:
    """A line, with those that a backslash at their end joins to it."""
    start = end = min(at, len(lines) - 1)
    while start > 0 and lines[start - 1].rstrip().endswith(b"\\"):
        start -= 1
    while end + 1 < len(lines) and lines[end].rstrip().endswith(b"\\"):
        end += 1
    return b"\n".join(line.strip() for line in lines[start : end + 1])


def library_baseline(library: Library | None, revision: str | None = None) -> Baseline:
    """The baseline of a library, in its checkout or at a revision."""
    return read_baseline(library.read_file(BASELINE_FILE, revision) if library else b"")


def read_baseline(data: bytes) -> Baseline:
    """Parse the file; an unreadable one is an error, not an empty baseline."""
    if not data.strip():
        return Baseline()
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as err:
        raise _wrong(f"not JSON: {err}") from err
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise _wrong(f'its format is not "{_FORMAT}"')
    rows = content.get("findings")
    if not isinstance(rows, list):
        raise _wrong("`findings` is not a list")
    return Baseline.of(_entry(number, row) for number, row in enumerate(rows, 1))


def _entry(number: int, row: Any) -> BaselineEntry:
    is_right = isinstance(row, dict) and all(
        isinstance(row.get(name), str) for name in _TEXTS
    )
    count = row.get("count", 1) if is_right else 0
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise _wrong(f"entry {number} is not the entry of a finding")
    skill, rule, path, content, severity, message = (row[name] for name in _TEXTS)
    return BaselineEntry(Key(skill, rule, path, content), count, severity, message)


def _row(entry: BaselineEntry) -> dict[str, Any]:
    row: dict[str, Any] = dict(
        zip(_TEXTS, (*entry.key, entry.severity, entry.message), strict=True)
    )
    return row | ({"count": entry.number} if entry.number > 1 else {})


def _wrong(why: str) -> ConfigError:
    return ConfigError(
        f"{BASELINE_FILE}: {why}",
        hint="restore it with git, or remove it and run `skillforge baseline`",
    )
