"""Success over time, version by version, for the skills that matter most."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from skillforge.operate.dashboard import plots, words
from skillforge.operate.dashboard.canvas import MOST_SERIES, key, nothing
from skillforge.operate.dashboard.frames import (
    behind,
    figure,
    legend,
    legend_row,
    section,
)
from skillforge.operate.dashboard.markup import EMPTY, Html, join, tag
from skillforge.operate.dashboard.series import Unit, bins, readable, unit_for
from skillforge.report import plural

MOST_DRAWN = 12
_MOST_LOOKS = 4  # of the drawn, for skills that are worth a look but little used
_MOST_VERSIONS = 8


def chosen(
    skills: Sequence[Mapping[str, Any]], looks: Set[str]
) -> list[Mapping[str, Any]]:
    """The skills that are drawn: the most used, and a few that are worth a look."""
    order = sorted(skills, key=lambda skill: (-skill["uses"], skill["name"]))
    used = [skill for skill in order if skill["uses"]]
    urgent = [skill for skill in used if skill["name"] in looks]
    kept = {skill["name"] for skill in urgent[:_MOST_LOOKS]}
    for skill in used:
        if len(kept) < MOST_DRAWN:
            kept.add(skill["name"])
    return [skill for skill in used if skill["name"] in kept][:MOST_DRAWN]


def details(drawn: Sequence[Mapping[str, Any]], total: int) -> Html:
    if not drawn:
        return EMPTY
    note = ""
    if total > len(drawn):
        note = (
            f"{len(drawn)} of {total:,} skills: the most used, and some worth a look. "
            "“skillforge stats NAME --html FILE” draws any other."
        )
    cards = [_card(skill, at) for at, skill in enumerate(drawn)]
    return section(
        "success",
        "Success over time",
        tag("div", *cards, class_="cards"),
        note=note,
    )


def _card(skill: Mapping[str, Any], at: int) -> Html:
    return tag(
        "article",
        tag("h3", skill["name"]),
        tag("p", _summary(skill), class_="note"),
        _plot(skill),
        class_="card",
        id=f"skill-{at}",
    )


def _summary(skill: Mapping[str, Any]) -> str:
    verified = words.verified_uses(skill)
    said = [plural(skill["uses"], "use")]
    if verified >= words.FEW:
        rate, sure = skill["success_rate"], skill["interval"]
        told = f"{words.percent(rate)} of {verified:,} verified succeed"
        said.append(f"{told} ({words.between(sure)})")
    seconds, tokens = (
        (words.change(skill[unit], skill[f"{unit}_without"]), unit)
        for unit in ("seconds", "tokens")
    )
    said += [
        f"{words.signed(share)} {unit} against no skill"
        for share, unit in (seconds, tokens)
        if share is not None
    ]
    return " · ".join(said)


def _plot(skill: Mapping[str, Any]) -> Html:
    """The newest version has number 0, the strongest colour, and is drawn last."""
    versions = sorted(
        skill["versions"], key=lambda v: (str(v["first"]), str(v["last"])), reverse=True
    )
    rows = [readable(version["days"]) for version in versions]
    legend = _legend(versions)
    every = sorted(row for days in rows[:MOST_SERIES] for row in days)
    if sum(good + bad for _, good, bad in every) < words.FEW:
        return join(nothing(_too_thin(skill)), legend)
    unit = unit_for(every)
    lines = [
        plots.PlotLine(number, version["version"], bins(days, unit))
        for number, (version, days) in enumerate(zip(versions, rows, strict=True))
        if days and number < MOST_SERIES
    ]
    return figure(
        plots.rates(lines[::-1], unit, _spoken(skill, unit)),
        _caption(versions, every, unit),
        legend,
        _numbers(skill, lines, unit),
    )


def _too_thin(skill: Mapping[str, Any]) -> str:
    few = words.too_few(words.verified_uses(skill))
    return few or "too few verified uses have a day that can be read"


def _spoken(skill: Mapping[str, Any], unit: Unit) -> str:
    return f"Success of {skill['name']} by {unit.name} and version: {_summary(skill)}"


def _caption(
    versions: Sequence[Mapping[str, Any]], every: Sequence[Any], unit: Unit
) -> str:
    few = f"; hollow: fewer than {words.FEW}" if _has_few(every, unit) else ""
    said = [f"By {unit.name}. Boxes: 95 % interval; bars: verified uses (n){few}."]
    if len(versions) > MOST_SERIES:
        said.append(f"The {MOST_SERIES} newest of {len(versions)} versions are drawn.")
    verified = sum(version["verified"] for version in versions[:MOST_SERIES])
    if (missing := verified - sum(good + bad for _, good, bad in every)) > 0:
        said.append(
            f"{plural(missing, 'verified use')} without a readable day left out."
        )
    return " ".join(said)


def _has_few(every: Sequence[Any], unit: Unit) -> bool:
    return any(each.total < words.FEW for each in bins(every, unit))


def _legend(versions: Sequence[Mapping[str, Any]]) -> Html:
    rows = [_legend_row(at, v) for at, v in enumerate(versions[:_MOST_VERSIONS])]
    if (cut := len(versions) - _MOST_VERSIONS) > 0:
        rows.append(tag("tr", tag("td"), tag("td", f"and {cut} older", colspan=6)))
    head = ("version", "success", "95 %", "verified", "from", "to")
    return legend("Versions, newest first", head, rows)


def _legend_row(at: int, version: Mapping[str, Any]) -> Html:
    gone = tag("span", "gone", class_="gone", title="no longer in the library")
    verified = version["verified"]
    thin = verified < words.FEW
    name = tag("span", version["version"], title=version["tree"])
    return legend_row(
        tag("td", key(at) if at < MOST_SERIES else EMPTY),
        tag("th", name, EMPTY if version["exists"] else join(" ", gone), scope="row"),
        "too few" if thin else words.percent(version["success_rate"]),
        words.NOTHING if thin else words.between(version["interval"]),
        f"{version['successes']:,} of {verified:,}",
        version["first"] or words.NOTHING,
        version["last"] or words.NOTHING,
    )


def _numbers(
    skill: Mapping[str, Any], lines: Sequence[plots.PlotLine], unit: Unit
) -> Html:
    rows = [
        (
            unit.words(each.start),
            line.name,
            f"{each.successes:,}",
            f"{each.total:,}",
            words.percent(each.rate),
            words.between(each.interval),
        )
        for line in lines
        for each in line.bins
    ]
    head = (unit.name, "version", "successes", "verified", "success", "95 %")
    return behind(f"{skill['name']}: success by {unit.name}", head, rows)
