"""Uses of promoted skills, and the version that each key gets."""

from enum import StrEnum
from typing import NamedTuple

from skillforge.model.outcome import Outcome, OutcomeSource, OutcomeStatus


class Arm(StrEnum):
    """Which of the two versions of a rollout a key gets."""

    STABLE = "stable"
    CANARY = "canary"


class Use(NamedTuple):
    """One reported use of a skill version and its outcome.

    `voice` is the pseudonym of the key that it was used with. `version` is a tree, or
    empty if the key got no skill. `share` is the percentage of keys that got the
    canary at that time.
    """

    id: str  # of the report: it counts once, however often it arrives
    skill: str
    version: str
    voice: str
    at: int  # seconds since 1970
    outcome: OutcomeStatus = OutcomeStatus.UNKNOWN
    source: OutcomeSource = OutcomeSource.NONE
    arm: Arm = Arm.STABLE
    rollout: str = ""
    share: float = 0.0
    is_loaded: bool = True  # False for a skill that was offered and not used
    is_vote: bool = False  # whether it counts for or against its rollout
    seconds: float | None = None
    tokens: int | None = None
    note: str = ""
    pitfall: str = ""
    node: str = ""  # the clone that received the report; empty for this one

    @property
    def result(self) -> Outcome:
        return Outcome(self.outcome, self.source)


class Assignment(NamedTuple):
    """The version of a skill that a key gets; no version means no skill."""

    skill: str
    version: str
    arm: Arm = Arm.STABLE
    rollout: str = ""
    share: float = 0.0
