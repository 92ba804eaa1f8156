"""How something ended, and what says so."""

from enum import StrEnum
from typing import NamedTuple


class OutcomeStatus(StrEnum):
    """How an episode ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


class OutcomeSource(StrEnum):
    """What says how an episode ended; the last two prove nothing."""

    TEST = "test"
    VERIFIER = "verifier"
    HUMAN = "human"
    LLM = "llm"
    NONE = "none"


class Outcome(NamedTuple):
    """The outcome of an episode, and what or who verified it."""

    status: OutcomeStatus = OutcomeStatus.UNKNOWN
    source: OutcomeSource = OutcomeSource.NONE
    by: str = ""

    @property
    def is_verified(self) -> bool:
        """Whether more than a model says so; nothing else counts as evidence."""
        is_proven = self.source not in (OutcomeSource.LLM, OutcomeSource.NONE)
        return is_proven and self.status is not OutcomeStatus.UNKNOWN
