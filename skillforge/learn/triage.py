"""Decide which episodes are kept: redact, score, and apply the thresholds."""

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
    """An episode as it was read, and its digest."""

    example: Example
    raw: str


class Attestation(NamedTuple):
    """Who vouches for the captured episodes, and the outcome they observed."""

    by: str = ""
    outcome: str = ""


class PreparedEpisode(NamedTuple):
    """A redacted and scored episode, and the values that redaction removed."""

    example: Example
    taken: dict[str, str]


def example_row(episode: PreparedEpisode, origin: str = "") -> ExampleRow:
    example = episode.example
    taken = json.dumps(episode.taken)
    return ExampleRow(example.id, example.raw, origin, example_json(example), taken)


def example_json(example: Example) -> str:
    return json.dumps(example.record, ensure_ascii=False)


def prepare(
    known: KnownPrivate, attestation: Attestation, episodes: Sequence[RawEpisode]
) -> list[PreparedEpisode]:
    """Redact and score; can run in several processes."""
    return [_prepared(episode, known, attestation) for episode in episodes]


def _prepared(
    episode: RawEpisode, known: KnownPrivate, attestation: Attestation
) -> PreparedEpisode:
    whole = replace(_within_limit(episode.example), raw=episode.raw)
    if not whole.session and whole.format != PLAIN:
        # A conversation without an id is a session of its own.
        whole = replace(whole, session=scoring.digest_of(episode.raw))
    example, taken = scoring.redact(whole, known)
    claimed = example.outcome
    if example.format == PLAIN:
        # What a file claims about its own outcome proves nothing.
        example = replace(example, outcome=Outcome(), review=Review())
    if example.format == PLAIN and attestation.by:
        example = approve_as(replace(example, outcome=claimed), attestation.by)
    else:
        example = _with_attested_outcome(example, attestation)
    return PreparedEpisode(scoring.score(example, known), taken)


def _with_attested_outcome(example: Example, attestation: Attestation) -> Example:
    """The example, approved with the attested outcome unless it has a verified one."""
    if not (attestation.by and attestation.outcome) or example.outcome.is_verified:
        return example
    outcome = Outcome(OutcomeStatus(attestation.outcome), OutcomeSource.NONE)
    return approve_as(replace(example, outcome=outcome), attestation.by)


def approve_as(example: Example, reviewer: str) -> Example:
    """An example that a reviewer vouches for; a model's verdict stays a model's."""
    status, source, _by = example.outcome
    status = OutcomeStatus.SUCCESS if status is OutcomeStatus.UNKNOWN else status
    source = source if source is OutcomeSource.LLM else OutcomeSource.HUMAN
    example = scoring.with_outcome(example, status, source, reviewer)
    return replace(
        example, review=Review("approved", reviewer, now(), "given as reviewed")
    )


def update(example: Example, fresh: Example, attestation: Attestation) -> Example:
    """A stored example with new facts from the transcript; itself if there are none."""
    if example.review.status != "pending":
        return example
    if example.format == PLAIN:
        claimed = replace(example, outcome=fresh.outcome)
        return approve_as(claimed, attestation.by) if attestation.by else example
    if fresh.outcome.is_verified and not example.outcome.is_verified:
        return scoring.with_outcome(example, *fresh.outcome)
    return _with_attested_outcome(example, attestation)


def skip_reason(example: Example) -> str:
    """Why an example is not kept; empty if it is."""
    if example.review.status == "approved":
        return ""
    if not scoring.is_long_enough(example):
        return "too short"
    if example.outcome.is_verified and example.outcome.status is OutcomeStatus.FAILURE:
        return ""
    return "" if example.worth.is_enough else "learning value below 0.6"


def _within_limit(example: Example) -> Example:
    """An example that fits into an evidence file: without steps in its middle."""
    steps = list(example.steps)
    sizes = [len(json.dumps(step.record)) for step in steps]
    omitted = 0
    while sum(sizes) > _MOST_BYTES and len(steps) > 2:
        middle = len(steps) // 2
        del steps[middle], sizes[middle]
        omitted += 1
    return replace(example, steps=tuple(steps), left_out=example.left_out + omitted)


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
