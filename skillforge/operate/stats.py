"""Statistics of uses: counts, success rates, and their intervals."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from skillforge.model import Outcome, OutcomeSource, OutcomeStatus
from skillforge.operate.intervals import wilson
from skillforge.store import Tally

_ALPHA = 0.1  # of the moving average, which starts at 1
MAX_RECENT = 400  # uses in the moving average; older ones vanish in rounding
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class UseTotals:
    """Uses added up. Only verified outcomes are successes or failures."""

    uses: int = 0
    successes: int = 0
    failures: int = 0
    seconds: float | None = None  # average of the uses that report it
    tokens: float | None = None
    days: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def verified(self) -> int:
        return self.successes + self.failures

    @property
    def observed(self) -> float | None:
        return self.successes / self.verified if self.verified else None

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.successes, self.verified)


def totals(tallies: Iterable[Tally]) -> UseTotals:
    rows = list(tallies)
    days: dict[int, tuple[int, int]] = {}
    for row in rows:
        if _is_verified(row):
            good, bad = days.get(row.day, (0, 0))
            is_good = row.outcome == OutcomeStatus.SUCCESS
            days[row.day] = (good + row.uses * is_good, bad + row.uses * (not is_good))
    timed, counted = sum(r.timed for r in rows), sum(r.counted for r in rows)
    return UseTotals(
        sum(row.uses for row in rows),
        sum(good for good, _ in days.values()),
        sum(bad for _, bad in days.values()),
        sum(row.seconds for row in rows) / timed if timed else None,
        sum(row.tokens for row in rows) / counted if counted else None,
        dict(sorted(days.items())),
    )


def _is_verified(row: Tally) -> bool:
    return Outcome(OutcomeStatus(row.outcome), OutcomeSource(row.source)).is_verified


def grouped(rows: Iterable[Tally], by: Callable[[Tally], K]) -> dict[K, list[Tally]]:
    groups: dict[K, list[Tally]] = {}
    for row in rows:
        groups.setdefault(by(row), []).append(row)
    return groups


@dataclass(frozen=True, slots=True)
class SkillStats:
    """The uses of one skill, in all and by version."""

    name: str
    total: UseTotals  # the skill was loaded
    offered: int
    without: UseTotals  # not loaded, or the key got no skill
    versions: Mapping[str, UseTotals]  # by tree, the most recently used first
    average: float  # moving average of all outcomes
    keys: int
    averages: Mapping[str, float]  # the same, by tree

    @property
    def precision(self) -> float | None:
        """The share of offers in which the skill was loaded."""
        return self.total.uses / self.offered if self.offered else None

    @property
    def trend(self) -> str:
        """Up or down if the intervals of the earlier and later days don't overlap."""
        days = list(self.total.days.values())
        early, late = days[: len(days) // 2], days[len(days) // 2 :]
        if not early:
            return ""
        (low, high), (low_now, high_now) = (_interval(part) for part in (early, late))
        if low_now > high:
            return "up"
        return "down" if high_now < low else "flat"


def _interval(days: list[tuple[int, int]]) -> tuple[float, float]:
    good = sum(successes for successes, _ in days)
    return wilson(good, good + sum(failures for _, failures in days))


def _by_recency(rows: list[Tally]) -> tuple[int, int]:
    """Sort key of a version: the last day used, then the number of uses."""
    return -max(row.day for row in rows), -sum(row.uses for row in rows)


def skill_stats(
    name: str,
    rows: Sequence[Tally],
    latest: Sequence[tuple[str, OutcomeStatus]],
    keys: int,
) -> SkillStats:
    """Statistics from the tallies of a skill and its latest outcomes by version."""
    loaded = [row for row in rows if row.version and row.is_loaded]
    others = [row for row in rows if not (row.version and row.is_loaded)]
    by_version = grouped(loaded, lambda row: row.version)
    order = sorted(by_version, key=lambda tree: _by_recency(by_version[tree]))
    return SkillStats(
        name,
        totals(loaded),
        sum(row.uses for row in rows if row.version),
        totals(others),
        {tree: totals(by_version[tree]) for tree in order},
        moving_average(outcome for _, outcome in latest),
        keys,
        {
            tree: moving_average(outcome for v, outcome in latest if v == tree)
            for tree in by_version
        },
    )


def moving_average(outcomes: Iterable[OutcomeStatus]) -> float:
    """The moving average of outcomes, for display only."""
    average = 1.0
    for outcome in outcomes:
        average += _ALPHA * ((outcome is OutcomeStatus.SUCCESS) - average)
    return average


@dataclass(frozen=True, slots=True)
class OriginStats:
    """The uses of all versions of one origin."""

    versions: int
    total: UseTotals


def by_origin(
    skills: Iterable[SkillStats], origins: Mapping[str, str]
) -> dict[str, OriginStats]:
    """Statistics by who made a version; `origins` are by tree."""
    by_name: dict[str, list[UseTotals]] = {}
    for skill in skills:
        for tree, total in skill.versions.items():
            by_name.setdefault(origins.get(tree, "") or "unknown", []).append(total)
    return {
        origin: OriginStats(len(parts), _sum(parts))
        for origin, parts in sorted(by_name.items())
    }


def _sum(parts: Sequence[UseTotals]) -> UseTotals:
    return UseTotals(
        sum(part.uses for part in parts),
        sum(part.successes for part in parts),
        sum(part.failures for part in parts),
    )
