"""Trials as data."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from skillforge.model import Trial
from skillforge.report import printable


def trials(found: Iterable[Trial]) -> list[dict[str, Any]]:
    """Each trial with its texts, its line and its duration."""
    return [
        {
            **_texts(trial),
            "seconds": round(trial.seconds, 4),
            "line": trial.line,
        }
        for trial in found
    ]


def _texts(trial: Trial) -> dict[str, str]:
    return {
        key: printable_lines(value)
        for key, value in asdict(trial).items()
        if isinstance(value, str)
    }


def printable_lines(text: str) -> str:
    """Text that any terminal takes, with its line breaks."""
    return "\n".join(printable(line) for line in text.split("\n"))
