"""Uses as they are reported: put to the version that was used, redacted, and kept."""

import json
import math
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from skillforge.errors import ConfigError, RequestError
from skillforge.library import Library
from skillforge.model import SKILLS, Assigned, Ended, Result, Rollout, Source, Use
from skillforge.operate import assigning, rollouts
from skillforge.store import Uses
from skillforge.text import nearest

MOST_TEXT = 2_000  # letters of a note or a pitfall
_AHEAD = 300  # seconds that a clock may be off before it is told
_VERSION = re.compile(r"(?:[0-9a-f]{40}(?:[0-9a-f]{24})?)?")
_KEYS = (
    "skill", "key", "outcome", "verified_by", "seconds", "tokens", "note", "pitfall",
    "version", "at", "id", "loaded",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Report:
    """What somebody says of one use. Without `at` it was now."""

    skill: str
    key: str
    outcome: Ended = Ended.UNKNOWN
    source: Source = Source.NONE
    seconds: float | None = None
    tokens: int | None = None
    note: str = ""
    pitfall: str = ""
    version: str = ""
    at: int | None = None
    id: str = ""
    is_loaded: bool = True
    line: int = 0  # of many; 0 for one that came by itself


class Unread(NamedTuple):
    """A line that is no report, and why."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of reports: how many were new, and what there is to say of them."""

    uses: tuple[Use, ...]
    added: int
    remarks: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()  # lines of which no version could be found

    @property
    def again(self) -> int:
        return len(self.uses) - self.added


def read_lines(lines: Iterable[str]) -> Iterator[Report | Unread]:
    """Reports, one JSON object a line; a line that is none stops no other."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield replace(report_of(json.loads(line)), line=number)
            except json.JSONDecodeError as err:
                yield Unread(number, f"it is not JSON: {err.msg} at column {err.colno}")
            except (ValueError, RecursionError) as err:
                yield Unread(number, str(err))


def report_of(said: Any) -> Report:
    """A report as somebody wrote it; a ValueError tells what is wrong with it."""
    if not isinstance(said, dict):
        raise ValueError("it is not a JSON object")
    for name in said.keys() - set(_KEYS):
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
    return Report(
        said["skill"],
        said["key"],
        Ended(_one_of(said, "outcome", Ended, Ended.UNKNOWN)),
        Source(_one_of(said, "verified_by", Source, Source.NONE)),
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


@dataclass
class Recorder:
    """Puts reports to versions; what it looks up, it looks up once."""

    library: Library
    now: int
    uses: Uses = field(init=False)
    remarks: list[str] = field(default_factory=list)
    _rollouts: dict[str, Rollout | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.uses = Uses.of(self.library.repository().common_dir)

    def record(self, reports: Iterable[Report]) -> Recorded:
        """Keep reports, all or none; one that is there already counts once.

        Of many lines, one that is about no skill of main is named, and stops no other.
        """
        uses, unread = [], []
        for report in reports:
            try:
                uses.append(self._use(report))
            except (RequestError, ConfigError) as err:
                if not report.line:
                    raise
                unread.append(Unread(report.line, err.message))
        added = self.uses.add(uses)
        remarks = tuple(dict.fromkeys(self.remarks))
        return Recorded(tuple(uses), added, remarks, tuple(unread))

    def _use(self, report: Report) -> Use:
        rollouts.refuse_name(report.skill)
        voice = assigning.voice(report.skill, report.key)
        given = self._given(report, voice)
        result = Result(report.outcome, report.source)
        return Use(
            id=report.id or uuid.uuid4().hex,
            skill=given.skill,
            version=given.version,
            voice=voice,
            at=self._time(report),
            outcome=report.outcome,
            source=report.source,
            arm=given.arm,
            rollout=given.rollout,
            share=given.share,
            is_loaded=report.is_loaded and bool(given.version),
            is_vote=result.is_verified and self._speaks(report, given),
            seconds=report.seconds,
            tokens=report.tokens,
            note=self._redacted(report.note),
            pitfall=self._redacted(report.pitfall),
        )

    def _given(self, report: Report, voice: str) -> Assigned:
        """The version that a report is about: what this key was handed, as a rule."""
        given = self.uses.handed(report.skill, voice)
        if given is None and not (report.version and self._is_gone(report.skill)):
            given = self._assigned(report)
        if given is not None and report.version in ("", given.version):
            return given
        if not self.library.repository().name_of(f"{report.version}^{{tree}}"):
            self.remarks.append(
                f"version {report.version[:12]} of {report.skill} is not known here; "
                "it is counted by itself"
            )
        return Assigned(report.skill, report.version)

    def _is_gone(self, skill: str) -> bool:
        library = self.library
        return not library.repository().name_of(f"{library.tip}:{SKILLS}/{skill}")

    def _assigned(self, report: Report) -> Assigned:
        given = assigning.assigned(self.library, report.skill, report.key)
        rollout = self._rollout(report.skill) if given.rollout else None
        if rollout and report.at is not None and report.at < rollout.started:
            return Assigned(report.skill, rollout.stable)  # there was no other yet
        return given

    def _speaks(self, report: Report, given: Assigned) -> bool:
        """Whether a use tells something of a rollout.

        Where the other arm has no skill, nothing could be loaded there; so it counts
        in both arms whether the key had the chance.
        """
        if not given.rollout:
            return False
        if report.is_loaded and given.version:
            return True
        rollout = self._rollout(report.skill)
        return rollout is not None and not rollout.stable

    def _rollout(self, skill: str) -> Rollout | None:
        if skill not in self._rollouts:
            self._rollouts[skill] = rollouts.find(self.library.repository(), skill)
        return self._rollouts[skill]

    def _time(self, report: Report) -> int:
        """When it was; a clock that is ahead of ours is not believed."""
        if report.at is None or report.at <= self.now:
            return self.now if report.at is None else report.at
        if report.at > self.now + _AHEAD:
            self.remarks.append("a use of the future is taken for one of now")
        return self.now

    def _redacted(self, text: str) -> str:
        """What a use says in words, without what is private."""
        if not text.strip():
            return ""
        from skillforge.checks.private import private_to
        from skillforge.redact import Redaction

        words = " ".join(text.split())[:MOST_TEXT]
        return str(Redaction(private_to(self.library))(words))
