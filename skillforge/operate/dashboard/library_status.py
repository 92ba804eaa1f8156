"""The library as a whole: how it grew, what waits for review, and whether it works."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

from skillforge.operate.dashboard import plots, words
from skillforge.operate.dashboard.canvas import nothing
from skillforge.operate.dashboard.frames import behind, figure, plain_table, section
from skillforge.operate.dashboard.markup import EMPTY, Html, join, tag
from skillforge.operate.dashboard.series import MONTH, WEEK, Unit, read_day

_MOST_POINTS = 60
_MOST_ROWS = 30
_STATUS = ("passed", "failed", "not-run")


def learning_curve(given: Sequence[Sequence[Any]]) -> Html:
    points = _thinned(_readable(given))
    if not points:
        body = nothing("nothing was promoted yet")
    else:
        names = ("skills", "promotions", "roll-backs")
        curves = [
            plots.Curve(at, name, [(day, counts[at]) for day, *counts in points])
            for at, name in enumerate(names)
        ]
        last = points[-1]
        spoken = (
            f"The library from {points[0][0]} to {last[0]}: now {last[1]:,} skills "
            f"after {last[2]:,} promotions and {last[3]:,} roll-backs"
        )
        body = figure(
            plots.growth(curves, spoken),
            f"{spoken}.",
            behind("How the library grew", ("day", *names), _growth_rows(points)),
        )
    return section("growth", "Learning curve", body)


def _readable(given: Sequence[Sequence[Any]]) -> list[tuple[date, int, int, int]]:
    """Rows in the order of time, without those that changed nothing."""
    read = ((read_day(row[0]), *row[1:4]) for row in given)
    rows = sorted(row for row in read if row[0] is not None)
    kept = rows[:1] + [now for was, now in pairwise(rows) if was[1:] != now[1:]]
    # The last day stays even if nothing changed: the curve goes on until today.
    return kept if not rows or kept[-1] == rows[-1] else [*kept, rows[-1]]


def _thinned(
    rows: list[tuple[date, int, int, int]],
) -> list[tuple[date, int, int, int]]:
    """At most as many points as can be told apart: the last of each week or month."""
    units: Sequence[Unit] = (WEEK, MONTH)
    for unit in units:
        if len(rows) > _MOST_POINTS:
            rows = list({unit.start(row[0]): row for row in rows}.values())
    return rows


def _growth_rows(
    points: Sequence[tuple[date, int, int, int]],
) -> list[Sequence[object]]:
    return [(day, *(f"{n:,}" for n in counts)) for day, *counts in reversed(points)]


def proposals(given: Sequence[Mapping[str, Any]]) -> Html:
    """What waits for review, the oldest first, with its age as a bar."""
    if not given:
        return section(
            "proposals", "Open proposals", nothing("nothing waits for review")
        )
    order = sorted(given, key=lambda p: (-_age(p), str(p["number"])))
    longest = max(_age(order[0]), 1.0)
    head = ("skill", "age", "state", "what")
    rows = [
        (
            join(tag("small", f"#{proposal['number']} "), proposal["skill"]),
            tag(
                "span",
                tag("span", words.days(proposal["age_days"])),
                plots.bar(_age(proposal) / longest),
                class_="aged",
            ),
            proposal["state"],
            f"{proposal['action']} by {proposal['author']}",
        )
        for proposal in order
    ]
    table = plain_table("Oldest first", head, rows, _MOST_ROWS)
    return section("proposals", "Open proposals", tag("div", table, class_="ages"))


def _age(proposal: Mapping[str, Any]) -> float:
    age = proposal["age_days"]
    return max(float(age), 0.0) if words.known(age) else 0.0


def health(given: Sequence[Mapping[str, Any]]) -> Html:
    """How many pass, and which do not."""
    if not given:
        return section("health", "Health", nothing("no cases were run yet"))
    status = [run["status"] for run in given]
    shares = [(name, status.count(name)) for name in _STATUS]
    spoken = "Cases of skills: " + ", ".join(f"{n:,} {name}" for name, n in shares)
    runs = sorted(given, key=_urgency)
    rows = [
        (run["skill"], run["status"], run["version"], run["at"] or words.NOTHING)
        for run in runs
    ]
    head = ("skill", "status", "version", "last run")
    bad = [row for row in rows if row[1] == "failed"]
    drawn = figure(
        plots.parts(
            [share for share in shares if share[1]],
            sum(n for _, n in shares) or 1,
            spoken,
        ),
        _health_key(shares),
        plain_table("Failing", head, bad, _MOST_ROWS) if bad else EMPTY,
        behind("Last run of each skill's cases", head, rows),
    )
    return section("health", "Health", drawn)


def _urgency(run: Mapping[str, Any]) -> tuple[int, str, str]:
    order = ("failed", "not-run", "passed")
    place = order.index(run["status"]) if run["status"] in order else 0
    return place, str(run["at"]), run["skill"]


def _health_key(shares: Sequence[tuple[str, int]]) -> Html:
    signs = {"passed": "✓", "failed": "✕", "not-run": "○"}
    return join(
        *(
            tag("span", f"{signs[name]} {n:,} {name}", class_=f"part-key {name}")
            for name, n in shares
        )
    )
