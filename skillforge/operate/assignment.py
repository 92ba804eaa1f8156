"""Which version of a skill a key gets: by chance, and always the same."""

from collections.abc import Mapping
from typing import NamedTuple

from skillforge.errors import ConfigError, RequestError
from skillforge.gitrepo.lineage import successors
from skillforge.library import Library
from skillforge.model import SKILLS, Arm, Assignment, Rollout, RolloutState
from skillforge.operate import rollouts
from skillforge.operate.pseudonym import digest
from skillforge.text import nearest

_RANGE = 2**64


def has_canary(rollout: Rollout, key: str) -> bool:
    """Whether a key is among those that get the new version.

    A key that has it keeps it when the share grows, and rollouts know nothing of each
    other: who gets one canary is no likelier to get the next.
    """
    drawn = int.from_bytes(digest("arm", rollout.id, key)[:8])
    return drawn < rollout.share / 100 * _RANGE


def arm_of(rollout: Rollout | None, tree: str, skill: str, key: str) -> Assignment:
    """What a key gets of a skill that main holds as `tree`."""
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
    """What a key gets of one skill; an old name leads to what took its place."""
    rollouts.refuse_name(name)
    repo, tip = library.repository(), library.tip
    tree = repo.name_of(f"{tip}:{SKILLS}/{name}")
    if not tree and (name := successors(repo, tip).get(name, name)):
        tree = repo.name_of(f"{tip}:{SKILLS}/{name}")
    if not tree:
        raise unknown(library, name)
    given = arm_of(rollouts.find(repo, name), tree, name, key)
    if given.version not in ("", tree):
        for doubt in rollouts.unheld(library, {name: given.version}).values():
            raise doubt
    return given


class Assignments(NamedTuple):
    """What a key gets, by skill; and where that is in doubt, what is wrong."""

    given: dict[str, Assignment]
    doubts: dict[str, ConfigError]


def all_assigned(library: Library, key: str) -> Assignments:
    """What a key gets of every skill of main, by name."""
    repo = library.repository()
    entries = sorted(repo.tree(f"{library.tip}:{SKILLS}").items())
    trees = {name: entry.object for name, entry in entries if entry.is_tree}
    return among(library, trees, rollouts.every(repo), key)


def among(
    library: Library, trees: Mapping[str, str], known: rollouts.Every, key: str
) -> Assignments:
    """What a key gets of skills that main holds as these trees."""
    given = {
        name: arm_of(known.sound.get(name), tree, name, key)
        for name, tree in trees.items()
    }
    others = {
        name: it.version
        for name, it in given.items()
        if it.version not in ("", trees[name])
    }
    doubts = known.doubts | rollouts.unheld(library, others)
    sure = {name: it for name, it in given.items() if name not in doubts}
    return Assignments(sure, {n: it for n, it in doubts.items() if n in trees})


def unknown(library: Library, name: str) -> RequestError:
    """The error for a skill that main does not have."""
    known = list(library.repository().tree(f"{library.tip}:{SKILLS}"))
    meant = nearest(name, known)
    return RequestError(
        f"{library.main} has no skill {name!r}",
        hint=f"did you mean {meant}?" if meant else "skillforge list shows skills",
    )
