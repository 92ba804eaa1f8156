"""What the Operate stage says of rollouts and statistics, to people and to scripts."""

from collections.abc import Mapping
from typing import Any

from skillforge.model import Rollout, RolloutState, RolloutVerdict
from skillforge.operate.canary import ArmOutcomes, Judgement
from skillforge.operate.refine import Refinement
from skillforge.operate.stats import SkillStats, sparkline
from skillforge.report import plural, printable

_STATES = {
    RolloutState.RUNNING: "is tried",
    RolloutState.PAUSED: "is paused: nobody gets the new version",
    RolloutState.FINISHED: "is finished: everybody gets the new version",
    RolloutState.CLOSED: "is closed: nobody gets the new version",
}


def rollout_data(rollout: Rollout) -> dict[str, Any]:
    """A rollout for scripts."""
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


def judgement_data(judged: Judgement) -> dict[str, Any]:
    """A judgement for scripts, with the numbers behind it."""
    return rollout_data(judged.rollout) | {
        "verdict": judged.verdict,
        "why": judged.why,
        "evidence": {
            "threshold": round(judged.threshold, 4),
            "worse": _short(judged.worse),
            "better": _short(judged.better),
            "no_worse": _short(judged.no_worse),
            "stable": _heard_data(judged.stable),
            "canary": _heard_data(judged.canary),
        },
    }


def _short(wealth: float) -> float:
    return float(f"{wealth:.4g}")


def _heard_data(heard: ArmOutcomes) -> dict[str, Any]:
    rate = heard.rate
    return {
        "keys": heard.keys,
        "successes": heard.successes,
        "failures": heard.failures,
        "success_rate": None if rate is None else round(rate, 4),
        "interval": [round(bound, 4) for bound in heard.interval],
    }


def judgement_text(judged: Judgement) -> str:
    """A judgement in a few lines."""
    rollout = judged.rollout
    state = _STATES[rollout.state]
    if rollout.is_running:
        state += f" by {rollout.share:g} % of keys"
    other = (
        f"; {rollout.stable[:12]} for the others" if rollout.stable else "; no skill"
    )
    if rollout.state is RolloutState.FINISHED:
        other = ""
    lines = [f"{rollout.skill}: {rollout.canary[:12]} {state}{other}"]
    if rollout.is_running or judged.verdict is not RolloutVerdict.CONTINUE:
        lines.append(f"    {judged.verdict}: {judged.why}")
    lines += [
        f"    canary {_heard_text(judged.canary)}; stable {_heard_text(judged.stable)}",
        f"    worse {judged.worse:.3g}, better {judged.better:.3g}, no worse "
        f"{judged.no_worse:.3g}; {judged.threshold:g} convinces",
    ]
    if rollout.rollback:
        lines.append(
            f"    proposal {rollout.rollback} takes it back: "
            f"skillforge review {rollout.rollback}"
        )
    return "\n".join(map(printable, lines))


def _heard_text(heard: ArmOutcomes) -> str:
    if heard.rate is None:
        return "not heard of"
    low, high = heard.interval
    keys = plural(heard.keys, "key")
    return f"{heard.rate:.0%} of {keys} succeeded ({low:.0%} to {high:.0%})"


def rollback_reason(judged: Judgement) -> str:
    """Why a canary goes back, for the proposal that takes it back."""
    is_shown = judged.verdict is RolloutVerdict.ROLL_BACK
    reason = judged.why if is_shown else judged.rollout.why
    lines = [
        f"The canary of {judged.rollout.skill} was closed: {reason}.",
        "",
        f"Canary: {_heard_text(judged.canary)}.",
        f"Before: {_heard_text(judged.stable)}.",
        f"Evidence that it is worse: {judged.worse:.3g}; {judged.threshold:g} would "
        "convince, whenever it is looked at.",
    ]
    return "\n".join(lines)


def stats_text(
    stats: list[SkillStats], readable: Mapping[str, str], today: int, most: int
) -> str:
    """A line for each skill, with its versions where there is only one skill."""
    if not stats:
        return "no uses are recorded; skillforge record NAME --key KEY --outcome …"
    lines = [f"{'skill':28} {'uses':>9}  rate  verified            12 weeks"]
    lines += [_line(one, today) for one in stats[:most]]
    if len(stats) > most:
        lines.append(f"and {plural(len(stats) - most, 'more skill')}; --json has all")
    if len(stats) == 1:
        lines += _details(stats[0], readable)
    return "\n".join(map(printable, lines))


def _line(one: SkillStats, today: int) -> str:
    low, high = one.total.interval
    sure = f"{low:4.0%} to {high:4.0%} of {one.total.verified:,}"
    sign = {"up": " rising", "down": " falling"}.get(one.trend, "")
    bars = sparkline(one.total.days, today)
    rate = f"{one.moving:4.0%}" if one.total.uses else "   ?"
    return f"{one.name:28} {one.total.uses:>9,}  {rate}  {sure:<19} {bars}{sign}"


def _details(one: SkillStats, readable: Mapping[str, str]) -> list[str]:
    lines = []
    for tree, part in one.versions.items():
        low, high = part.interval
        name = readable.get(tree, "gone") or "no version"
        lines.append(
            f"    {name:12} {tree[:10]}  {part.uses:>7,} uses, {low:.0%} to {high:.0%} "
            f"of {part.verified:,} verified"
        )
    again = one.total.uses / one.keys if one.keys else 0
    lines.append(f"    {plural(one.keys, 'key')}, {again:.1f} uses each")
    if one.precision is not None and one.offered > one.total.uses:
        lines.append(f"    loaded {one.precision:.0%} of {one.offered:,} times offered")
    for what, mine, other in (
        ("seconds", one.total.seconds, one.without.seconds),
        ("tokens", one.total.tokens, one.without.tokens),
    ):
        if mine is not None:
            against = f", {other:,.1f} without it" if other is not None else ""
            lines.append(f"    {mine:,.1f} {what} a use{against}")
    return lines


def refinement_data(found: Refinement) -> dict[str, Any]:
    """What uses teach a skill, for scripts."""
    return {
        "skill": found.skill,
        "failing": found.is_failing,
        "verified": found.part.verified,
        "interval": [round(bound, 4) for bound in found.part.interval],
        "added": [{"text": it.text, "reports": it.reports} for it in found.added],
        "waiting": [
            {"text": it.lesson.text, "reports": it.lesson.reports, "why": it.why}
            for it in found.waiting
        ],
    }


def refinement_lines(found: Refinement) -> list[str]:
    lines = []
    if found.is_failing:
        lines.append(f"{found.complaint}; --agent CMD writes it anew, or --retire")
    for added in found.added:
        count = plural(added.reports, "report")
        lines.append(f'{found.skill}: add "{added.text}" ({count})')
    for lesson, why in found.waiting:
        lines.append(f'{found.skill}: wait with "{lesson.text}": {why}')
    return [printable(line) for line in lines]
