"""Each canary beside the stable version: rates so far, evidence, verdict."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from skillforge.operate.dashboard import plots, words
from skillforge.operate.dashboard.canvas import key, nothing
from skillforge.operate.dashboard.frames import (
    behind,
    figure,
    legend,
    legend_row,
    plain_table,
    section,
)
from skillforge.operate.dashboard.markup import EMPTY, Html, join, tag
from skillforge.operate.dashboard.series import DAY, Unit, readable, running, unit_for

MOST_DRAWN = 12
_ARMS = ("stable", "canary")
# The verdicts a person acts on come first.
_URGENCY = ("roll-back", "inconclusive", "promote", "continue")
_SIGNS = {"roll-back": "✕", "inconclusive": "?", "promote": "✓", "continue": "…"}


def canaries(given: Sequence[Mapping[str, Any]]) -> Html:
    """The canaries that need a decision or have most uses, and the rest in a table."""
    if not given:
        return EMPTY
    order = sorted(given, key=_place)
    shown, rest = order[:MOST_DRAWN], order[MOST_DRAWN:]
    note = f"{len(shown)} of {len(order):,}" if rest else ""
    return section(
        "canaries",
        "Canary against stable",
        tag("div", *map(_card, shown, range(len(shown))), class_="cards"),
        _others(rest) if rest else EMPTY,
        note=note,
    )


def anchors(given: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Where on the page the canary of a skill is drawn."""
    shown = sorted(given, key=_place)[:MOST_DRAWN]
    return {canary["skill"]: f"#canary-{at}" for at, canary in enumerate(shown)}


def _place(canary: Mapping[str, Any]) -> tuple[int, int, str]:
    verdict = canary["verdict"]
    urgency = _URGENCY.index(verdict) if verdict in _URGENCY else len(_URGENCY)
    return urgency, -canary["arms"]["canary"]["uses"], canary["skill"]


def _card(canary: Mapping[str, Any], at: int) -> Html:
    return tag(
        "article",
        tag("h3", canary["skill"]),
        tag("p", _verdict(canary), " ", canary["why"], class_="verdict"),
        _rates(canary),
        _evidence(canary),
        class_="card",
        id=f"canary-{at}",
    )


def _verdict(canary: Mapping[str, Any]) -> Html:
    verdict = canary["verdict"]
    sign = tag("span", _SIGNS.get(verdict, "?"), aria_hidden="true")
    return tag("strong", sign, f" {verdict}", class_=f"badge {_plain(verdict)}")


def _plain(verdict: str) -> str:
    return verdict if verdict in _SIGNS else "unknown"


def _rates(canary: Mapping[str, Any]) -> Html:
    rows = {arm: readable(canary["days"].get(arm, ())) for arm in _ARMS}
    # A sum of uses is the same at a day's end as at a week's: days lose nothing.
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
        return join(nothing("no verified use yet: nothing to compare"), _legend(canary))
    return figure(
        plots.running_rates(lines, unit, _spoken(canary)),
        join(
            "Success of all verified uses so far, with the 95 % interval of each day "
            "by itself. The verdict rests on the sequential test below, not on "
            "whether these bands part.",
            _thin(canary),
        ),
        _legend(canary),
        _numbers(canary, lines, unit),
    )


def _thin(canary: Mapping[str, Any]) -> Html:
    verified = _verified(canary["arms"]["canary"])
    few = words.too_few(verified)
    return tag("strong", f" Canary: {few}.") if few else EMPTY


def _verified(arm: Mapping[str, Any]) -> int:
    return int(arm["successes"] + arm["failures"])


def _spoken(canary: Mapping[str, Any]) -> str:
    arms = [(name, canary["arms"][name]) for name in _ARMS]
    told = "; ".join(
        f"{name} {words.percent(arm['success_rate'])} of {_verified(arm):,} verified"
        for name, arm in arms
    )
    return f"Success of {canary['skill']} so far: {told}"


def _legend(canary: Mapping[str, Any]) -> Html:
    share = canary["share"] / 100 if words.known(canary["share"]) else None
    shares = {"canary": share, "stable": None if share is None else 1 - share}
    rows = [
        legend_row(
            tag("td", key(number)),
            tag("th", name, scope="row"),
            words.percent(arm["success_rate"]),
            words.between(arm["interval"]),
            f"{arm['successes']:,} of {_verified(arm):,}",
            words.count(arm["uses"]),
            words.percent(shares[name]),
        )
        for number, name in enumerate(_ARMS)
        for arm in [canary["arms"][name]]
    ]
    head = ("arm", "success", "95 %", "verified", "uses", "share")
    about = f"Since {canary['started']}, {canary['state']}"
    return legend(about, head, rows)


def _numbers(
    canary: Mapping[str, Any], lines: Sequence[plots.PlotLine], unit: Unit
) -> Html:
    rows = [
        (unit.words(each.start), line.name, *_cells(each))
        for line in lines
        for each in line.bins
    ]
    head = (f"up to {unit.name}", "arm", "successes", "verified", "success", "95 %")
    return behind(f"{canary['skill']}: canary against stable", head, rows)


def _cells(each: Any) -> tuple[str, ...]:
    return (
        f"{each.successes:,}",
        f"{each.total:,}",
        words.percent(each.rate),
        words.between(each.interval),
    )


def _evidence(canary: Mapping[str, Any]) -> Html:
    now, decides = canary["wealth"], canary["threshold"]
    if not words.known(decides) or not (words.known(now) or now == inf):
        return EMPTY
    spoken = (
        f"Evidence of a difference: {words.factor(now)}; "
        f"{words.factor(decides)} decides"
    )
    return figure(
        plots.wealth(now, decides, spoken),
        join(
            tag("strong", f"{spoken}."),
            " The wealth of a bet against “no difference”, in powers of ten: "
            "valid however often one looks.",
        ),
    )


def _others(rest: Sequence[Mapping[str, Any]]) -> Html:
    head = ("skill", "verdict", "wealth", "decides at", "stable", "canary")
    rows = [
        (
            canary["skill"],
            canary["verdict"],
            words.factor(canary["wealth"]),
            words.factor(canary["threshold"]),
            words.percent(canary["arms"]["stable"]["success_rate"]),
            words.percent(canary["arms"]["canary"]["success_rate"]),
        )
        for canary in rest
    ]
    return plain_table("The other canaries", head, rows)
