"""One observed episode: what was asked, what was done, how it ended, who says so."""

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
    """One thing that happened: somebody spoke, a tool was called, or answered.

    `role` is of a message: user or assistant. `tool` is of a call and of its answer.
    """

    kind: StepKind
    text: str = ""
    role: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def record(self) -> dict[str, Any]:
        """As it is written down: only what there is."""
        parts = {"kind": str(self.kind), "role": self.role, "tool": self.tool}
        rest = {"arguments": dict(self.arguments), "text": self.text}
        return {key: part for key, part in (parts | rest).items() if part}


class Review(NamedTuple):
    """What a reviewer made of an example; pending until somebody does."""

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
    """One episode. Its id is a digest of what was observed, not of what was said of it.

    As a reader of transcripts returns it, it is raw; only `redacted` ones may be
    stored as examples, shown or committed.
    """

    task: str
    session: str = ""
    format: str = ""
    started: str = ""  # ISO 8601, as far as the transcript tells
    environment: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    output: Any = ""
    notes: str = ""
    messages: int = 0
    left_out: int = 0  # steps of an episode that is too long to keep in full
    raw: str = ""  # sha256 of the episode before redaction
    named_tools: tuple[str, ...] = ()  # that it says it used, where no steps tell
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
        """The tools in the order of their calls, repeats included."""
        return tuple(step.tool for step in self.calls) or self.named_tools

    @property
    def observed(self) -> dict[str, Any]:
        """What was seen; a review or a verdict on it changes nothing here."""
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
        """All of it, as it is written down."""
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
        """An example as `record` wrote it; it has to conform to its schema."""
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
        """Whether it is evidence: approved, and verified by more than a model."""
        return self.review.status == "approved" and self.outcome.is_verified


_AS_IT_IS = (
    "task", "session", "format", "started", "environment", "inputs", "output", "notes",
    "messages", "left_out", "raw",
)  # fmt: skip


def _step(record: Mapping[str, Any]) -> Step:
    rest = {key: part for key, part in record.items() if key != "kind"}
    return Step(StepKind(record["kind"]), **rest)


def split(examples: Mapping[str, Example]) -> frozenset[str]:
    """Which of them are held out: every third by digest, of successes and of others.

    Whoever drafts does not see them, so that they can test the draft.
    """
    good = sorted(
        number for number, example in examples.items() if example.has_succeeded
    )
    rest = sorted(examples.keys() - set(good))
    return frozenset((*good[2::3], *rest[2::3]))


def digest(observed: Mapping[str, Any]) -> str:
    """Equal for episodes in which the same was observed."""
    import hashlib
    import json

    content = json.dumps(observed, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
