"""The results of the test cases that a skill ships."""

from dataclasses import dataclass
from enum import StrEnum


class TrialOutcome(StrEnum):
    """How a trial ended."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    LIMIT = "limit"
    FLAKY = "flaky"
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True)
class Trial:
    """One sandboxed run of a case; `path` and `line` locate the case."""

    skill: str
    case: str
    outcome: TrialOutcome
    seconds: float = 0.0
    detail: str = ""
    path: str = ""
    line: int = 1
    is_alarm: bool = False  # it used a planted key, or tried to connect
    known: bool = False  # a failure that is in the library's baseline

    @property
    def ok(self) -> bool:
        return self.outcome is TrialOutcome.PASSED
