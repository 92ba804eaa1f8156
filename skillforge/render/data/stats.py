"""Statistics as the `data` of `--json`; a rate is null where nothing is known."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

from skillforge.model.time_units import day_name

if TYPE_CHECKING:
    from skillforge.operate.stats import OriginStats, SkillStats, UseTotals
    from skillforge.workflows.stats import StatsReport


class VersionStats(TypedDict):
    """The uses of one version of a skill."""

    version: str
    tree: str
    exists: bool
    origin: str
    uses: int
    success_rate: float | None
    interval: list[float]
    observed: float | None
    verified: int
    successes: int
    failures: int
    seconds: float | None
    tokens: float | None
    days: list[list[str | int]]


class SkillRow(TypedDict):
    """The uses of one skill, in all and by version."""

    name: str
    uses: int
    success_rate: float | None
    interval: list[float]
    observed: float | None
    verified: int
    successes: int
    failures: int
    offered: int
    precision: float | None
    keys: int
    trend: str
    seconds: float | None
    tokens: float | None
    seconds_without: float | None
    tokens_without: float | None
    observed_without: float | None
    versions: list[VersionStats]


class OriginRow(TypedDict):
    """The uses of all versions of one origin."""

    uses: int
    versions: int
    observed: float | None
    interval: list[float]


class StatsData(TypedDict):
    """The answer of `stats`; `path` is the page that was written."""

    skills: list[SkillRow]
    origins: dict[str, OriginRow]
    path: NotRequired[str]


def stats(report: "StatsReport") -> StatsData:
    return {
        "skills": rows(report),
        "origins": {name: _origin(origin) for name, origin in report.by_origin.items()},
    }


def rows(report: "StatsReport") -> list[SkillRow]:
    return [_skill(report, skill) for skill in report.skills]


def _skill(report: "StatsReport", skill: "SkillStats") -> SkillRow:
    total = skill.total
    return {
        "name": skill.name,
        "uses": total.uses,
        "success_rate": _rounded(skill.average) if total.uses else None,
        "interval": _interval(total),
        "observed": _rounded(total.observed),
        "verified": total.verified,
        "successes": total.successes,
        "failures": total.failures,
        "offered": skill.offered,
        "precision": _rounded(skill.precision),
        "keys": skill.keys,
        "trend": skill.trend,
        "seconds": _rounded(total.seconds),
        "tokens": _rounded(total.tokens),
        "seconds_without": _rounded(skill.without.seconds),
        "tokens_without": _rounded(skill.without.tokens),
        "observed_without": _rounded(skill.without.observed),
        "versions": [
            _version(report, tree, part, skill.averages[tree])
            for tree, part in skill.versions.items()
        ],
    }


def _version(
    report: "StatsReport", tree: str, part: "UseTotals", average: float
) -> VersionStats:
    return {
        "version": report.versions.get(tree, ""),
        "tree": tree,
        "exists": tree in report.versions,
        "origin": report.origins.get(tree, ""),
        "uses": part.uses,
        "success_rate": _rounded(average),
        "interval": _interval(part),
        "observed": _rounded(part.observed),
        "verified": part.verified,
        "successes": part.successes,
        "failures": part.failures,
        "seconds": _rounded(part.seconds),
        "tokens": _rounded(part.tokens),
        "days": [[day_name(day), *counts] for day, counts in part.days.items()],
    }


def _origin(origin: "OriginStats") -> OriginRow:
    return {
        "uses": origin.total.uses,
        "versions": origin.versions,
        "observed": _rounded(origin.total.observed),
        "interval": _interval(origin.total),
    }


def _interval(part: "UseTotals") -> list[float]:
    return [round(bound, 4) for bound in part.interval]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
