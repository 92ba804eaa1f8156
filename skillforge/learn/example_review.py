"""Review: people approve or reject each example, with a reason."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from skillforge.errors import ConflictError, RequestError, ToolError
from skillforge.learn import scoring
from skillforge.learn.triage import example_json, now
from skillforge.library import Library
from skillforge.model import Example, OutcomeSource, OutcomeStatus, Review
from skillforge.store import ExampleRow, Examples

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class ExampleFilter:
    """Which examples to list; an empty field matches any."""

    status: str = ""
    outcome: str = ""
    value: float = 0.0
    tool: str = ""
    text: str = ""

    def matches(self, example: Example) -> bool:
        return (
            self.status in ("", example.review.status)
            and self.outcome in ("", example.outcome.status)
            and example.worth.value >= self.value - _TOLERANCE
            and (not self.tool or self.tool.lower() in map(str.lower, example.tools))
            and all(word in _text_of(example) for word in self.text.casefold().split())
        )


def _text_of(example: Example) -> str:
    steps = (f"{step.text}\n{_texts(step.arguments)}" for step in example.steps)
    rest = (_texts(example.inputs), _texts(example.output))
    return "\n".join((example.task, example.notes, *steps, *rest)).casefold()


def _texts(value: Any) -> str:
    """The texts inside a JSON value, one per line."""
    if isinstance(value, Mapping):
        return "\n".join(map(_texts, value.values()))
    return "\n".join(map(_texts, value)) if isinstance(value, list) else str(value)


@dataclass(frozen=True, slots=True)
class Decision:
    """How to decide on examples; an outcome is one that the reviewer vouches for."""

    status: str  # approved or rejected
    by: str
    reason: str = ""
    outcome: str = ""


class StoredExample(NamedTuple):
    """An example, and its row in the store."""

    example: Example
    row: ExampleRow

    @property
    def taken(self) -> dict[str, str]:
        """The private values by placeholder, for the owner only."""
        values: dict[str, str] = json.loads(self.row.taken)
        return values


def store_of(library: Library) -> Examples:
    return Examples.of(library.repository().common_dir)


def stored(library: Library) -> list[StoredExample]:
    """All examples, in the order in which they were captured."""
    return [StoredExample(load(row), row) for row in store_of(library).rows()]


def load(row: ExampleRow) -> Example:
    """The example of a row."""
    try:
        return Example.of(json.loads(row.example))
    except (ValueError, KeyError, TypeError, AttributeError) as err:
        raise ToolError(
            f"example {row.id[:12]} in the private store cannot be read",
            hint="the store is damaged: move .git/skillforge/state.db away and capture "
            "again",
        ) from err


def get(library: Library, prefix: str) -> StoredExample:
    """The only example whose id starts with a prefix."""
    is_id = re.fullmatch(r"[0-9a-f]{1,64}", prefix.lower())
    rows = store_of(library).find(prefix.lower()) if is_id else []
    if len(rows) == 1:
        return StoredExample(load(rows[0]), rows[0])
    if rows:
        raise RequestError(
            f"{len(rows)} examples start with {prefix}",
            hint="use a longer prefix: skillforge examples list",
        )
    raise RequestError(f"no example {prefix!r}", hint="skillforge examples list")


def decide(
    library: Library, prefixes: Iterable[str], decision: Decision
) -> list[Example]:
    """Approve or reject examples by id."""
    chosen = {(match := get(library, prefix)).row.id: match for prefix in prefixes}
    return _apply(library, list(chosen.values()), decision)


def approve_verified(
    library: Library, decision: Decision
) -> tuple[list[Example], list[Example]]:
    """Approve pending examples that a test or verifier proved.

    The second list holds those that were left because they contain instructions
    aimed at the agent; a person has to approve them by id.
    """
    proven = (OutcomeSource.TEST, OutcomeSource.VERIFIER)
    pending = [
        entry
        for entry in stored(library)
        if entry.example.review.status == "pending"
        and entry.example.outcome.is_verified
        and entry.example.outcome.source in proven
    ]
    safe: list[StoredExample] = []
    withheld: list[StoredExample] = []
    for entry in pending:
        is_suspicious = "instructions" in entry.example.flags
        (withheld if is_suspicious else safe).append(entry)
    decided = _apply(library, safe, decision)
    return decided, [entry.example for entry in withheld]


def _apply(
    library: Library, chosen: list[StoredExample], decision: Decision
) -> list[Example]:
    decided = [_decided(entry.example, decision) for entry in chosen]
    store_of(library).update(
        (entry.row.id, entry.row.example, example_json(example))
        for entry, example in zip(chosen, decided, strict=True)
    )
    return decided


def _decided(example: Example, decision: Decision) -> Example:
    before, outcome = example.review, decision.outcome
    if before.status not in ("pending", decision.status):
        raise ConflictError(
            f"example {example.id[:12]} is already {before.status} by {before.by}",
            hint="a decision is final; capture the episode again in another clone, "
            "or leave it",
        )
    if before.status == decision.status and not outcome:
        return example  # safe to repeat
    if outcome:
        if example.outcome.is_verified and example.outcome.status != outcome:
            raise _verified_otherwise(example)
        example = scoring.with_outcome(
            example, OutcomeStatus(outcome), OutcomeSource.HUMAN, decision.by
        )
    review = Review(decision.status, decision.by, now(), decision.reason)
    return replace(example, review=review)


def _verified_otherwise(example: Example) -> ConflictError:
    _status, source, by = example.outcome
    is_human = source is OutcomeSource.HUMAN
    who = (by or "a human") if is_human else "a verifier"
    return ConflictError(
        f"{who} recorded example {example.id[:12]} as a {example.outcome.status}",
        hint="a verified outcome cannot be overruled; reject the example instead",
    )
