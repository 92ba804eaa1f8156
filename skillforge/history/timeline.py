"""The life of a library, day by day: how many skills there were, and what changed."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillforge.gitrepo import trailers
from skillforge.history.steps import HistoryStep
from skillforge.model import Action


class Day(NamedTuple):
    """A day on which main's skills changed; all counts are since the beginning."""

    date: str
    skills: int
    promotions: int
    rollbacks: int


def days(all_steps: Iterable[HistoryStep]) -> list[Day]:
    """The days on which something changed, in the order of history."""
    there: set[str] = set()
    promotions = rollbacks = 0
    found: dict[str, Day] = {}
    for step in all_steps:
        for name, change in step.skills.items():
            (there.add if change.after else there.discard)(name)
        is_rollback = bool(step.reverts) or step.action == Action.ROLLBACK
        promotions += step.is_promotion and not is_rollback
        rollbacks += is_rollback
        if step.skills:
            date = step.date[:10]
            found[date] = Day(date, len(there), promotions, rollbacks)
    return list(found.values())


def origins(all_steps: Iterable[HistoryStep]) -> Mapping[str, str]:
    """Who made each version of a skill, by its tree; to bring one back makes none."""
    found: dict[str, str] = {}
    for step in all_steps:
        if step.reverts or step.action == Action.ROLLBACK:
            continue
        origin = trailers.first(step.drafted, "Origin")
        for change in step.skills.values():
            if change.after and origin:
                found.setdefault(change.after, origin)
    return found
