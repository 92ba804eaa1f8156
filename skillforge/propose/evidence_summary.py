"""What a proposal's examples tell a reviewer."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from skillforge.library import Library
from skillforge.text import shortened


class ExampleSummary(NamedTuple):
    """One example: its task and outcome, who verified it, who approved it."""

    id: str
    task: str
    outcome: str
    verified_by: str
    reviewed_by: str


def summaries(
    library: Library, commit: str, skill: str, ids: Sequence[str]
) -> tuple[ExampleSummary, ...]:
    """The examples that a proposal names, as they are at a commit."""
    evidence = library.evidence_at(commit, skill) if ids else {}
    return tuple(ExampleSummary(i, *_fields(evidence.get(i))) for i in ids)


def _fields(data: bytes | None) -> list[str]:
    try:
        example = json.loads(data or b"")
    except (ValueError, RecursionError):
        example = None
    if not isinstance(example, dict):
        return ["missing, or not JSON", "", "", ""]
    outcome, review = example.get("outcome"), example.get("review")
    outcome = outcome if isinstance(outcome, dict) else {"status": outcome}
    review = review if isinstance(review, dict) else {"by": review}
    return [
        _text(example.get("task")),
        _text(outcome.get("status") or example.get("status")),
        _text(outcome.get("verified_by") or example.get("verified_by")),
        _text(review.get("by") or example.get("reviewer")),
    ]


def _text(value: Any) -> str:
    """Any JSON value as text of bounded length."""
    return shortened("" if value is None else str(value), 160)
