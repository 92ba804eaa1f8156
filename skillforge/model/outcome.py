"""How something ended, and what says so."""

from enum import StrEnum
from typing import NamedTuple


class Ended(StrEnum):
    """How an episode ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


class Source(StrEnum):
    """What says how an episode ended; the last two prove nothing."""

    TEST = "test"
    VERIFIER = "verifier"
    HUMAN = "human"
    LLM = "llm"
    NONE = "none"


class Result(NamedTuple):
    """The outcome of an episode, and what or who verified it."""

    status: Ended = Ended.UNKNOWN
    source: Source = Source.NONE
    by: str = ""

    @property
    def is_verified(self) -> bool:
        """Whether more than a model says so; nothing else counts as evidence."""
        is_proven = self.source not in (Source.LLM, Source.NONE)
        return is_proven and self.status is not Ended.UNKNOWN
