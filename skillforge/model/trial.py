"""What a skill ships to prove itself, and how that went."""

from dataclasses import dataclass
from enum import StrEnum


class TrialOutcome(StrEnum):
    """How a trial ended; only one of them is good."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    LIMIT = "limit"
    FLAKY = "flaky"
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True)
class Trial:
    """One sandboxed run of a case; `path` and `line` say where the case stands."""

    skill: str
    case: str
    outcome: TrialOutcome
    seconds: float = 0.0
    detail: str = ""
    path: str = ""
    line: int = 1
    is_alarm: bool = False  # it touched what was planted for thieves, or reached out

    @property
    def ok(self) -> bool:
        return self.outcome is TrialOutcome.PASSED
