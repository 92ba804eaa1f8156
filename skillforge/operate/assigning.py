"""Which version of a skill a key gets: by chance, and always the same."""

from skillforge.errors import RequestError
from skillforge.gitrepo.lineage import successors
from skillforge.library import Library
from skillforge.model import SKILLS, Arm, Assigned, Rollout, RolloutState
from skillforge.operate import rollouts
from skillforge.operate.voices import digest
from skillforge.text import nearest

_RANGE = 2**64


def has_canary(rollout: Rollout, key: str) -> bool:
    """Whether a key is among those that get the new version.

    A key that has it keeps it when the share grows, and rollouts know nothing of each
    other: who gets one canary is no likelier to get the next.
    """
    drawn = int.from_bytes(digest("arm", rollout.id, key)[:8])
    return drawn < rollout.share / 100 * _RANGE


def arm_of(rollout: Rollout | None, tree: str, skill: str, key: str) -> Assigned:
    """What a key gets of a skill that main holds as `tree`."""
    if rollout is None or not rollouts.is_current(rollout, tree):
        return Assigned(skill, tree)
    if rollout.state is RolloutState.FINISHED:
        return Assigned(skill, tree)
    if not rollout.is_running:
        return Assigned(skill, rollout.stable)
    is_canary = has_canary(rollout, key)
    arm = Arm.CANARY if is_canary else Arm.STABLE
    version = rollout.canary if is_canary else rollout.stable
    return Assigned(skill, version, arm, rollout.id, rollout.share)


def assigned(library: Library, name: str, key: str) -> Assigned:
    """What a key gets of one skill; an old name leads to what took its place."""
    rollouts.refuse_name(name)
    repo, tip = library.repository(), library.tip
    tree = repo.name_of(f"{tip}:{SKILLS}/{name}")
    if not tree and (name := successors(repo, tip).get(name, name)):
        tree = repo.name_of(f"{tip}:{SKILLS}/{name}")
    if not tree:
        raise unknown(library, name)
    return arm_of(rollouts.find(repo, name), tree, name, key)


def all_assigned(library: Library, key: str) -> list[Assigned]:
    """What a key gets of every skill of main, by name."""
    repo = library.repository()
    trees = repo.tree(f"{library.tip}:{SKILLS}")
    known = rollouts.every(repo)
    return [
        arm_of(known.get(name), entry.object, name, key)
        for name, entry in sorted(trees.items())
        if entry.is_tree
    ]


def unknown(library: Library, name: str) -> RequestError:
    """The error for a skill that main does not have."""
    known = list(library.repository().tree(f"{library.tip}:{SKILLS}"))
    meant = nearest(name, known)
    return RequestError(
        f"main has no skill {name!r}",
        hint=f"did you mean {meant}?" if meant else "skillforge list shows skills",
    )
