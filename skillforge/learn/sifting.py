"""What of an episode is kept: redact it, judge it, and see whether it is enough."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from skillforge.learn import worth
from skillforge.model import Ended, Example, Review, Source
from skillforge.redact import Known
from skillforge.store import Row

PLAIN = "plain"


class Raw(NamedTuple):
    """An episode as it was read, and what its digest is."""

    example: Example
    raw: str


class Ready(NamedTuple):
    """An episode that was redacted and judged, and what was taken from it."""

    example: Example
    taken: dict[str, str]


def row_of(example: Example, taken: dict[str, str], origin: str = "") -> Row:
    said = json.dumps(example.said, ensure_ascii=False)
    return Row(example.id, example.raw, origin, said, json.dumps(taken))


def prepared(known: Known, reviewer: str, raws: Sequence[Raw]) -> list[Ready]:
    """Redact and judge; in several processes at once."""
    return [_ready(it, known, reviewer) for it in raws]


def _ready(it: Raw, known: Known, reviewer: str) -> Ready:
    example, taken = worth.redact(replace(it.example, raw=it.raw), known)
    claimed = example.outcome
    if example.format == PLAIN:
        # What a file says of itself proves nothing.
        example = replace(example, outcome=type(claimed)())
    if example.format == PLAIN and reviewer:
        example = reviewed(replace(example, outcome=claimed), reviewer)
    return Ready(worth.judged(example, known), taken)


def reviewed(example: Example, reviewer: str) -> Example:
    """A plain example that somebody stands for; what a model judged stays that."""
    status, source, _by = example.outcome
    status = Ended.SUCCESS if status is Ended.UNKNOWN else status
    source = source if source is Source.LLM else Source.HUMAN
    example = worth.verified(example, status, source, reviewer)
    return replace(
        example, review=Review("approved", reviewer, now(), "given as reviewed")
    )


def too_little(example: Example) -> str:
    """Why an example is not kept; empty if it is."""
    if example.review.status == "approved":
        return ""
    if not worth.is_long_enough(example):
        return "too short"
    if example.outcome.is_verified and example.outcome.status is Ended.FAILURE:
        return ""
    return "" if example.worth.is_enough else "learning value below 0.6"


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
