"""Each canary beside the stable version: rates so far, evidence, verdict."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from skillforge.operate.dashboard import number_format as fmt
from skillforge.operate.dashboard import plots
from skillforge.operate.dashboard.figures import (
    Figure,
    Legend,
    LegendRow,
    Table,
    bin_table,
    table,
)
from skillforge.operate.dashboard.series import DAY, readable, running, unit_for

MAX_DRAWN = 12
_ARMS = ("stable", "canary")
# Verdicts that a person acts on come first.
_URGENCY = ("roll-back", "inconclusive", "promote", "continue")
_BADGES = {
    "roll-back": ("✕", "bad"),
    "inconclusive": ("?", "warn"),
    "promote": ("✓", "good"),
    "continue": ("…", "plain"),
}


def canaries(rollouts: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Cards for the canaries that need a decision or have most uses; a table of the
    rest. None if there are no canaries."""
    if not rollouts:
        return None
    order = sorted(rollouts, key=_urgency)
    drawn, rest = order[:MAX_DRAWN], order[MAX_DRAWN:]
    return {
        "note": f"{len(drawn)} of {len(order):,}" if rest else "",
        "cards": [_card(canary, at) for at, canary in enumerate(drawn)],
        "others": _others(rest) if rest else None,
    }


def anchors(rollouts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The link to the card of each skill's canary."""
    drawn = sorted(rollouts, key=_urgency)[:MAX_DRAWN]
    return {canary["skill"]: f"#canary-{at}" for at, canary in enumerate(drawn)}


def _urgency(canary: Mapping[str, Any]) -> tuple[int, int, str]:
    verdict = canary["verdict"]
    urgency = _URGENCY.index(verdict) if verdict in _URGENCY else len(_URGENCY)
    return urgency, -canary["arms"]["canary"]["uses"], canary["skill"]


def _card(canary: Mapping[str, Any], at: int) -> dict[str, Any]:
    sign, tone = _BADGES.get(canary["verdict"], ("?", "plain"))
    return {
        "id": f"canary-{at}",
        "skill": canary["skill"],
        "verdict": canary["verdict"],
        "sign": sign,
        "tone": tone,
        "why": canary["why"],
        "rates": _rates(canary),
        "evidence": _evidence(canary),
    }


def _rates(canary: Mapping[str, Any]) -> Figure:
    rows = {arm: readable(canary["days"].get(arm, ())) for arm in _ARMS}
    # Sums lose nothing by day: they are the same at the end of a day as of a week.
    unit = (
        DAY
        if all(len(days) <= 60 for days in rows.values())
        else unit_for(sorted(row for days in rows.values() for row in days))
    )
    lines = [
        plots.PlotLine(number, arm, running(rows[arm], unit))
        for number, arm in enumerate(_ARMS)
        if rows[arm]
    ]
    if not lines:
        empty = "no verified uses yet: nothing to compare"
        return Figure(empty=empty, legend=_legend(canary))
    few = fmt.too_few(_verified(canary["arms"]["canary"]))
    title = f"{canary['skill']}: canary and stable"
    return Figure(
        plot=plots.running_rates(lines, unit, _label(canary)),
        caption="Success rate of all verified uses so far, with 95% intervals. The "
        "verdict comes from the sequential test below, not from these bands.",
        emphasis=f"Canary: {few}." if few else "",
        legend=_legend(canary),
        table=bin_table(title, f"up to {unit.name}", "arm", lines, unit),
    )


def _verified(arm: Mapping[str, Any]) -> int:
    return int(arm["successes"] + arm["failures"])


def _label(canary: Mapping[str, Any]) -> str:
    arms = [(name, canary["arms"][name]) for name in _ARMS]
    rates = "; ".join(
        f"{name} {fmt.percent(arm['success_rate'])} of {_verified(arm):,} verified"
        for name, arm in arms
    )
    return f"Success of {canary['skill']} so far: {rates}"


def _legend(canary: Mapping[str, Any]) -> Legend:
    share = canary["share"] / 100 if fmt.is_number(canary["share"]) else None
    shares = {"canary": share, "stable": None if share is None else 1 - share}
    rows = []
    for number, name in enumerate(_ARMS):
        arm = canary["arms"][name]
        cells = (
            fmt.percent(arm["success_rate"]),
            fmt.interval_text(arm["interval"]),
            f"{arm['successes']:,} of {_verified(arm):,}",
            fmt.count(arm["uses"]),
            fmt.percent(shares[name]),
        )
        rows.append(LegendRow(plots.key(number), name, cells))
    head = ("arm", "success", "95%", "verified", "uses", "share")
    return Legend(f"Since {canary['started']}, {canary['state']}", head, rows)


def _evidence(canary: Mapping[str, Any]) -> Figure | None:
    now, threshold = canary["wealth"], canary["threshold"]
    if not fmt.is_number(threshold) or not (fmt.is_number(now) or now == inf):
        return None
    label = (
        f"Evidence of a difference: {fmt.factor(now)} "
        f"(decides at {fmt.factor(threshold)})"
    )
    return Figure(
        plot=plots.wealth(now, threshold, label),
        emphasis=f"{label}.",
        caption="The wealth of a bet against “no difference”, on a log scale. The "
        "test is sequential: it is valid at any time.",
    )


def _others(rest: Sequence[Mapping[str, Any]]) -> Table:
    head = ("skill", "verdict", "wealth", "decides at", "stable", "canary")
    rows = [
        (
            canary["skill"],
            canary["verdict"],
            fmt.factor(canary["wealth"]),
            fmt.factor(canary["threshold"]),
            fmt.percent(canary["arms"]["stable"]["success_rate"]),
            fmt.percent(canary["arms"]["canary"]["success_rate"]),
        )
        for canary in rest
    ]
    return table("Other canaries", head, rows)
