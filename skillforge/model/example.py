"""One observed episode: the task, the steps, the outcome, and the review."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from skillforge.model.outcome import Outcome, OutcomeSource, OutcomeStatus

KEPT_FROM = 0.6  # learning value; compared with a tolerance, as it is a sum of tenths
_TOLERANCE = 1e-9


class StepKind(StrEnum):
    """What happened in a step of an episode."""

    MESSAGE = "message"
    CALL = "call"
    OBSERVATION = "observation"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: a message, a call of a tool, or its result.

    Messages have a `role` (user or assistant); calls and results have a `tool`.
    """

    kind: StepKind
    text: str = ""
    role: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def record(self) -> dict[str, Any]:
        """The step as JSON data, without empty fields."""
        parts = {"kind": str(self.kind), "role": self.role, "tool": self.tool}
        rest = {"arguments": dict(self.arguments), "text": self.text}
        return {key: part for key, part in (parts | rest).items() if part}


class Review(NamedTuple):
    """A reviewer's decision on an example."""

    status: str = "pending"  # approved, rejected
    by: str = ""
    at: str = ""
    reason: str = ""


class Worth(NamedTuple):
    """The learning value of an example, in its parts."""

    success: bool = False
    several_tools: bool = False
    recovered: bool = False
    generalizable: bool = False

    @property
    def value(self) -> float:
        parts = self.several_tools + self.recovered + self.generalizable
        return round(0.4 * self.success + 0.2 * parts, 1)

    @property
    def is_enough(self) -> bool:
        return self.value >= KEPT_FROM - _TOLERANCE


@dataclass(frozen=True, slots=True)
class Example:
    """One episode. Its id is the digest of what was observed, without the review.

    Transcript readers return raw examples; only redacted ones may be stored, shown or
    committed.
    """

    task: str
    session: str = ""
    format: str = ""
    started: str = ""  # ISO 8601; empty if unknown
    environment: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    output: Any = ""
    notes: str = ""
    messages: int = 0
    left_out: int = 0  # steps dropped from an episode that is too long
    raw: str = ""  # sha256 of the episode before redaction
    named_tools: tuple[str, ...] = ()  # declared tools, if there are no steps
    outcome: Outcome = field(default_factory=Outcome)
    flags: tuple[str, ...] = ()  # what a reviewer should know, such as "instructions"
    redacted: Mapping[str, int] = field(default_factory=dict)  # how many of each kind
    worth: Worth = field(default_factory=Worth)
    review: Review = field(default_factory=Review)

    @property
    def calls(self) -> Iterator[Step]:
        return (step for step in self.steps if step.kind is StepKind.CALL)

    @property
    def tools(self) -> tuple[str, ...]:
        """The called tools in order, with repeats."""
        return tuple(step.tool for step in self.calls) or self.named_tools

    @property
    def observed(self) -> dict[str, Any]:
        """The part that the digest covers; reviews do not change it."""
        return {
            "task": self.task,
            "session": self.session,
            "format": self.format,
            "started": self.started,
            "environment": dict(self.environment),
            "tools": list(dict.fromkeys(self.tools)),
            "inputs": dict(self.inputs),
            "steps": [step.record for step in self.steps],
            "output": self.output,
            "notes": self.notes,
            "messages": self.messages,
            "left_out": self.left_out,
            "raw": self.raw,
        }

    @property
    def record(self) -> dict[str, Any]:
        """The example as JSON data."""
        return self.observed | {
            "outcome": {
                "status": str(self.outcome.status),
                "source": str(self.outcome.source),
                "verified_by": self.outcome.by,
            },
            "value": {"total": self.worth.value, **self.worth._asdict()},
            "review": self.review._asdict(),
            "flags": list(self.flags),
            "redacted": dict(self.redacted),
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Example":
        """The example of a `record` that conforms to the schema."""
        outcome, value = record["outcome"], record["value"]
        return cls(
            **{key: record[key] for key in _AS_IT_IS},
            steps=tuple(_step(step) for step in record["steps"]),
            named_tools=tuple(record["tools"]),
            outcome=Outcome(
                OutcomeStatus(outcome["status"]),
                OutcomeSource(outcome["source"]),
                outcome["verified_by"],
            ),
            flags=tuple(record["flags"]),
            redacted=record["redacted"],
            worth=Worth(*(value[part] for part in Worth._fields)),
            review=Review(**record["review"]),
        )

    @property
    def id(self) -> str:
        return digest(self.observed)

    @property
    def has_succeeded(self) -> bool:
        return self.outcome.status is OutcomeStatus.SUCCESS

    @property
    def counts(self) -> bool:
        """Whether it counts as evidence: approved, and not verified by a model only."""
        return self.review.status == "approved" and self.outcome.is_verified


_AS_IT_IS = (
    "task", "session", "format", "started", "environment", "inputs", "output", "notes",
    "messages", "left_out", "raw",
)  # fmt: skip


def _step(record: Mapping[str, Any]) -> Step:
    rest = {key: part for key, part in record.items() if key != "kind"}
    return Step(StepKind(record["kind"]), **rest)


def split(examples: Mapping[str, Example]) -> frozenset[str]:
    """The held-out examples: every third by digest, of successes and of the others.

    The author of a draft does not see them, so they can test the draft.
    """
    good = sorted(
        number for number, example in examples.items() if example.has_succeeded
    )
    rest = sorted(examples.keys() - set(good))
    return frozenset((*good[2::3], *rest[2::3]))


def digest(observed: Mapping[str, Any]) -> str:
    """The digest of what was observed in an episode."""
    import hashlib
    import json

    content = json.dumps(observed, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
