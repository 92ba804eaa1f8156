"""Success over time by version, for the skills that matter most."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from skillforge.operate.dashboard import number_format as fmt
from skillforge.operate.dashboard import plots
from skillforge.operate.dashboard.figures import (
    Figure,
    Legend,
    LegendRow,
    bin_table,
)
from skillforge.operate.dashboard.series import Unit, bins, readable, unit_for
from skillforge.report import plural

MAX_DRAWN = 12
_MAX_ALERTS = 4  # of the drawn skills, for rarely used ones that need attention
_MAX_VERSIONS = 8


def chosen(
    skills: Sequence[Mapping[str, Any]], alerted: Set[str]
) -> list[Mapping[str, Any]]:
    """The skills to draw: the most used, and a few that need attention."""
    order = sorted(skills, key=lambda skill: (-skill["uses"], skill["name"]))
    used = [skill for skill in order if skill["uses"]]
    urgent = [skill for skill in used if skill["name"] in alerted]
    drawn = {skill["name"] for skill in urgent[:_MAX_ALERTS]}
    for skill in used:
        if len(drawn) < MAX_DRAWN:
            drawn.add(skill["name"])
    return [skill for skill in used if skill["name"] in drawn]


def success_plots(
    drawn: Sequence[Mapping[str, Any]], total: int
) -> dict[str, Any] | None:
    """A card for each drawn skill; None if there is none."""
    if not drawn:
        return None
    note = ""
    if total > len(drawn):
        note = (
            f"{len(drawn)} of {total:,} skills: the most used, and some that need "
            "attention. For others, run: skillforge stats NAME --html FILE"
        )
    return {"note": note, "cards": [_card(skill, at) for at, skill in enumerate(drawn)]}


def _card(skill: Mapping[str, Any], at: int) -> dict[str, Any]:
    return {
        "id": f"skill-{at}",
        "skill": skill["name"],
        "summary": _summary(skill),
        "rates": _rates(skill),
    }


def _summary(skill: Mapping[str, Any]) -> str:
    verified = fmt.verified_uses(skill)
    parts = [plural(skill["uses"], "use")]
    if verified >= fmt.MIN_USES:
        rate = fmt.percent(skill["success_rate"])
        interval = fmt.interval_text(skill["interval"])
        parts.append(f"{rate} of {verified:,} verified succeed ({interval})")
    for unit in ("seconds", "tokens"):
        share = fmt.relative_change(skill[unit], skill[f"{unit}_without"])
        if share is not None:
            parts.append(f"{fmt.signed_percent(share)} {unit} vs. no skill")
    return " · ".join(parts)


def _rates(skill: Mapping[str, Any]) -> Figure:
    """The newest version is series 0, has the strongest colour and is drawn last."""
    versions = sorted(
        skill["versions"], key=lambda v: (str(v["first"]), str(v["last"])), reverse=True
    )
    rows = [readable(version["days"]) for version in versions]
    legend = _legend(versions)
    dated = sorted(row for days in rows[: plots.MAX_SERIES] for row in days)
    if sum(good + bad for _, good, bad in dated) < fmt.MIN_USES:
        few = fmt.too_few(fmt.verified_uses(skill))
        few = few or "too few verified uses have a valid date"
        return Figure(empty=few, legend=legend)
    unit = unit_for(dated)
    lines = [
        plots.PlotLine(number, version["version"], bins(days, unit))
        for number, (version, days) in enumerate(zip(versions, rows, strict=True))
        if days and number < plots.MAX_SERIES
    ]
    title = f"{skill['name']}: success by {unit.name}"
    label = f"Success of {skill['name']} by {unit.name} and version: {_summary(skill)}"
    return Figure(
        plot=plots.rates(lines[::-1], unit, label),
        caption=_caption(versions, dated, unit),
        legend=legend,
        table=bin_table(title, unit.name, "version", lines, unit),
    )


def _caption(
    versions: Sequence[Mapping[str, Any]], dated: Sequence[Any], unit: Unit
) -> str:
    has_few = any(bin_.total < fmt.MIN_USES for bin_ in bins(dated, unit))
    hollow = f"; hollow: fewer than {fmt.MIN_USES}" if has_few else ""
    parts = [f"By {unit.name}. Boxes: 95% interval; bars: verified uses (n){hollow}."]
    if len(versions) > plots.MAX_SERIES:
        drawn = f"Only the {plots.MAX_SERIES} newest of {len(versions)} versions"
        parts.append(f"{drawn} are drawn.")
    verified = sum(version["verified"] for version in versions[: plots.MAX_SERIES])
    if (missing := verified - sum(good + bad for _, good, bad in dated)) > 0:
        parts.append(f"{plural(missing, 'verified use')} without a valid date omitted.")
    return " ".join(parts)


def _legend(versions: Sequence[Mapping[str, Any]]) -> Legend:
    rows = [_legend_row(at, v) for at, v in enumerate(versions[:_MAX_VERSIONS])]
    head = ("version", "success", "95%", "verified", "from", "to")
    more = len(versions) - _MAX_VERSIONS
    return Legend("Versions, newest first", head, rows, more)


def _legend_row(at: int, version: Mapping[str, Any]) -> LegendRow:
    verified = version["verified"]
    is_few = verified < fmt.MIN_USES
    cells = (
        "too few" if is_few else fmt.percent(version["success_rate"]),
        fmt.NO_VALUE if is_few else fmt.interval_text(version["interval"]),
        f"{version['successes']:,} of {verified:,}",
        version["first"] or fmt.NO_VALUE,
        version["last"] or fmt.NO_VALUE,
    )
    key = plots.key(at) if at < plots.MAX_SERIES else ()
    is_removed = not version["exists"]
    return LegendRow(key, version["version"], cells, version["tree"], is_removed)
