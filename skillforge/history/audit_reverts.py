"""Reverts that bring back a version that was rolled back, without a proposal."""

from collections.abc import Iterable

from skillforge.history.steps import HistoryStep


def unreviewed_returns(
    all_steps: Iterable[HistoryStep], adopted: set[str]
) -> dict[str, list[str]]:
    """The reverts that restore a reverted version, with the skills of each.

    A plain `git revert` may restore any version that main had, but not one that a
    rollback or another revert removed: that needs a proposal. Such a revert doesn't
    make the version that it replaces a removed one, so reverting it is fine.
    """
    removed: dict[str, set[str]] = {}  # versions of each skill, by tree
    returns: dict[str, list[str]] = {}
    for step in all_steps:
        is_reviewed = step.is_promotion or step.name in adopted
        back = [n for n, c in step.skills.items() if c.after in removed.get(n, ())]
        if back and step.reverts and not is_reviewed:
            returns[step.name] = back
            continue
        for name, change in step.skills.items():
            trees = removed.setdefault(name, set())
            if step.reverts:
                others = (s.skills[name] for s in step.reverts if name in s.skills)
                trees |= {change.before, *(c.after for c in others)} - {change.after}
            if is_reviewed:
                trees.discard(change.after)
    return returns
