"""The library as a whole: its growth, the proposals to review, the health of skills."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

from skillforge.operate.dashboard import number_format as fmt
from skillforge.operate.dashboard import plots
from skillforge.operate.dashboard.figures import Figure, table
from skillforge.operate.dashboard.series import MONTH, WEEK, read_day
from skillforge.report import plural

_MAX_POINTS = 60
_MAX_ROWS = 30
_SIGNS = {"passed": "✓", "failed": "✕", "not-run": "○"}

Point = tuple[date, int, int, int]


def growth(rows: Sequence[Sequence[Any]]) -> Figure:
    """How the numbers of skills, promotions and rollbacks grew."""
    points = _thinned(_readable(rows))
    if not points:
        return Figure(empty="no promotions yet")
    names = ("skills", "promotions", "rollbacks")
    curves = [
        plots.Curve(at, name, [(day, counts[at]) for day, *counts in points])
        for at, name in enumerate(names)
    ]
    last = points[-1]
    label = (
        f"The library from {points[0][0]} to {last[0]}: {plural(last[1], 'skill')} "
        f"after {plural(last[2], 'promotion')} and {plural(last[3], 'rollback')}"
    )
    cells = [(day, *(f"{n:,}" for n in counts)) for day, *counts in reversed(points)]
    return Figure(
        plot=plots.growth(curves, label),
        caption=f"{label}.",
        table=table("Library growth", ("day", *names), cells),
    )


def _readable(rows: Sequence[Sequence[Any]]) -> list[Point]:
    """Rows by date, without those that changed nothing."""
    dated = ((read_day(row[0]), *row[1:4]) for row in rows)
    points = sorted(point for point in dated if point[0] is not None)
    changes = [now for was, now in pairwise(points) if was[1:] != now[1:]]
    # The last day stays even if nothing changed: the curve continues until today.
    return list(dict.fromkeys([*points[:1], *changes, *points[-1:]]))


def _thinned(rows: list[Point]) -> list[Point]:
    """The last point of each week or month, if there are too many to distinguish."""
    for unit in (WEEK, MONTH):
        if len(rows) > _MAX_POINTS:
            rows = list({unit.start(row[0]): row for row in rows}.values())
    return rows


def proposals(waiting: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Proposals that wait for review, the oldest first, with their age as a bar."""
    order = sorted(waiting, key=lambda p: (-_age(p), str(p["number"])))
    longest = max([1.0, *map(_age, order)])
    rows = [
        {
            **proposal,
            "age": fmt.days(proposal["age_days"]),
            "bar": plots.length_text(max(100 * _age(proposal) / longest, 0.5)),
        }
        for proposal in order[:_MAX_ROWS]
    ]
    return {"rows": rows, "more": len(order) - _MAX_ROWS}


def _age(proposal: Mapping[str, Any]) -> float:
    age = proposal["age_days"]
    return max(float(age), 0.0) if fmt.is_number(age) else 0.0


def health(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How many skills pass their test cases, and which do not."""
    if not runs:
        return {"empty": "no test cases run yet"}
    status = [run["status"] for run in runs]
    counts = {name: status.count(name) for name in _SIGNS}
    listed = ", ".join(f"{n:,} {name}" for name, n in counts.items())
    rows = [
        (run["skill"], run["status"], run["version"], run["at"] or fmt.NO_VALUE)
        for run in sorted(runs, key=_urgency)
    ]
    head = ("skill", "status", "version", "last run")
    failed = [row for row in rows if row[1] == "failed"]
    return {
        "empty": "",
        "plot": plots.parts(counts, f"Test cases of skills: {listed}"),
        "parts": [(_SIGNS[name], f"{n:,}", name) for name, n in counts.items()],
        "failed": table("Failing", head, failed, _MAX_ROWS) if failed else None,
        "table": table("Last run of each skill's cases", head, rows),
    }


def _urgency(run: Mapping[str, Any]) -> tuple[int, str, str]:
    order = ("failed", "not-run", "passed")
    urgency = order.index(run["status"]) if run["status"] in order else 0
    return urgency, str(run["at"]), run["skill"]
