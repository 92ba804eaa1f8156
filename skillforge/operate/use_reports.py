"""What is said of uses: reports as they come, and what became of them."""

import math
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from skillforge.model import Assignment, Outcome, OutcomeSource, OutcomeStatus, Use

_VERSION = re.compile(r"(?:[0-9a-f]{40}(?:[0-9a-f]{24})?)?")
_KEYS = (
    "skill", "key", "outcome", "verified_by", "seconds", "tokens", "note", "pitfall",
    "version", "at", "id", "loaded",
)  # fmt: skip


class UseReport(NamedTuple):
    """What somebody says of one use. Without `at` it was now."""

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
    line: int = 0  # of many; 0 for one that came by itself

    @property
    def is_verified(self) -> bool:
        return Outcome(self.outcome, self.source).is_verified

    def use_of(self, given: Assignment, voice: str, at: int) -> Use:
        """The use that is reported, of the version that was given; without words."""
        return Use(
            id=self.id or uuid.uuid4().hex,
            skill=given.skill,
            version=given.version,
            voice=voice,
            at=max(at, 0),  # a clock may be before 1970
            outcome=self.outcome,
            source=self.source,
            arm=given.arm,
            rollout=given.rollout,
            share=given.share,
            is_loaded=self.is_loaded and bool(given.version),
            seconds=self.seconds,
            tokens=self.tokens,
        )


class UnreadableLine(NamedTuple):
    """A line that is no report, and why."""

    line: int
    why: str


class RecordResult(NamedTuple):
    """What became of reports: how many were new, and what there is to say of them."""

    uses: tuple[Use, ...]
    added: int
    remarks: tuple[str, ...] = ()
    unread: tuple[UnreadableLine, ...] = ()  # lines of which no version could be found

    @property
    def again(self) -> int:
        return len(self.uses) - self.added


def read_lines(lines: Iterable[str]) -> Iterator[UseReport | UnreadableLine]:
    """Reports, one JSON object a line; a line that is none stops no other."""
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


def parse_report(said: Any) -> UseReport:
    """A report as somebody wrote it; a ValueError tells what is wrong with it."""
    if not isinstance(said, dict):
        raise ValueError("it is not a JSON object")
    for name in said.keys() - set(_KEYS):
        from skillforge.text import nearest

        meant = nearest(name, list(_KEYS)) or ", ".join(_KEYS)
        raise ValueError(f"there is no key {name!r}; did you mean {meant}?")
    for name in ("skill", "key"):
        if not isinstance(said.get(name), str) or not said[name]:
            raise ValueError(f"`{name}` is missing")
    for name in ("note", "pitfall", "version", "id"):
        if not isinstance(said.get(name, ""), str):
            raise ValueError(f"`{name}` is not text")
    if any("\ud800" <= letter <= "\udfff" for letter in said.get("id", "")):
        raise ValueError("`id` is not text")
    if not _VERSION.fullmatch(said.get("version", "")):
        raise ValueError("`version` is no git tree")
    if not isinstance(said.get("loaded", True), bool):
        raise ValueError("`loaded` is not true or false")
    tokens = _number(said, "tokens")
    at = _number(said, "at")
    return UseReport(
        said["skill"],
        said["key"],
        OutcomeStatus(_one_of(said, "outcome", OutcomeStatus, OutcomeStatus.UNKNOWN)),
        OutcomeSource(_one_of(said, "verified_by", OutcomeSource, OutcomeSource.NONE)),
        _number(said, "seconds"),
        None if tokens is None else int(tokens),
        said.get("note", ""),
        said.get("pitfall", ""),
        said.get("version", ""),
        None if at is None else int(at),
        said.get("id", ""),
        said.get("loaded", True),
    )


def _one_of(said: Mapping[str, Any], name: str, known: Any, default: str) -> str:
    value = said.get(name, default)
    if value not in list(known):
        raise ValueError(f"`{name}` is {value!r}, not one of {', '.join(known)}")
    return str(value)


def _number(said: Mapping[str, Any], name: str) -> float | None:
    value = said.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None or (is_number and 0 <= value < 1e15 and math.isfinite(value)):
        return value
    raise ValueError(f"`{name}` is not a number from 0")
