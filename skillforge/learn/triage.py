"""What of an episode is kept: redact it, judge it, and see whether it is enough."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from skillforge.learn import scoring
from skillforge.model import Example, Outcome, OutcomeSource, OutcomeStatus, Review
from skillforge.redact import KnownPrivate
from skillforge.store import ExampleRow

PLAIN = "plain"
_MOST_BYTES = 600_000  # of steps; evidence of more than a megabyte is refused


class RawEpisode(NamedTuple):
    """An episode as it was read, and what its digest is."""

    example: Example
    raw: str


class CaptureClaim(NamedTuple):
    """Who stands for what is captured, and how it ended if that is not told."""

    by: str = ""
    outcome: str = ""


class PreparedEpisode(NamedTuple):
    """An episode that was redacted and judged, and what was taken from it."""

    example: Example
    taken: dict[str, str]


def row_of(example: Example, taken: dict[str, str], origin: str = "") -> ExampleRow:
    said = json.dumps(example.record, ensure_ascii=False)
    return ExampleRow(example.id, example.raw, origin, said, json.dumps(taken))


def prepared(
    known: KnownPrivate, word: CaptureClaim, raws: Sequence[RawEpisode]
) -> list[PreparedEpisode]:
    """Redact and judge; in several processes at once."""
    return [_ready(it, known, word) for it in raws]


def _ready(it: RawEpisode, known: KnownPrivate, word: CaptureClaim) -> PreparedEpisode:
    whole = replace(_fitting(it.example), raw=it.raw)
    if not whole.session and whole.format != PLAIN:
        whole = replace(whole, session=scoring.digest_of(it.raw))  # a talk is a session
    example, taken = scoring.redact(whole, known)
    claimed = example.outcome
    if example.format == PLAIN:
        # What a file says of itself proves nothing.
        example = replace(example, outcome=Outcome(), review=Review())
    if example.format == PLAIN and word.by:
        example = reviewed(replace(example, outcome=claimed), word.by)
    else:
        example = _as_seen(example, word)
    return PreparedEpisode(scoring.judged(example, known), taken)


def _as_seen(example: Example, word: CaptureClaim) -> Example:
    """An example that ended as somebody saw it; what was proven stands."""
    if not (word.by and word.outcome) or example.outcome.is_verified:
        return example
    seen = Outcome(OutcomeStatus(word.outcome), OutcomeSource.NONE)
    return reviewed(replace(example, outcome=seen), word.by)


def reviewed(example: Example, reviewer: str) -> Example:
    """An example that somebody stands for; what a model judged stays that."""
    status, source, _by = example.outcome
    status = OutcomeStatus.SUCCESS if status is OutcomeStatus.UNKNOWN else status
    source = source if source is OutcomeSource.LLM else OutcomeSource.HUMAN
    example = scoring.verified(example, status, source, reviewer)
    return replace(
        example, review=Review("approved", reviewer, now(), "given as reviewed")
    )


def updated(example: Example, said: Example, word: CaptureClaim) -> Example:
    """An example that is there, with what is new about it; itself, if nothing is."""
    if example.review.status != "pending":
        return example
    if example.format == PLAIN:
        claimed = replace(example, outcome=said.outcome)
        return reviewed(claimed, word.by) if word.by else example
    if said.outcome.is_verified and not example.outcome.is_verified:
        return scoring.verified(example, *said.outcome)
    return _as_seen(example, word)


def too_little(example: Example) -> str:
    """Why an example is not kept; empty if it is."""
    if example.review.status == "approved":
        return ""
    if not scoring.is_long_enough(example):
        return "too short"
    if example.outcome.is_verified and example.outcome.status is OutcomeStatus.FAILURE:
        return ""
    return "" if example.worth.is_enough else "learning value below 0.6"


def _fitting(example: Example) -> Example:
    """An example that fits into a file of evidence: without steps in its middle."""
    steps = list(example.steps)
    sizes = [len(json.dumps(step.record)) for step in steps]
    left_out = 0
    while sum(sizes) > _MOST_BYTES and len(steps) > 2:
        middle = len(steps) // 2
        del steps[middle], sizes[middle]
        left_out += 1
    return replace(example, steps=tuple(steps), left_out=example.left_out + left_out)


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
