"""The data of the dashboard, from statistics, rollouts and test runs."""

from collections.abc import Iterable, Mapping
from typing import Any

from skillforge.model import Arm
from skillforge.model.time_units import DAY, day_name
from skillforge.operate.canary import ArmOutcomes, Judgement
from skillforge.operate.stats import UseTotals, totals
from skillforge.render.data.stats import SkillRow, VersionStats
from skillforge.store import CaseRecord, Tally


def skills(rows: Iterable[SkillRow]) -> list[dict[str, Any]]:
    """The skills of `stats`, with the keys that the dashboard reads."""
    return [
        {
            **row,
            "moving": row["success_rate"],
            "success_rate": row["observed"],
            "origin": next((v["origin"] for v in row["versions"]), ""),
            "versions": [_version(version) for version in row["versions"]],
        }
        for row in rows
    ]


def _version(version: VersionStats) -> dict[str, Any]:
    days = [day for day, *_ in version["days"]]
    ends = {"first": days[0] if days else "", "last": days[-1] if days else ""}
    return {**version, "success_rate": version["observed"], **ends}


def canary(judgement: Judgement, rows: Iterable[Tally]) -> dict[str, Any]:
    """A rollout with its arms: outcomes by key, and all uses by day."""
    rollout = judgement.rollout
    own = [row for row in rows if row.rollout == rollout.id]
    sums = {arm: totals(row for row in own if row.arm == arm) for arm in Arm}
    outcomes = {Arm.STABLE: judgement.stable, Arm.CANARY: judgement.canary}
    return {
        "skill": rollout.skill,
        "state": rollout.state,
        "share": rollout.share,
        "verdict": judgement.verdict,
        "why": judgement.why,
        "wealth": judgement.worse,
        "threshold": judgement.threshold,
        "started": day_name(rollout.started // DAY),
        "arms": {arm.value: _arm(sums[arm], outcomes[arm]) for arm in Arm},
        "days": {arm.value: _days(sums[arm]) for arm in Arm},
    }


def _arm(uses: UseTotals, outcomes: ArmOutcomes) -> dict[str, Any]:
    return {
        "uses": uses.uses,
        "successes": outcomes.successes,
        "failures": outcomes.failures,
        "success_rate": outcomes.rate,
        "interval": list(outcomes.interval) if outcomes.keys else None,
    }


def _days(uses: UseTotals) -> list[list[Any]]:
    return [[day_name(day), *counts] for day, counts in uses.days.items()]


def health(
    checked: Iterable[CaseRecord], trees: Mapping[str, str], readable: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The last test run of each skill's version on main."""
    last: dict[str, CaseRecord] = {}
    for record in sorted(checked, key=lambda record: record.at):
        if trees.get(record.skill) == record.version:
            last[record.skill] = record
    return [
        {
            "skill": record.skill,
            "status": "passed" if record.ok else "failed",
            "version": readable.get(record.version, ""),
            "at": day_name(record.at // DAY),
        }
        for _, record in sorted(last.items())
    ]
