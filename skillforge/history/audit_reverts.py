"""Versions that were taken back, and the reverts that bring one back unreviewed."""

from collections.abc import Iterable

from skillforge.history.steps import HistoryStep


def returns(
    all_steps: Iterable[HistoryStep], adopted: set[str]
) -> dict[str, list[str]]:
    """The reverts that bring back what was taken back, with the skills of each.

    A plain `git revert` may go back to any version that main held, but not to one that
    a rollback or another revert took away: that needs a proposal. Such a revert takes
    nothing back itself, so reverting it is fine.
    """
    taken: dict[str, set[str]] = {}  # versions of each skill, by tree
    found: dict[str, list[str]] = {}
    for step in all_steps:
        is_reviewed = step.is_promotion or step.name in adopted
        back = [n for n, c in step.skills.items() if c.after in taken.get(n, ())]
        if back and step.reverts and not is_reviewed:
            found[step.name] = back
            continue
        for name, change in step.skills.items():
            gone = taken.setdefault(name, set())
            if step.reverts:
                gone |= {change.before, *_reverted(step, name)} - {change.after}
            if is_reviewed:
                gone.discard(change.after)
    return found


def _reverted(step: HistoryStep, name: str) -> Iterable[str]:
    return (it.skills[name].after for it in step.reverts if name in it.skills)
