"""Two versions of a skill side by side, and what uses say of them."""

from dataclasses import dataclass
from enum import StrEnum


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


class RolloutVerdict(StrEnum):
    """What a rollout's votes say; a person decides where they say nothing."""

    CONTINUE = "continue"
    PROMOTE = "promote"
    ROLL_BACK = "roll-back"
    INCONCLUSIVE = "inconclusive"
