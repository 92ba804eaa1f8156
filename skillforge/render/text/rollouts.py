"""Rollouts and the judgements on them as text."""

from typing import TYPE_CHECKING

from skillforge.model import RolloutState, RolloutVerdict
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillforge.model import Rollout
    from skillforge.operate.canary import ArmOutcomes, Judgement
    from skillforge.workflows.canary import CanaryCheck, CanaryStatus


def judgement(judgement: "Judgement") -> str:
    """The state of a rollout, its verdict and the evidence."""
    rollout = judgement.rollout
    lines = [f"{rollout.skill}: {rollout.state}: {_assignment(rollout)}"]
    if rollout.is_running or judgement.verdict is not RolloutVerdict.CONTINUE:
        lines.append(f"    {judgement.verdict}: {judgement.why}")
    lines += [
        f"    canary: {_outcomes(judgement.canary)}; "
        f"stable: {_outcomes(judgement.stable)}",
        f"    evidence: worse {judgement.worse:.3g}, better {judgement.better:.3g}, "
        f"no worse {judgement.no_worse:.3g} (threshold {judgement.threshold:g})",
    ]
    if rollout.rollback:
        number = rollout.rollback
        lines.append(f"    rollback: proposal {number}; skillforge review {number}")
    return "\n".join(map(printable, lines))


def _assignment(rollout: "Rollout") -> str:
    """Which keys get which version."""
    canary, stable = rollout.canary[:12], rollout.stable[:12]
    if rollout.is_running:
        others = stable or "no skill"
        return f"{rollout.share:g}% of keys get {canary}, the others {others}"
    if rollout.state is RolloutState.FINISHED:
        return f"every key gets {canary}"
    return f"every key gets {stable}" if stable else f"no key gets {canary}"


def _outcomes(outcomes: "ArmOutcomes") -> str:
    if outcomes.rate is None:
        return "no verified outcomes"
    low, high = outcomes.interval
    keys = plural(outcomes.keys, "key")
    return f"{outcomes.rate:.0%} of {keys} succeeded ({low:.0%} to {high:.0%})"


def check(check: "CanaryCheck") -> str:
    """A judgement, and why its rollback couldn't be proposed."""
    problem = printable(check.problem)
    return "\n".join(filter(None, (judgement(check.judgement), problem)))


def verdicts(checks: "Iterable[CanaryCheck]") -> list[str]:
    """What `record` and `sync-uses` report: the rollouts that were decided."""
    lines = []
    for done in checks:
        if done.judgement.verdict is not RolloutVerdict.CONTINUE:
            lines.append(judgement(done.judgement))
        lines += [printable(done.problem)] if done.problem else []
    return lines


def status(status: "CanaryStatus") -> str:
    """All rollouts, or the one of a skill."""
    if status.skill and not status.checks:
        return f"{status.skill} has no rollout: every key gets {status.version[:12]}"
    lines = [judgement(check.judgement) for check in status.checks]
    problems = [check.problem for check in status.checks if check.problem]
    lines += map(printable, (*problems, *status.problems))
    return "\n".join(lines) or "no rollouts"


def rollback_reason(judgement: "Judgement") -> str:
    """Why a canary is rolled back, for the body of the proposal."""
    is_worse = judgement.verdict is RolloutVerdict.ROLL_BACK
    reason = judgement.why if is_worse else judgement.rollout.why
    lines = [
        f"The canary of {judgement.rollout.skill} was closed: {reason}.",
        "",
        f"Canary: {_outcomes(judgement.canary)}.",
        f"Stable: {_outcomes(judgement.stable)}.",
        f"Evidence that the canary is worse: {judgement.worse:.3g} "
        f"(threshold {judgement.threshold:g}; the test is valid at any time).",
    ]
    return "\n".join(lines)
