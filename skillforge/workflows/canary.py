"""What follows from rollouts: started by a promotion, judged, taken back."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from skillforge.errors import SkillforgeError
from skillforge.model import Action, Origin, Rollout

if TYPE_CHECKING:
    from skillforge.gitrepo.ref_update import Signature
    from skillforge.library import Library
    from skillforge.operate.canary import Judgement
    from skillforge.propose.workspace import Workspace


class Merged(NamedTuple):
    """A change of a skill that reached main."""

    skill: str
    action: str
    commit: str
    proposal: int | None


def rolled_out(desk: "Workspace", merged: Merged) -> tuple[Rollout | None, str]:
    """Start the rollout that the policy wants after a promotion; or why there is none.

    Safe to repeat: a rollout that was started for a merge is found again.
    """
    from skillforge.model import SKILLS
    from skillforge.operate import rollouts

    library, name = desk.library, merged.skill
    rule = library.policy(library.tip).canary
    starts = {"edits": (Action.EDIT,), "all": (Action.EDIT, Action.CREATE)}
    if merged.action not in starts.get(rule.start, ()):
        return None, ""
    revisions = (f"{merged.commit}^1", merged.commit, library.tip)
    before, after, now = library.repository().names_of(
        [f"{revision}:{SKILLS}/{name}" for revision in revisions]
    )
    if not after or after != now or _is_only_marked(library, name, revisions):
        return None, ""  # main has moved on, or does what it did before
    wanted = Rollout(
        name, "", before, after, rule.share, desk.by.seconds,
        merge=merged.commit, proposal=merged.proposal,
    )  # fmt: skip
    try:
        return rollouts.begun(library, wanted, desk.by), ""
    except SkillforgeError as err:
        again = f"skillforge canary set {name} --share {rule.share:g}"
        return None, f"no rollout was started: {err.message}; {again}"


def _is_only_marked(library: "Library", name: str, revisions: tuple[str, ...]) -> bool:
    """Whether a pin or a warning is all that changed: there is nothing to try then."""
    from skillforge.checks.status_metadata import is_only_marked

    before, after, *_ = (library.skill_at(it, name) for it in revisions)
    return before is not None and after is not None and is_only_marked(before, after)


def looked_at(desk: "Workspace", name: str) -> "tuple[Judgement | None, str]":
    """Judge a rollout and see to what follows; a problem does not undo the verdict."""
    from skillforge.operate import canary as canaries

    judged = canaries.look(desk.library, name, automatic())
    if judged is None or not judged.is_closed:
        return judged, ""
    if number := _asked_for(desk, judged.rollout):
        return replace(judged, rollout=replace(judged.rollout, rollback=number)), ""
    try:
        return taken_back(desk, judged), ""
    except SkillforgeError as err:
        again = f"skillforge canary status {name} tries it again"
        return judged, f"the rollback could not be proposed: {err.message}; {again}"


def _asked_for(desk: "Workspace", rollout: Rollout) -> int | None:
    """The proposal that takes a canary back, if this forge has one.

    Clones agree on rollouts, but without a forge in common each has its own proposals:
    the number that came along may mean something else here, or nothing.
    """
    if rollout.rollback is None or not desk.forge.is_here:
        return rollout.rollback
    rollbacks = (
        proposal.number
        for proposal in desk.forge.proposals(only_open=False)
        if proposal.action is Action.ROLLBACK
        and proposal.skill == rollout.skill
        and proposal.opened >= rollout.started
    )
    return max(rollbacks, default=None)


def heard(desk: "Workspace", names: list[str]) -> "list[tuple[Judgement, str]]":
    """The rollouts that something new was heard of, judged."""
    looked = [looked_at(desk, name) for name in names]
    return [(judged, problem) for judged, problem in looked if judged is not None]


def automatic() -> "Signature":
    """Who decides where nobody is asked."""
    import time

    from skillforge.gitrepo.ref_update import Signature

    return Signature("skillforge canary", "", f"{int(time.time())} +0000")


def taken_back(desk: "Workspace", judged: "Judgement") -> "Judgement":
    """Open the proposal that takes a canary back, and note it with the rollout.

    Where the policy says `auto`, it is promoted at once.
    """
    from skillforge.operate import rollouts, words
    from skillforge.propose import promote, rollback
    from skillforge.propose.admission import ProposalRequest
    from skillforge.propose.submit import propose

    rollout, by = judged.rollout, automatic()
    why = words.rollback_reason(judged)
    wish = rollback.RollbackRequest(rollout.skill, rollout.stable, why, Origin.CURATOR)
    draft = rollback.draft_of(desk.library, wish)
    request = ProposalRequest(draft, desk.base, supersede=True)
    [outcome] = propose(desk.library, desk.forge, [request], by)
    assert outcome.proposal is not None
    number = outcome.proposal.number
    noted = rollouts.change(
        desk.library,
        rollout.skill,
        by,
        f"proposal {number} takes back",
        lambda now: (
            replace(now, rollback=now.rollback or number)
            if now.id == rollout.id
            else now
        ),
    )
    if desk.library.policy(desk.base).canary.auto and judged.verdict == "roll-back":
        promote.promote(desk.library, desk.forge, number, by, now=True)
    return replace(judged, rollout=replace(noted, rollback=number))
