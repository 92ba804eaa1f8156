"""Uses of a skill after its promotion, and which version they are of."""

from enum import StrEnum
from typing import NamedTuple

from skillforge.model.outcome import Outcome, OutcomeSource, OutcomeStatus


class Arm(StrEnum):
    """Which of two versions somebody gets."""

    STABLE = "stable"
    CANARY = "canary"


class Use(NamedTuple):
    """One reported use of a skill version and its outcome.

    `voice` stands for the key that it was used with, and tells nobody the key. A
    `version` is a tree; it is empty where the key was given no skill. `share` is the
    percentage of keys that got the canary at that time.
    """

    id: str  # of the report: however often it arrives, it counts once
    skill: str
    version: str
    voice: str
    at: int  # seconds since 1970
    outcome: OutcomeStatus = OutcomeStatus.UNKNOWN
    source: OutcomeSource = OutcomeSource.NONE
    arm: Arm = Arm.STABLE
    rollout: str = ""
    share: float = 0.0
    is_loaded: bool = True  # False for one that was offered, and left alone
    is_vote: bool = False  # whether it speaks for or against its rollout
    seconds: float | None = None
    tokens: int | None = None
    note: str = ""
    pitfall: str = ""
    node: str = ""  # the clone that it was reported to; empty for this one

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
