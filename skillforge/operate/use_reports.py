"""Reports of uses: their JSON, and the result of recording them."""

import math
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from skillforge.model import Assignment, Outcome, OutcomeSource, OutcomeStatus, Use

E = TypeVar("E", bound=StrEnum)
_VERSION = re.compile(r"(?:[0-9a-f]{40}(?:[0-9a-f]{24})?)?")
_KEYS = (
    "skill", "key", "outcome", "verified_by", "seconds", "tokens", "note", "pitfall",
    "version", "at", "id", "loaded",
)  # fmt: skip


class UseReport(NamedTuple):
    """A report of one use; without `at`, it was now."""

    skill: str
    key: str
    outcome: OutcomeStatus = OutcomeStatus.UNKNOWN
    source: OutcomeSource = OutcomeSource.NONE
    seconds: float | None = None
    tokens: int | None = None
    note: str = ""
    pitfall: str = ""
    version: str = ""
    at: int | None = None
    id: str = ""
    is_loaded: bool = True
    line: int = 0  # 0 for a single report

    @property
    def is_verified(self) -> bool:
        return Outcome(self.outcome, self.source).is_verified

    def to_use(self, assignment: Assignment, voice: str, at: int) -> Use:
        """The use of an assigned version, without texts."""
        return Use(
            id=self.id or uuid.uuid4().hex,
            skill=assignment.skill,
            version=assignment.version,
            voice=voice,
            at=max(at, 0),  # some clocks are before 1970
            outcome=self.outcome,
            source=self.source,
            arm=assignment.arm,
            rollout=assignment.rollout,
            share=assignment.share,
            is_loaded=self.is_loaded and bool(assignment.version),
            seconds=self.seconds,
            tokens=self.tokens,
        )


class UnreadableLine(NamedTuple):
    """A line that is not a valid report, and why."""

    line: int
    why: str


class RecordResult(NamedTuple):
    """The recorded uses, how many of them are new, and remarks on them."""

    uses: tuple[Use, ...]
    added: int
    remarks: tuple[str, ...] = ()
    unread: tuple[UnreadableLine, ...] = ()  # lines about unknown skills

    @property
    def again(self) -> int:
        return len(self.uses) - self.added


def read_lines(lines: Iterable[str]) -> Iterator[UseReport | UnreadableLine]:
    """Parse reports, one JSON object a line; invalid lines don't stop the others."""
    import json

    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield parse_report(json.loads(line))._replace(line=number)
            except json.JSONDecodeError as err:
                yield UnreadableLine(
                    number, f"it is not JSON: {err.msg} at column {err.colno}"
                )
            except (ValueError, RecursionError) as err:
                yield UnreadableLine(number, str(err))


def parse_report(fields: Any) -> UseReport:
    """Parse a report; a ValueError if it is invalid."""
    if not isinstance(fields, dict):
        raise ValueError("it is not a JSON object")
    for name in fields.keys() - set(_KEYS):
        from skillforge.text import nearest

        similar = nearest(name, list(_KEYS)) or ", ".join(_KEYS)
        raise ValueError(f"unknown key {name!r}; did you mean {similar}?")
    for name in ("skill", "key"):
        if not isinstance(fields.get(name), str) or not fields[name]:
            raise ValueError(f"`{name}` is missing")
    for name in ("note", "pitfall", "version", "id"):
        if not isinstance(fields.get(name, ""), str):
            raise ValueError(f"`{name}` is not text")
    if any("\ud800" <= letter <= "\udfff" for letter in fields.get("id", "")):
        raise ValueError("`id` is not text")
    if not _VERSION.fullmatch(fields.get("version", "")):
        raise ValueError("`version` is not a git tree")
    if not isinstance(fields.get("loaded", True), bool):
        raise ValueError("`loaded` is not true or false")
    tokens = _number(fields, "tokens")
    at = _number(fields, "at")
    return UseReport(
        fields["skill"],
        fields["key"],
        _one_of(fields, "outcome", OutcomeStatus.UNKNOWN),
        _one_of(fields, "verified_by", OutcomeSource.NONE),
        _number(fields, "seconds"),
        None if tokens is None else int(tokens),
        fields.get("note", ""),
        fields.get("pitfall", ""),
        fields.get("version", ""),
        None if at is None else int(at),
        fields.get("id", ""),
        fields.get("loaded", True),
    )


def _one_of(fields: Mapping[str, Any], name: str, default: E) -> E:
    """A field as a member of the enum of its default."""
    value, kind = fields.get(name, default), type(default)
    if value not in list(kind):
        raise ValueError(f"`{name}` is {value!r}, not one of {', '.join(kind)}")
    return kind(value)


def _number(fields: Mapping[str, Any], name: str) -> float | None:
    value = fields.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None or (is_number and 0 <= value < 1e15 and math.isfinite(value)):
        return value
    raise ValueError(f"`{name}` is not a number of 0 or more")
