"""What a health run says to people, and the keys that scripts rely on."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from skillforge.checks import status_metadata
from skillforge.model import Trial
from skillforge.operate.health_record import Checkup, Condition
from skillforge.render import data as render_data
from skillforge.render import text as render_text
from skillforge.report import plural, printable

_LISTED = 20  # names in a line


def data(found: Sequence[Checkup]) -> dict[str, Any]:
    return {
        "trials": render_data.trials.trials(trials(found)),
        "skills": [_row(one) for one in found],
    }


def trials(found: Sequence[Checkup]) -> list[Trial]:
    return [trial for one in found for trial in one.trials]


def _row(one: Checkup) -> dict[str, Any]:
    return {
        "skill": one.name,
        "version": one.version,
        "status": one.condition,
        "changed": list(one.changed),
        "since": _date(one.since),
        "passed": _date(one.passed.at) if one.passed else None,
        "confirmed": one.is_confirmed,
        "deprecated": status_metadata.deprecation(one.skill.document) or None,
        "environment": one.environment._asdict(),
    }


def _date(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def text(found: Sequence[Checkup], *, verbose: bool, colour: bool) -> str:
    """What failed in full, what was left in a line, and how many are well."""
    lines = []
    for one in found:
        if verbose or _is_told(one):
            lines += _lines(one, verbose, colour)
    if left := [one.name for one in found if one.is_unfinished]:
        names = ", ".join(map(printable, left[:_LISTED]))
        more = f" and {len(left) - _LISTED} more" if len(left) > _LISTED else ""
        lines.append(f"no time was left for {names}{more}; next time they come first")
    return "\n".join([*lines, summary(found)])


def _is_told(one: Checkup) -> bool:
    is_fine = one.condition in (Condition.PASSED, Condition.NO_CASES)
    return not is_fine and not (
        one.condition is Condition.NOT_RUN and one.is_unfinished
    )


def _lines(one: Checkup, verbose: bool, colour: bool) -> list[str]:
    said = render_text.trials.text(
        one.trials, (), verbose=verbose, colour=colour
    ).split("\n")
    head = said[:-1] if one.trials else [f"{printable(one.name)}: no cases"]
    return [*head, *_what_changed(one)]


def _what_changed(one: Checkup) -> list[str]:
    if one.condition is not Condition.FAILED:
        return []
    if one.passed is None:
        return ["  that it ever passed is not recorded here"]
    changed = ", ".join(one.changed) or "nothing that is recorded"
    unsure = "" if one.is_confirmed else "; no time was left to try it a second time"
    day = str(_date(one.passed.at))[:10]
    return [f"  it passed on {day}; changed since: {changed}{unsure}"]


def summary(found: Sequence[Checkup]) -> str:
    counts = Counter(one.condition for one in found)
    ends = [f"{counts[it]} {it}" for it in Condition if counts[it]]
    return f"{plural(len(found), 'skill')}: {', '.join(ends) or 'nothing to try'}"
