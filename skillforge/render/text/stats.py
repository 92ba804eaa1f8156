"""Statistics as text."""

import time
from typing import TYPE_CHECKING

from skillforge.model.time_units import DAY
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillforge.operate.stats import SkillStats
    from skillforge.workflows.stats import StatsReport

_MAX_LINES = 40
_WEEKS = 12
_BARS = "▁▂▃▄▅▆▇█"
_TRENDS = {"up": " rising", "down": " falling"}


def stats(report: "StatsReport") -> str:
    """A line for each skill; of a single skill, its versions as well."""
    skills = report.skills
    if not skills:
        return "no uses recorded yet: skillforge record NAME --key KEY --outcome …"
    today = int(time.time()) // DAY
    lines = [f"{'skill':28} {'uses':>9}  rate  verified            12 weeks"]
    lines += [_line(skill, today) for skill in skills[:_MAX_LINES]]
    if (more := len(skills) - _MAX_LINES) > 0:
        lines.append(f"and {plural(more, 'more skill')}; --json lists all")
    if len(skills) == 1:
        lines += _details(skills[0], report.versions)
    return "\n".join(map(printable, lines))


def _line(skill: "SkillStats", today: int) -> str:
    total = skill.total
    low, high = total.interval
    interval = f"{low:4.0%} to {high:4.0%} of {total.verified:,}"
    bars = sparkline(total.days, today) + _TRENDS.get(skill.trend, "")
    rate = f"{skill.average:4.0%}" if total.uses else "   ?"
    return f"{skill.name:28} {total.uses:>9,}  {rate}  {interval:<19} {bars}"


def sparkline(days: "Mapping[int, tuple[int, int]]", today: int) -> str:
    """Verified success in each of the last twelve weeks; a dot for a week without."""
    weeks = [(0, 0)] * _WEEKS
    for day, (good, bad) in days.items():
        age = (today - day) // 7
        if 0 <= age < _WEEKS:
            before = weeks[_WEEKS - 1 - age]
            weeks[_WEEKS - 1 - age] = (before[0] + good, before[1] + bad)
    return "".join(_bar(good, good + bad) for good, bad in weeks)


def _bar(good: int, known: int) -> str:
    return _BARS[min(int(good / known * len(_BARS)), len(_BARS) - 1)] if known else "·"


def _details(skill: "SkillStats", versions: "Mapping[str, str]") -> list[str]:
    lines = []
    for tree, part in skill.versions.items():
        low, high = part.interval
        name = versions.get(tree, "gone") or "no version"
        lines.append(
            f"    {name:12} {tree[:10]}  {part.uses:>7,} uses, {low:.0%} to {high:.0%} "
            f"of {part.verified:,} verified"
        )
    per_key = skill.total.uses / skill.keys if skill.keys else 0
    lines.append(f"    {plural(skill.keys, 'key')}, {per_key:.1f} uses per key")
    if skill.precision is not None and skill.offered > skill.total.uses:
        lines.append(
            f"    loaded {skill.precision:.0%} of the {skill.offered:,} times offered"
        )
    for unit, used, without in (
        ("seconds", skill.total.seconds, skill.without.seconds),
        ("tokens", skill.total.tokens, skill.without.tokens),
    ):
        if used is not None:
            other = (
                f" ({without:,.1f} without the skill)" if without is not None else ""
            )
            lines.append(f"    {used:,.1f} {unit} per use{other}")
    return lines
