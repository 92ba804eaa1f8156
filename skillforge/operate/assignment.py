"""Which version of a skill a key gets: random, and always the same for one key."""

import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillforge.errors import ConfigError, ToolError
from skillforge.history.lineage import successors, unknown_skill
from skillforge.library import Library
from skillforge.model import Arm, Assignment, Rollout, RolloutState
from skillforge.operate import pseudonym, rollouts
from skillforge.store import Uses

_RANGE = 2**64


def has_canary(rollout: Rollout, key: str) -> bool:
    """Whether a key gets the new version.

    A key keeps it when the share grows. Rollouts are independent: a key that gets one
    canary is no more likely to get the next.
    """
    drawn = int.from_bytes(pseudonym.digest("arm", rollout.id, key)[:8])
    return drawn < rollout.share / 100 * _RANGE


def arm_of(rollout: Rollout | None, tree: str, skill: str, key: str) -> Assignment:
    """What a key gets of a skill whose version on main is `tree`."""
    if rollout is None or not rollouts.is_current(rollout, tree):
        return Assignment(skill, tree)
    if rollout.state is RolloutState.FINISHED:
        return Assignment(skill, tree)
    if not rollout.is_running:
        return Assignment(skill, rollout.stable)
    is_canary = has_canary(rollout, key)
    arm = Arm.CANARY if is_canary else Arm.STABLE
    version = rollout.canary if is_canary else rollout.stable
    return Assignment(skill, version, arm, rollout.id, rollout.share)


def assigned(library: Library, name: str, key: str) -> Assignment:
    """What a key gets of one skill; the old name of an absorbed skill works too."""
    rollouts.require_name(name)
    repo, tip = library.repository(), library.tip
    tree = library.skill_tree(tip, name)
    if not tree and (name := successors(library, tip).get(name, name)):
        tree = library.skill_tree(tip, name)
    if not tree:
        raise unknown_skill(library, tip, name)
    assignment = arm_of(rollouts.find(repo, name), tree, name, key)
    if assignment.version not in ("", tree):
        rollouts.require_on_main(library, name, assignment.version)
    return assignment


class Assignments(NamedTuple):
    """What a key gets, by skill; and errors, by skill, for invalid rollouts."""

    valid: dict[str, Assignment]
    errors: dict[str, ConfigError]


def all_assigned(library: Library, key: str) -> Assignments:
    """What a key gets of every skill of main, by name."""
    records = rollouts.read_all(library.repository())
    return assign_all(
        library, dict(sorted(library.skill_trees(library.tip).items())), records, key
    )


def assign_all(
    library: Library,
    trees: Mapping[str, str],
    records: rollouts.RolloutRecords,
    key: str,
) -> Assignments:
    """What a key gets of skills whose versions on main are these trees."""
    assigned = {
        name: arm_of(records.valid.get(name), tree, name, key)
        for name, tree in trees.items()
    }
    others = {
        name: assignment.version
        for name, assignment in assigned.items()
        if assignment.version not in ("", trees[name])
    }
    errors = records.damaged | rollouts.never_on_main(library, others)
    return Assignments(
        {
            name: assignment
            for name, assignment in assigned.items()
            if name not in errors
        },
        {name: error for name, error in errors.items() if name in trees},
    )


def remember(library: Library, assignments: Iterable[Assignment], key: str) -> str:
    """Save what a key has now, so that its outcomes count for that version.

    Returns why it could not be saved. A read-only repository is not an error: `record`
    then uses what the key gets at that time.
    """
    try:
        store = Uses.of(library.repository().common_dir)
        rows = [
            (assignment, pseudonym.of_key(assignment.skill, key))
            for assignment in assignments
        ]
        store.save_assignments(rows, int(time.time()))
    except ToolError as err:
        return err.message
    return ""
