"""Judge a rollout by recorded outcomes, and close or finish it."""

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
    """The keys of one arm, by their first verified outcome."""

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

    `worse`, `better` and `no_worse` are what a stake of 1 became by betting on that
    claim; a claim holds from `threshold` on.
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
        """Whether no key gets the canary, though it is on main."""
        return self.rollout.state is RolloutState.CLOSED


def judge(
    rollout: Rollout, votes: Iterable[Votes], rule: CanaryPolicy, now: int
) -> Judgement:
    """Judge a rollout by the votes so far; valid after every use."""
    cast = list(votes)
    ballots = _ballots(cast)
    judgement = Judgement(
        rollout,
        RolloutVerdict.CONTINUE,
        "",
        _outcomes(cast, Arm.STABLE),
        _outcomes(cast, Arm.CANARY),
        sequential_test.worse(ballots),
        sequential_test.better(ballots),
        sequential_test.no_worse(ballots, rule.margin),
        1 / rule.alpha,
    )
    verdict, why = _verdict(judgement, rule, (now - rollout.started) / DAY)
    return replace(judgement, verdict=verdict, why=why)


def _verdict(
    so_far: Judgement, rule: CanaryPolicy, days: float
) -> tuple[RolloutVerdict, str]:
    """The verdict and its reason; past the deadline only `roll-back` is possible."""
    threshold, keys = so_far.threshold, so_far.canary.keys
    compared = _comparison(so_far)
    if keys >= rule.least and so_far.worse >= threshold:
        return RolloutVerdict.ROLL_BACK, f"fails more often: {compared}"
    if days > rule.days:
        why = f"no verdict after {rule.days:g} days, with {plural(keys, 'canary key')}"
        return RolloutVerdict.INCONCLUSIVE, f"{why}: needs a human decision"
    if keys < rule.least:
        why = f"{keys} of {rule.least} canary keys reported so far"
        return RolloutVerdict.CONTINUE, why
    if so_far.better >= threshold:
        return RolloutVerdict.PROMOTE, f"fails less often: {compared}"
    if so_far.rollout.stable and so_far.no_worse >= threshold:
        why = f"fails less than {rule.margin:g} times as often: {compared}"
        return RolloutVerdict.PROMOTE, why
    return RolloutVerdict.CONTINUE, f"no significant difference yet: {compared}"


def _comparison(so_far: Judgement) -> str:
    new, old = so_far.canary, so_far.stable
    other = "the stable version" if so_far.rollout.stable else "no skill"
    return (
        f"{new.failures} of {plural(new.keys, 'key')} failed with it, "
        f"{old.failures} of {old.keys} with {other}"
    )


def _outcomes(votes: Iterable[Votes], arm: Arm) -> ArmOutcomes:
    mine = [vote for vote in votes if vote.arm == arm]
    good = sum(vote.voices for vote in mine if vote.outcome == OutcomeStatus.SUCCESS)
    return ArmOutcomes(good, sum(vote.voices for vote in mine) - good)


def _ballots(votes: Iterable[Votes]) -> list[Ballot]:
    """Votes by the share in force when their keys were assigned."""
    by_share: dict[float, list[Votes]] = {}
    for vote in votes:
        by_share.setdefault(vote.share, []).append(vote)
    return [
        Ballot(share / 100, *_outcomes(cast, Arm.STABLE), *_outcomes(cast, Arm.CANARY))
        for share, cast in sorted(by_share.items())
        if 0 < share < 100
    ]


def decide(library: Library, skill: str, by: Signature) -> Judgement | None:
    """Judge the rollout of a skill; close or finish it if the verdict says so.

    Once a canary is closed, no key gets it. None if main's version has no rollout.
    """
    rollout = rollouts.current(library, skill)
    if rollout is None:
        return None
    rule = library.policy(library.tip).canary
    votes = Uses.of(library.repository().common_dir).votes(rollout.id)
    judgement = judge(rollout, votes, rule, by.seconds)
    states = {
        RolloutVerdict.ROLL_BACK: RolloutState.CLOSED,
        RolloutVerdict.PROMOTE: RolloutState.FINISHED,
    }
    state = states.get(judgement.verdict)
    is_open = rollout.state in (RolloutState.RUNNING, RolloutState.PAUSED)
    if state is None or not is_open:
        return judgement

    def decided(now: Rollout) -> Rollout:
        if now.id != rollout.id or now.state is not rollout.state:
            return now  # another process decided first
        return replace(now, state=state, why=judgement.why)

    changed = rollouts.change(library, skill, by, str(state), decided)
    return replace(judgement, rollout=changed)
