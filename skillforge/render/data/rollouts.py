"""Rollouts and the judgements on them as the `data` of `--json`."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from skillforge.model import Rollout
    from skillforge.operate.canary import ArmOutcomes, Judgement
    from skillforge.workflows.canary import CanaryStatus


class SharesData(TypedDict):
    """The percentage of keys in each arm."""

    canary: float
    stable: float


class RolloutData(TypedDict):
    """A rollout: two versions of a skill, by tree."""

    skill: str
    rollout: str
    state: str
    shares: SharesData
    stable: str | None
    canary: str
    started: int
    proposal: int | None
    rollback: int | None
    decided: str


class ArmData(TypedDict):
    """The keys of one arm, by their first verified outcome."""

    keys: int
    successes: int
    failures: int
    success_rate: float | None
    interval: list[float]


class EvidenceData(TypedDict):
    """The sequential test: its three bets, and what they bet on."""

    threshold: float
    worse: float
    better: float
    no_worse: float
    stable: ArmData
    canary: ArmData


class JudgementData(RolloutData):
    """A rollout with its verdict and the numbers behind it."""

    verdict: str
    why: str
    evidence: EvidenceData


class RolloutListData(TypedDict):
    """All rollouts, and the records that can't be read."""

    rollouts: list[JudgementData]
    problems: list[str]


class RolloutStatusData(JudgementData, RolloutListData):
    """The rollout of one skill."""


class NoRolloutData(TypedDict):
    """A skill without a rollout: every key gets `version`."""

    skill: str
    state: None
    verdict: None
    version: str
    rollouts: list[JudgementData]


def rollout(rollout: "Rollout") -> RolloutData:
    return {
        "skill": rollout.skill,
        "rollout": rollout.id,
        "state": rollout.state,
        "shares": {"canary": rollout.share, "stable": round(100 - rollout.share, 6)},
        "stable": rollout.stable or None,
        "canary": rollout.canary,
        "started": rollout.started,
        "proposal": rollout.proposal,
        "rollback": rollout.rollback,
        "decided": rollout.why,
    }


def judgement(judgement: "Judgement") -> JudgementData:
    return {
        **rollout(judgement.rollout),
        "verdict": judgement.verdict,
        "why": judgement.why,
        "evidence": {
            "threshold": round(judgement.threshold, 4),
            "worse": _significant(judgement.worse),
            "better": _significant(judgement.better),
            "no_worse": _significant(judgement.no_worse),
            "stable": _arm(judgement.stable),
            "canary": _arm(judgement.canary),
        },
    }


def _significant(number: float) -> float:
    """A number with four significant digits."""
    return float(f"{number:.4g}")


def _arm(outcomes: "ArmOutcomes") -> ArmData:
    rate = outcomes.rate
    return {
        "keys": outcomes.keys,
        "successes": outcomes.successes,
        "failures": outcomes.failures,
        "success_rate": None if rate is None else round(rate, 4),
        "interval": [round(bound, 4) for bound in outcomes.interval],
    }


def status(
    status: "CanaryStatus",
) -> RolloutStatusData | RolloutListData | NoRolloutData:
    """All rollouts; where one skill was asked for, its own keys as well."""
    rows = [judgement(check.judgement) for check in status.checks]
    listed: RolloutListData = {"rollouts": rows, "problems": list(status.problems)}
    if not status.skill:
        return listed
    if rows:
        return {**rows[0], **listed}
    return {
        "skill": status.skill,
        "state": None,
        "verdict": None,
        "version": status.version,
        "rollouts": [],
    }
