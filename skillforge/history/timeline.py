"""A library day by day: how many skills it had, and what changed."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillforge.gitrepo import trailers
from skillforge.history.steps import HistoryStep
from skillforge.model import Action


class Day(NamedTuple):
    """A day on which main's skills changed; the counts are totals up to that day."""

    date: str
    skills: int
    promotions: int
    rollbacks: int


def days(all_steps: Iterable[HistoryStep]) -> list[Day]:
    """The days on which skills changed, in the order of history."""
    in_use: set[str] = set()
    promotions = rollbacks = 0
    by_date: dict[str, Day] = {}
    for step in all_steps:
        for name, change in step.skills.items():
            (in_use.add if change.after else in_use.discard)(name)
        is_rollback = bool(step.reverts) or step.action == Action.ROLLBACK
        promotions += step.is_promotion and not is_rollback
        rollbacks += is_rollback
        if step.skills:
            date = step.date[:10]
            by_date[date] = Day(date, len(in_use), promotions, rollbacks)
    return list(by_date.values())


def origins(all_steps: Iterable[HistoryStep]) -> Mapping[str, str]:
    """The origin of each version, by its tree; a restored version keeps its origin."""
    by_tree: dict[str, str] = {}
    for step in all_steps:
        if step.reverts or step.action == Action.ROLLBACK:
            continue
        origin = trailers.first(step.draft_trailers, "Origin")
        for change in step.skills.values():
            if change.after and origin:
                by_tree.setdefault(change.after, origin)
    return by_tree
