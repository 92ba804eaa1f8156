"""List, show, approve and reject examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillforge.history import identity
from skillforge.learn import example_review
from skillforge.learn.example_review import Decision
from skillforge.learn.example_review import ExampleFilter as ExampleFilter
from skillforge.library import Library
from skillforge.model import Example


@dataclass(frozen=True, slots=True)
class ExampleList:
    """The examples that match a filter, oldest first, and how many there are in all."""

    examples: tuple[Example, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ExampleDetail:
    """One example. `taken` holds its private values, by placeholder, for the owner."""

    id: str
    example: Example
    taken: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class DecidedExamples:
    """Examples that were approved or rejected.

    `withheld` are verified examples that contain instructions aimed at the agent; they
    have to be approved by id.
    """

    status: str
    examples: tuple[Example, ...]
    withheld: tuple[Example, ...] = ()


def list_examples(library: Library, only: ExampleFilter) -> ExampleList:
    examples = [entry.example for entry in example_review.stored(library)]
    return ExampleList(tuple(filter(only.matches, examples)), len(examples))


def show(library: Library, number: str, *, show_private: bool = False) -> ExampleDetail:
    """One example by id or its prefix."""
    entry = example_review.get(library, number)
    taken = entry.taken if show_private else None
    return ExampleDetail(entry.row.id, entry.example, taken)


def approve(
    library: Library,
    numbers: Sequence[str],
    by: str,
    reason: str = "",
    outcome: str = "",
) -> DecidedExamples:
    """Approve examples by id; with an outcome, the reviewer vouches for that too."""
    decision = Decision("approved", reviewer(library, by), reason, outcome)
    decided = example_review.decide(library, numbers, decision)
    return DecidedExamples(decision.status, tuple(decided))


def approve_verified(library: Library, by: str, reason: str = "") -> DecidedExamples:
    """Approve all pending examples that a test or verifier proved."""
    reason = reason or "proven by a test or a verifier"
    decision = Decision("approved", reviewer(library, by), reason)
    decided, withheld = example_review.approve_verified(library, decision)
    return DecidedExamples(decision.status, tuple(decided), tuple(withheld))


def reject(
    library: Library, numbers: Sequence[str], by: str, reason: str
) -> DecidedExamples:
    """Reject examples by id: nothing is learned from them."""
    decision = Decision("rejected", reviewer(library, by), reason)
    decided = example_review.decide(library, numbers, decision)
    return DecidedExamples(decision.status, tuple(decided))


def reviewer(library: Library, by: str = "") -> str:
    """The reviewer's name without the address, as it is written into evidence."""
    name = by or library.repository().start_identity().wait().name
    return identity.parts(name)[0]
