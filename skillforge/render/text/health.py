"""Health runs as text."""

from typing import TYPE_CHECKING

from skillforge.model.time_units import DAY, day_name
from skillforge.render.text import trials
from skillforge.render.text.offers import with_offers
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.operate.health_record import Checkup
    from skillforge.workflows.health import HealthReport

_MAX_NAMES = 20  # in a line
_QUIET = ("passed", "no-cases")
_LABELS = {"no-cases": "without cases", "not-run": "not run"}


def health(report: "HealthReport", *, verbose: bool, colour: bool) -> str:
    """What failed in full, what did not fit in a line, and how many passed."""
    lines = []
    for checkup in report.checkups:
        if verbose or _is_listed(checkup):
            lines += _lines(checkup, verbose, colour)
    if left := [checkup.name for checkup in report.checkups if checkup.is_unfinished]:
        names = ", ".join(map(printable, left[:_MAX_NAMES]))
        more = f" and {len(left) - _MAX_NAMES} more" if len(left) > _MAX_NAMES else ""
        lines.append(f"out of time: {names}{more}; the next run starts with them")
    return with_offers("\n".join([*lines, _summary(report)]), report.offers)


def _is_listed(checkup: "Checkup") -> bool:
    is_left = checkup.condition == "not-run" and checkup.is_unfinished
    return checkup.condition not in _QUIET and not is_left


def _lines(checkup: "Checkup", verbose: bool, colour: bool) -> list[str]:
    if not checkup.trials:
        return [f"{printable(checkup.name)}: no cases"]
    text = trials.text(checkup.trials, (), verbose=verbose, colour=colour)
    return [*text.split("\n")[:-1], *_changes(checkup)]


def _changes(checkup: "Checkup") -> list[str]:
    """What changed since a failing skill passed."""
    if checkup.condition != "failed":
        return []
    if checkup.passed is None:
        return ["  no earlier pass is recorded in this clone"]
    changed = ", ".join(checkup.changed) or "nothing recorded"
    unsure = "" if checkup.is_confirmed else "; out of time to run it a second time"
    day = day_name(checkup.passed.at // DAY)
    return [f"  last passed on {day}; changed since: {changed}{unsure}"]


def _summary(report: "HealthReport") -> str:
    counts = [
        f"{count} {_LABELS.get(name, name)}"
        for name, count in report.counts.items()
        if count
    ]
    skills = plural(len(report.checkups), "skill")
    return f"{skills}: {', '.join(counts) or 'nothing to run'}"
