"""How an episode or a use ended, and how that is known."""

from enum import StrEnum
from typing import NamedTuple


class OutcomeStatus(StrEnum):
    """How an episode ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


class OutcomeSource(StrEnum):
    """How the outcome is known; the last two prove nothing."""

    TEST = "test"
    VERIFIER = "verifier"
    HUMAN = "human"
    LLM = "llm"
    NONE = "none"


class Outcome(NamedTuple):
    """The outcome of an episode, and who or what verified it."""

    status: OutcomeStatus = OutcomeStatus.UNKNOWN
    source: OutcomeSource = OutcomeSource.NONE
    by: str = ""

    @property
    def is_verified(self) -> bool:
        """Whether it is known from more than a model, as evidence has to be."""
        is_proven = self.source not in (OutcomeSource.LLM, OutcomeSource.NONE)
        return is_proven and self.status is not OutcomeStatus.UNKNOWN
