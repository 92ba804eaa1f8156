"""Trials as the `data` of `--json`."""

from collections.abc import Iterable
from typing import TypedDict

from skillforge.model import Trial
from skillforge.report import printable


class TrialData(TypedDict):
    """One run of a case; `path` and `line` locate the case."""

    skill: str
    case: str
    outcome: str
    detail: str
    path: str
    seconds: float
    line: int
    known: bool


def trials(results: Iterable[Trial]) -> list[TrialData]:
    return [_trial(trial) for trial in results]


def _trial(trial: Trial) -> TrialData:
    return {
        "skill": printable_lines(trial.skill),
        "case": printable_lines(trial.case),
        "outcome": trial.outcome.value,
        "detail": printable_lines(trial.detail),
        "path": printable_lines(trial.path),
        "seconds": round(trial.seconds, 4),
        "line": trial.line,
        "known": trial.known,
    }


def printable_lines(text: str) -> str:
    """Text that any terminal takes, with its line breaks."""
    return "\n".join(printable(line) for line in text.split("\n"))
