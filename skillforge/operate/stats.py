"""How skills fare: what was counted, and how sure that is."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from skillforge.model import Outcome, OutcomeSource, OutcomeStatus
from skillforge.model.time_units import DAY
from skillforge.operate.intervals import wilson
from skillforge.store import Tally

ALPHA = 0.1  # of the moving average, which starts at 1
MOST_RECENT = 400  # uses; what is older weighs less than rounding does
_WEEKS = 12
_BARS = "▁▂▃▄▅▆▇█"
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Sum:
    """Uses added up. Only verified outcomes are successes or failures."""

    uses: int = 0
    successes: int = 0
    failures: int = 0
    seconds: float | None = None  # on average, of those that tell
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


def added_up(tallies: Iterable[Tally]) -> Sum:
    """One sum of tallies."""
    rows = list(tallies)
    days: dict[int, tuple[int, int]] = {}
    for row in rows:
        if _is_verified(row):
            good, bad = days.get(row.day, (0, 0))
            is_good = row.outcome == OutcomeStatus.SUCCESS
            days[row.day] = (good + row.uses * is_good, bad + row.uses * (not is_good))
    timed, counted = sum(r.timed for r in rows), sum(r.counted for r in rows)
    return Sum(
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
    found: dict[K, list[Tally]] = {}
    for row in rows:
        found.setdefault(by(row), []).append(row)
    return found


@dataclass(frozen=True, slots=True)
class SkillStats:
    """What is known of one skill in use."""

    name: str
    total: Sum  # where it was loaded
    offered: int
    without: Sum  # where it was left alone, or the key was given no skill
    versions: Mapping[str, Sum]  # by tree, the last one used first
    moving: float
    keys: int
    latest: Mapping[str, float]  # the moving average by version

    @property
    def precision(self) -> float | None:
        """How often it was loaded when it was offered."""
        return self.total.uses / self.offered if self.offered else None

    @property
    def trend(self) -> str:
        """Whether it fares better or worse than before, if that is more than chance."""
        days = list(self.total.days.values())
        early, late = days[: len(days) // 2], days[len(days) // 2 :]
        if not early:
            return ""
        (low, high), (low_now, high_now) = (_interval(part) for part in (early, late))
        if low_now > high:
            return "up"
        return "down" if high_now < low else "flat"


def _interval(days: list[tuple[int, int]]) -> tuple[float, float]:
    good = sum(it for it, _ in days)
    return wilson(good, good + sum(it for _, it in days))


def _recent(rows: list[Tally]) -> tuple[int, int]:
    """Puts the version first that was used last; of several, what is used more."""
    return -max(row.day for row in rows), -sum(row.uses for row in rows)


def of_skill(
    name: str, rows: Iterable[Tally], latest: list[tuple[str, OutcomeStatus]], keys: int
) -> SkillStats:
    """What the tallies of a skill and its latest outcomes tell."""
    mine = list(rows)
    loaded = [row for row in mine if row.version and row.is_loaded]
    others = [row for row in mine if not (row.version and row.is_loaded)]
    by_version = grouped(loaded, lambda row: row.version)
    order = sorted(by_version, key=lambda it: _recent(by_version[it]))
    return SkillStats(
        name,
        added_up(loaded),
        sum(row.uses for row in mine if row.version),
        added_up(others),
        {tree: added_up(by_version[tree]) for tree in order},
        moving(outcome for _, outcome in latest),
        keys,
        {tree: moving(it for v, it in latest if v == tree) for tree in by_version},
    )


def moving(outcomes: Iterable[OutcomeStatus]) -> float:
    """The moving average of outcomes, for a quick look; it decides nothing."""
    average = 1.0
    for outcome in outcomes:
        average += ALPHA * ((outcome is OutcomeStatus.SUCCESS) - average)
    return average


def sparkline(days: Mapping[int, tuple[int, int]], today: int) -> str:
    """Verified success by week, the last twelve; a dot where there was none."""
    weeks = [(0, 0)] * _WEEKS
    for day, (good, bad) in days.items():
        back = (today - day) // 7
        if 0 <= back < _WEEKS:
            before = weeks[_WEEKS - 1 - back]
            weeks[_WEEKS - 1 - back] = (before[0] + good, before[1] + bad)
    return "".join(_bar(good, good + bad) for good, bad in weeks)


def _bar(good: int, known: int) -> str:
    return _BARS[min(int(good / known * len(_BARS)), len(_BARS) - 1)] if known else "·"


def day_name(day: int) -> str:
    return datetime.fromtimestamp(day * DAY, UTC).date().isoformat()


def data(
    stats: SkillStats, readable: Mapping[str, str], origins: Mapping[str, str]
) -> dict[str, Any]:
    """The keys that scripts rely on; a rate is null where nothing is known."""
    total = stats.total
    return {
        "name": stats.name,
        "uses": total.uses,
        "success_rate": _rounded(stats.moving) if total.uses else None,
        "interval": _pair(total),
        "observed": _rounded(total.observed),
        "verified": total.verified,
        "successes": total.successes,
        "failures": total.failures,
        "offered": stats.offered,
        "precision": _rounded(stats.precision),
        "keys": stats.keys,
        "trend": stats.trend,
        "seconds": _rounded(total.seconds),
        "tokens": _rounded(total.tokens),
        "seconds_without": _rounded(stats.without.seconds),
        "tokens_without": _rounded(stats.without.tokens),
        "observed_without": _rounded(stats.without.observed),
        "versions": [
            _version_data(tree, part, stats.latest[tree], readable, origins)
            for tree, part in stats.versions.items()
        ],
    }


def _version_data(
    tree: str,
    part: Sum,
    average: float,
    readable: Mapping[str, str],
    origins: Mapping[str, str],
) -> dict[str, Any]:
    return {
        "version": readable.get(tree, ""),
        "tree": tree,
        "exists": tree in readable,
        "origin": origins.get(tree, ""),
        "uses": part.uses,
        "success_rate": _rounded(average),
        "interval": _pair(part),
        "observed": _rounded(part.observed),
        "verified": part.verified,
        "successes": part.successes,
        "failures": part.failures,
        "seconds": _rounded(part.seconds),
        "tokens": _rounded(part.tokens),
        "days": [[day_name(day), *counts] for day, counts in part.days.items()],
    }


def _pair(part: Sum) -> list[float]:
    return [round(bound, 4) for bound in part.interval]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def by_origin(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """How versions fare by who made them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        for version in row["versions"]:
            found.setdefault(version["origin"] or "unknown", []).append(version)
    return {origin: _joined(some) for origin, some in sorted(found.items())}


def _joined(versions: list[dict[str, Any]]) -> dict[str, Any]:
    uses, good, bad = (
        sum(version[key] for version in versions)
        for key in ("uses", "successes", "failures")
    )
    part = Sum(uses, good, bad)
    return {
        "uses": uses,
        "versions": len(versions),
        "observed": _rounded(part.observed),
        "interval": _pair(part),
    }
