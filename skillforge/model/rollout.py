"""Two versions of a skill side by side, and the verdict on them."""

from dataclasses import dataclass
from enum import StrEnum


class RolloutState(StrEnum):
    """The state of a rollout; only a running one has a canary arm."""

    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"  # all keys get the new version
    CLOSED = "closed"  # no key gets it; a rollback is proposed, or a person decides


@dataclass(frozen=True, slots=True)
class Rollout:
    """The new version of a skill on main beside the previous one.

    `stable` and `canary` are trees; for a new skill, `stable` is empty and that arm
    has no skill.
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
    rollback: int | None = None  # the proposal that reverts the canary

    @property
    def is_running(self) -> bool:
        return self.state is RolloutState.RUNNING


class RolloutVerdict(StrEnum):
    """The decision that a rollout's votes support; a person decides the rest."""

    CONTINUE = "continue"
    PROMOTE = "promote"
    ROLL_BACK = "roll-back"
    INCONCLUSIVE = "inconclusive"
