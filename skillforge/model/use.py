"""What happens to a skill after its promotion: uses, and two versions side by side."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from skillforge.model.example import Ended, Result, Source


class Arm(StrEnum):
    """Which of two versions somebody gets."""

    STABLE = "stable"
    CANARY = "canary"


@dataclass(frozen=True, slots=True)
class Use:
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
    outcome: Ended = Ended.UNKNOWN
    source: Source = Source.NONE
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
    def result(self) -> Result:
        return Result(self.outcome, self.source)


class RolloutState(StrEnum):
    """How far a rollout is; only a running one has a canary arm."""

    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"  # everybody has the new version
    CLOSED = "closed"  # nobody has it; a rollback is on its way, or a person decides


@dataclass(frozen=True, slots=True)
class Rollout:
    """Two versions of a skill side by side: the new one on main, and the one before.

    `stable` and `canary` are trees; without a stable one, the other arm has no skill.
    """

    skill: str
    id: str
    stable: str
    canary: str
    share: float  # percent of keys that get the canary
    started: int
    state: RolloutState = RolloutState.RUNNING
    merge: str = ""  # the commit that brought the canary to main
    proposal: int | None = None
    why: str = ""  # of its state
    rollback: int | None = None  # the proposal that takes the canary back

    @property
    def is_running(self) -> bool:
        return self.state is RolloutState.RUNNING


class Assigned(NamedTuple):
    """The version of a skill that a key gets; no version means no skill."""

    skill: str
    version: str
    arm: Arm = Arm.STABLE
    rollout: str = ""
    share: float = 0.0


class Judged(StrEnum):
    """What a rollout's votes say; a person decides where they say nothing."""

    CONTINUE = "continue"
    PROMOTE = "promote"
    ROLL_BACK = "roll-back"
    INCONCLUSIVE = "inconclusive"
