"""Rollouts: check them against recorded uses, change them, roll back what is worse."""

import time
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace

from skillforge.errors import ConflictError, SkillforgeError
from skillforge.gitrepo.ref_update import Signature
from skillforge.history import skill_history
from skillforge.history.lineage import require_skill
from skillforge.model import Action, Origin, Rollout, RolloutState, RolloutVerdict
from skillforge.operate import assignment, canary, rollouts
from skillforge.operate.canary import Judgement
from skillforge.propose.rollback import RollbackRequest
from skillforge.propose.workspace import Workspace
from skillforge.render.text.rollouts import rollback_reason
from skillforge.workflows.promote import promote, roll_back


@dataclass(frozen=True, slots=True)
class CanaryCheck:
    """The judgement on a rollout; `problem` says why no rollback was proposed."""

    judgement: Judgement
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CanaryStatus:
    """All rollouts, or the one of a skill.

    `version` is what every key gets of a skill that has no rollout. `problems` are
    rollout records that can't be read.
    """

    checks: tuple[CanaryCheck, ...] = ()
    problems: tuple[str, ...] = ()
    skill: str = ""
    version: str = ""

    @property
    def ok(self) -> bool:
        return not self.problems


def status(workspace: Workspace, name: str = "") -> CanaryStatus:
    """Check every rollout, or the one of a skill, and act on the verdicts."""
    library = workspace.library
    if name:
        if checks := check_all(workspace, [name]):
            return CanaryStatus(checks, skill=name)
        version = assignment.assigned(library, name, "").version
        return CanaryStatus(skill=name, version=version)
    known = rollouts.read_all(library.repository())
    problems = (f"{err.message}; {err.hint}" for err in known.damaged.values())
    return CanaryStatus(check_all(workspace, sorted(known.valid)), tuple(problems))


def check_all(workspace: Workspace, names: Iterable[str]) -> tuple[CanaryCheck, ...]:
    """Check the rollouts of these skills; a skill without one is left out."""
    results = (check(workspace, name) for name in names)
    return tuple(result for result in results if result is not None)


def check(workspace: Workspace, name: str) -> CanaryCheck | None:
    """Judge a rollout, and close or finish it; a closed one gets its rollback.

    None if main's version has no rollout. A rollback that can't be proposed does not
    change the verdict: the next check tries again.
    """
    judgement = canary.decide(workspace.library, name, automatic())
    if judgement is None:
        return None
    if not judgement.is_closed:
        return CanaryCheck(judgement)
    if number := _open_rollback(workspace, judgement.rollout):
        rollout = replace(judgement.rollout, rollback=number)
        return CanaryCheck(replace(judgement, rollout=rollout))
    try:
        return CanaryCheck(_roll_back(workspace, judgement))
    except SkillforgeError as err:
        retry = f"to try again: skillforge canary status {name}"
        return CanaryCheck(
            judgement, f"the rollback could not be proposed: {err.message}; {retry}"
        )


def _open_rollback(workspace: Workspace, rollout: Rollout) -> int | None:
    """The proposal that rolls a canary back, if this forge has one.

    Clones share rollouts, but without a common forge each has its own proposals: the
    number in the record may belong to another clone.
    """
    if rollout.rollback is None or not workspace.forge.is_local:
        return rollout.rollback
    rollbacks = (
        proposal.number
        for proposal in workspace.forge.proposals(only_open=False)
        if proposal.action is Action.ROLLBACK
        and proposal.skill == rollout.skill
        and proposal.opened >= rollout.started
    )
    return max(rollbacks, default=None)


def _roll_back(workspace: Workspace, judgement: Judgement) -> Judgement:
    """Propose to roll a canary back, and record that; merge it if the policy says so.

    It is recorded before the merge: afterwards main has no rollout any more.
    """
    rollout = judgement.rollout
    unattended = copy(workspace)
    unattended.by = automatic()
    request = RollbackRequest(
        rollout.skill, rollout.stable, rollback_reason(judgement), Origin.CURATOR
    )
    number = roll_back(unattended, request, supersede=True).proposal.number

    def record(now: Rollout) -> Rollout:
        is_same = now.id == rollout.id
        return replace(now, rollback=now.rollback or number) if is_same else now

    event = f"proposal {number} rolls back"
    recorded = rollouts.change(
        workspace.library, rollout.skill, unattended.by, event, record
    )
    is_automatic = workspace.library.policy(workspace.base).canary.auto
    if is_automatic and judgement.verdict is RolloutVerdict.ROLL_BACK:
        promote(unattended, number, now=True)
    return replace(judgement, rollout=replace(recorded, rollback=number))


def automatic() -> Signature:
    """The author of decisions that no person makes."""
    return Signature("skillforge canary", "", f"{int(time.time())} +0000")


def set_share(workspace: Workspace, name: str, share: float) -> CanaryCheck:
    """Change the share of a rollout, resume it, or start one."""
    if rollouts.current(workspace.library, name) is None:
        _start(workspace, name, share)

    def running(rollout: Rollout) -> Rollout:
        return replace(rollout, share=share, state=RolloutState.RUNNING, why="")

    rollouts.change(workspace.library, name, workspace.by, f"{share:g}%", running)
    return _checked(workspace, name)


def decide(
    workspace: Workspace, name: str, state: RolloutState, why: str = ""
) -> CanaryCheck:
    """Pause, finish or close a rollout, whatever the test says."""
    reason = why.strip() or f"{state} by {workspace.by.name}"

    def decided(rollout: Rollout) -> Rollout:
        return replace(rollout, state=state, why=reason)

    rollouts.change(workspace.library, name, workspace.by, state, decided)
    return _checked(workspace, name)


def _checked(workspace: Workspace, name: str) -> CanaryCheck:
    """A rollout that was just changed."""
    if result := check(workspace, name):
        return result
    raise ConflictError(
        f"{name} has just changed on {workspace.library.main}",
        hint=f"skillforge canary status {name}",
    )


def _start(workspace: Workspace, name: str, share: float) -> None:
    """Start a rollout of main's version beside the version before it."""
    library = workspace.library
    require_skill(library, library.tip, name)
    newest = skill_history.log(library, name)[0]
    rollout = Rollout(
        name, "", newest.before, newest.tree, share, workspace.by.seconds,
        merge=newest.step.name, proposal=newest.step.number,
    )  # fmt: skip
    rollouts.start(library, rollout, workspace.by)
