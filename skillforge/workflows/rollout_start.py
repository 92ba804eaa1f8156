"""Start the rollout that the policy asks for after a merge."""

from typing import NamedTuple

from skillforge.checks.status_metadata import is_only_marked
from skillforge.errors import SkillforgeError
from skillforge.library import Library
from skillforge.model import Action, Rollout
from skillforge.operate import rollouts
from skillforge.propose.workspace import Workspace

_ACTIONS = {"edits": (Action.EDIT,), "all": (Action.EDIT, Action.CREATE)}


class MergedChange(NamedTuple):
    """A change of a skill that reached main."""

    skill: str
    action: str
    commit: str
    proposal: int | None


def start_rollout(
    workspace: Workspace, merged: MergedChange
) -> tuple[Rollout | None, str]:
    """The rollout after a merge, if the policy asks for one; else why it failed.

    Safe to repeat: the rollout that was started for a merge is found again.
    """
    library, name = workspace.library, merged.skill
    rule = library.policy(library.tip).canary
    if merged.action not in _ACTIONS.get(rule.start, ()):
        return None, ""
    revisions = (f"{merged.commit}^1", merged.commit, library.tip)
    before, after, now = library.versions(revisions, name)
    if not after or after != now or _is_only_marked(library, name, revisions):
        return None, ""  # main has moved on, or the skill works as before
    rollout = Rollout(
        name, "", before, after, rule.share, workspace.by.seconds,
        merge=merged.commit, proposal=merged.proposal,
    )  # fmt: skip
    try:
        return rollouts.start(library, rollout, workspace.by), ""
    except SkillforgeError as err:
        retry = f"skillforge canary set {name} --share {rule.share:g}"
        return None, f"no rollout was started: {err.message}; {retry}"


def _is_only_marked(library: Library, name: str, revisions: tuple[str, ...]) -> bool:
    """Whether only a pin or a deprecation changed, so there is nothing to compare."""
    before, after, *_ = (library.skill_at(revision, name) for revision in revisions)
    return before is not None and after is not None and is_only_marked(before, after)
