"""Review: every example is approved or rejected by somebody, with a reason."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from skillforge.errors import ConflictError, RequestError, ToolError
from skillforge.learn import scoring
from skillforge.learn.triage import now
from skillforge.library import Library
from skillforge.model import Example, OutcomeSource, OutcomeStatus, Review
from skillforge.store import ExampleRow, Examples

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Filter:
    """Which examples somebody wants to see; what is empty does not matter."""

    status: str = ""
    outcome: str = ""
    value: float = 0.0
    tool: str = ""
    text: str = ""

    def lets(self, example: Example) -> bool:
        return (
            self.status in ("", example.review.status)
            and self.outcome in ("", example.outcome.status)
            and example.worth.value >= self.value - _TOLERANCE
            and (not self.tool or self.tool.lower() in map(str.lower, example.tools))
            and all(word in _text_of(example) for word in self.text.casefold().split())
        )


def _text_of(example: Example) -> str:
    steps = (f"{step.text}\n{_values(step.arguments)}" for step in example.steps)
    rest = (_values(example.inputs), _values(example.output))
    return "\n".join((example.task, example.notes, *steps, *rest)).casefold()


def _values(value: Any) -> str:
    """What somebody may look for in a JSON value, one text to a line."""
    if isinstance(value, Mapping):
        return "\n".join(map(_values, value.values()))
    return "\n".join(map(_values, value)) if isinstance(value, list) else str(value)


class StoredExample(NamedTuple):
    """An example as it is kept, with what was taken from it."""

    example: Example
    row: ExampleRow

    @property
    def taken(self) -> dict[str, str]:
        """What redaction took, by placeholder: for the owner's eyes only."""
        found: dict[str, str] = json.loads(self.row.taken)
        return found


def store_of(library: Library) -> Examples:
    return Examples.of(library.repository().common_dir)


def kept(library: Library) -> list[StoredExample]:
    """Every example, in the order in which they came."""
    return [_kept(row) for row in store_of(library).rows()]


def _kept(row: ExampleRow) -> StoredExample:
    return StoredExample(loaded(row), row)


def loaded(row: ExampleRow) -> Example:
    """The example of a row."""
    try:
        return Example.of(json.loads(row.example))
    except (ValueError, KeyError, TypeError, AttributeError) as err:
        raise ToolError(
            f"example {row.id[:12]} in the private store cannot be read",
            hint="the store is damaged: move .git/skillforge/state.db away and capture "
            "again",
        ) from err


def find(library: Library, number: str) -> StoredExample:
    """The example that an id, or the beginning of one, means."""
    is_id = re.fullmatch(r"[0-9a-f]{1,64}", number.lower())
    found = store_of(library).find(number.lower()) if is_id else []
    if len(found) == 1:
        return _kept(found[0])
    if found:
        raise RequestError(
            f"{len(found)} examples start with {number}",
            hint="give more of it: skillforge examples list",
        )
    raise RequestError(
        f"there is no example {number!r}", hint="skillforge examples list"
    )


def approve(
    library: Library, numbers: Iterable[str], by: str, reason: str, outcome: str = ""
) -> list[Example]:
    """Approve examples; with an outcome, whoever approves stands for that, too."""
    return _decide(library, _all(library, numbers), "approved", by, reason, outcome)


def approve_verified(
    library: Library, by: str, reason: str
) -> tuple[list[Example], int]:
    """Approve what waits and was proven by a test or a verifier.

    What talks to its reader is left for somebody to look at; how many those are.
    """
    proven = (OutcomeSource.TEST, OutcomeSource.VERIFIER)
    waiting = [
        it
        for it in kept(library)
        if it.example.review.status == "pending"
        and it.example.outcome.is_verified
        and it.example.outcome.source in proven
    ]
    quiet = [it for it in waiting if "instructions" not in it.example.flags]
    done = _decide(library, quiet, "approved", by, reason, "")
    return done, len(waiting) - len(quiet)


def reject(
    library: Library, numbers: Iterable[str], by: str, reason: str
) -> list[Example]:
    return _decide(library, _all(library, numbers), "rejected", by, reason, "")


def _all(library: Library, numbers: Iterable[str]) -> list[StoredExample]:
    found = [find(library, number) for number in numbers]
    return list({it.row.id: it for it in found}.values())


def _decide(  # noqa: PLR0913, PLR0917 - who says what of which
    library: Library,
    chosen: list[StoredExample],
    status: str,
    by: str,
    reason: str,
    outcome: str,
) -> list[Example]:
    decided = [_decided(it.example, status, by, reason, outcome) for it in chosen]
    store_of(library).update(
        (it.row.id, it.row.example, json.dumps(example.record, ensure_ascii=False))
        for it, example in zip(chosen, decided, strict=True)
    )
    return decided


def _decided(
    example: Example, status: str, by: str, reason: str, outcome: str
) -> Example:
    before = example.review
    if before.status not in ("pending", status):
        raise ConflictError(
            f"example {example.id[:12]} was {before.status} by {before.by}",
            hint="a decision stands; capture the episode again from another clone, "
            "or leave it",
        )
    if before.status == status and not outcome:
        return example  # safe to repeat
    if outcome and example.outcome.is_verified:
        is_same = example.outcome.status == outcome
        if not is_same:
            who = example.outcome.by or f"a {example.outcome.source}"
            who = who if example.outcome.source is OutcomeSource.HUMAN else "a verifier"
            raise ConflictError(
                f"{who} says that example {example.id[:12]} was a "
                f"{example.outcome.status}",
                hint="what was proven is not overruled; reject the example instead",
            )
    if outcome:
        example = scoring.verified(
            example, OutcomeStatus(outcome), OutcomeSource.HUMAN, by
        )
    return replace(example, review=Review(status, by, now(), reason))
