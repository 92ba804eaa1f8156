"""What the examples behind a proposal tell a reviewer, as far as they do."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from skillforge.library import Library
from skillforge.text import shortened


class ExampleSummary(NamedTuple):
    """One example: what was asked, how it ended, who says so, who approved it."""

    id: str
    task: str
    outcome: str
    verified_by: str
    reviewed_by: str


def told(
    library: Library, commit: str, skill: str, ids: Sequence[str]
) -> list[ExampleSummary]:
    """The examples that a proposal names, as they are at a commit."""
    found = library.evidence_at(commit, skill) if ids else {}
    return [ExampleSummary(number, *_of(found.get(number))) for number in ids]


def _of(data: bytes | None) -> list[str]:
    try:
        about = json.loads(data or b"")
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        return ["it is not there, or no JSON", "", "", ""]
    outcome = about.get("outcome")
    ended = outcome if isinstance(outcome, dict) else {"status": outcome}
    review = about.get("review")
    reviewed = review if isinstance(review, dict) else {"by": review}
    return [
        as_text(about.get("task")),
        as_text(ended.get("status") or about.get("status")),
        as_text(ended.get("verified_by") or about.get("verified_by")),
        as_text(reviewed.get("by") or about.get("reviewer")),
    ]


def as_text(value: Any, most: int = 160) -> str:
    """Any JSON value as text of bounded length."""
    return shortened("" if value is None else str(value), most)
