"""What the uses of two versions say of the new one, and what follows from it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from skillforge.gitrepo.ref_update import Signature
from skillforge.library import Library
from skillforge.model import Arm, OutcomeStatus, Rollout, RolloutState, RolloutVerdict
from skillforge.model.time_units import DAY
from skillforge.operate import rollouts, sequential_test
from skillforge.operate.intervals import wilson
from skillforge.operate.sequential_test import Ballot
from skillforge.policy import CanaryPolicy
from skillforge.report import plural
from skillforge.store import Uses, Votes


class ArmOutcomes(NamedTuple):
    """The keys of one arm that were heard of, by their first outcome."""

    successes: int = 0
    failures: int = 0

    @property
    def keys(self) -> int:
        return self.successes + self.failures

    @property
    def rate(self) -> float | None:
        return self.successes / self.keys if self.keys else None

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.successes, self.keys)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on a rollout with the numbers behind it.

    Each wealth is what 1 became by betting on its claim; `threshold` is what convinces.
    """

    rollout: Rollout
    verdict: RolloutVerdict
    why: str
    stable: ArmOutcomes
    canary: ArmOutcomes
    worse: float
    better: float
    no_worse: float
    threshold: float

    @property
    def is_closed(self) -> bool:
        """Whether main still holds what nobody is to get."""
        return self.rollout.state is RolloutState.CLOSED


def judge(
    rollout: Rollout, votes: Iterable[Votes], rule: CanaryPolicy, now: int
) -> Judgement:
    """Decide by what was heard so far; may be asked after every use."""
    cast = list(votes)
    stable, canary = _heard(cast, Arm.STABLE), _heard(cast, Arm.CANARY)
    ballots = _ballots(cast)
    drafted = Judgement(
        rollout,
        RolloutVerdict.CONTINUE,
        "",
        stable,
        canary,
        sequential_test.worse(ballots),
        sequential_test.better(ballots),
        sequential_test.no_worse(ballots, rule.margin),
        1 / rule.alpha,
    )
    verdict, why = _verdict(drafted, rule, (now - rollout.started) / DAY)
    return replace(drafted, verdict=verdict, why=why)


def _verdict(
    so_far: Judgement, rule: CanaryPolicy, days: float
) -> tuple[RolloutVerdict, str]:
    """A version that is worse is one however old its rollout; a good one may wait."""
    enough, heard = so_far.threshold, so_far.canary.keys
    if heard >= rule.least and so_far.worse >= enough:
        return RolloutVerdict.ROLL_BACK, f"it fails more often: {_compared(so_far)}"
    if days > rule.days:
        why = f"no verdict after {rule.days:g} days, with {plural(heard, 'canary key')}"
        return RolloutVerdict.INCONCLUSIVE, f"{why}: a person decides"
    if heard < rule.least:
        return (
            RolloutVerdict.CONTINUE,
            f"{heard} of {rule.least} canary keys were heard of",
        )
    if so_far.better >= enough:
        return RolloutVerdict.PROMOTE, f"it fails less often: {_compared(so_far)}"
    if so_far.rollout.stable and so_far.no_worse >= enough:
        why = f"it fails less than {rule.margin:g} times as often: {_compared(so_far)}"
        return RolloutVerdict.PROMOTE, why
    return RolloutVerdict.CONTINUE, f"nothing is shown yet: {_compared(so_far)}"


def _compared(so_far: Judgement) -> str:
    new, old = so_far.canary, so_far.stable
    other = "before" if so_far.rollout.stable else "without it"
    return (
        f"{new.failures} of {plural(new.keys, 'key')} failed with it, "
        f"{old.failures} of {old.keys} {other}"
    )


def _heard(votes: Iterable[Votes], arm: Arm) -> ArmOutcomes:
    mine = [vote for vote in votes if vote.arm == arm]
    good = sum(vote.voices for vote in mine if vote.outcome == OutcomeStatus.SUCCESS)
    return ArmOutcomes(good, sum(vote.voices for vote in mine) - good)


def _ballots(votes: Iterable[Votes]) -> list[Ballot]:
    """Votes by the share that was in force when their keys were assigned."""
    by_share: dict[float, list[Votes]] = {}
    for vote in votes:
        by_share.setdefault(vote.share, []).append(vote)
    return [
        Ballot(share / 100, *_heard(some, Arm.STABLE), *_heard(some, Arm.CANARY))
        for share, some in sorted(by_share.items())
        if 0 < share < 100
    ]


def look(library: Library, skill: str, by: Signature) -> Judgement | None:
    """Judge the rollout of a skill, and close or finish it where that is called for.

    From the moment this has closed a canary, no key gets it. None where main's version
    has no rollout.
    """
    rollout = rollouts.current(library, skill)
    if rollout is None:
        return None
    rule = library.policy(library.tip).canary
    votes = Uses.of(library.repository().common_dir).votes(rollout.id)
    judged = judge(rollout, votes, rule, by.seconds)
    states = {
        RolloutVerdict.ROLL_BACK: RolloutState.CLOSED,
        RolloutVerdict.PROMOTE: RolloutState.FINISHED,
    }
    state = states.get(judged.verdict)
    is_open = rollout.state in (RolloutState.RUNNING, RolloutState.PAUSED)
    if state is None or not is_open:
        return judged

    def decide(now: Rollout) -> Rollout:
        if now.id != rollout.id or now.state is not rollout.state:
            return now  # somebody decided meanwhile
        return replace(now, state=state, why=judged.why)

    decided = rollouts.change(library, skill, by, str(state), decide)
    return replace(judged, rollout=decided)
