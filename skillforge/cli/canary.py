"""The commands of a rollout: two versions of a skill side by side."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    F,
    GlobalOptions,
    SuggestingGroup,
    as_option,
    forge_options,
)
from skillforge.errors import ConflictError
from skillforge.model import Rollout, RolloutState
from skillforge.workflows.canary import looked_at

if TYPE_CHECKING:
    from skillforge.propose.workspace import Workspace


@click.group(cls=SuggestingGroup)
@forge_options
def canary() -> None:
    """Try a new version beside the old one; look, and decide.

    A promotion of an edit starts a rollout (policy key `canary`): a share of keys gets
    the new version, the others the one before. Verified outcomes are compared after
    every use, by a test that stays valid however often it is looked at. A version that
    is shown to be worse is closed at once, and a proposal takes it back.

    \b
    skillforge canary status                every rollout
    skillforge canary status csv-tables     one, with its numbers
    skillforge canary set csv-tables --share 50
    skillforge canary abort csv-tables --why "Users complain"
    """


@canary.command()
@click.argument("name", required=False, shell_complete=completions.skills)
@forge_options
@click.pass_obj
def status(settings: GlobalOptions, name: str | None) -> CommandResult:
    """Judge rollouts by what was recorded so far, and tell the numbers.

    Does what a verdict asks for: finishes a rollout, or closes it and opens the
    proposal that takes the version back.
    """
    from skillforge.operate import rollouts, words
    from skillforge.report import printable

    desk = _desk(settings, None)
    library = desk.settled()
    known = rollouts.every(library.repository())
    names = [name] if name else sorted(known.sound)
    looked = [(each, looked_at(desk, each)) for each in names]
    found = [(judged, problem) for _, (judged, problem) in looked if judged]
    if name and not found:
        return _no_rollout(desk, name)
    rows = [words.judgement_data(judged) for judged, _ in found]
    lines = [words.judgement_text(judged) for judged, _ in found]
    lines += [problem for _, problem in found if problem]
    doubts = (
        [] if name else [f"{it.message}; {it.hint}" for it in known.doubts.values()]
    )
    lines += [printable(line) for line in doubts]
    data = (rows[0] if name else {}) | {"rollouts": rows, "problems": doubts}
    text = "\n".join(lines) or "no rollout is under way"
    return CommandResult(data, text, ok=not doubts)


def _no_rollout(desk: "Workspace", name: str) -> CommandResult:
    from skillforge.operate import assignment

    given = assignment.assigned(desk.library, name, "")
    data = {"skill": name, "state": None, "verdict": None, "version": given.version}
    words = f"{name} has no rollout: everybody gets {given.version[:12]}"
    return CommandResult(data | {"rollouts": []}, words)


@canary.command("set")
@click.argument("name", shell_complete=completions.skills)
@click.option(
    "--share",
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    required=True,
    metavar="PERCENT",
    help="How many percent of keys get the new version.",
)
@as_option
@forge_options
@click.pass_obj
def set_share(
    settings: GlobalOptions, name: str, share: float, speaks_for: str | None
) -> CommandResult:
    """Give a rollout another share; go on with one, or start one.

    Whoever has the new version keeps it when the share grows.
    """
    from skillforge.operate import rollouts

    desk = _desk(settings, speaks_for)
    if rollouts.current(desk.settled(), name) is None:
        _start(desk, name, share)
    return _change(
        desk,
        name,
        f"{share:g} %",
        lambda it: replace(it, share=share, state=RolloutState.RUNNING, why=""),
    )


def _decision(command: F) -> F:
    """Give a command what every decision on a rollout takes."""
    why = click.option("--why", default="", help="The reason, for history.")
    name = click.argument("name", shell_complete=completions.skills)
    return name(why(as_option(forge_options(command))))


@canary.command()
@_decision
@click.pass_obj
def pause(
    settings: GlobalOptions, name: str, why: str, speaks_for: str | None
) -> CommandResult:
    """Give everybody the old version for now; `canary set` goes on."""
    return _decide(_desk(settings, speaks_for), name, RolloutState.PAUSED, why)


@canary.command()
@_decision
@click.pass_obj
def finish(
    settings: GlobalOptions, name: str, why: str, speaks_for: str | None
) -> CommandResult:
    """Give everybody the new version."""
    return _decide(_desk(settings, speaks_for), name, RolloutState.FINISHED, why)


@canary.command()
@_decision
@click.pass_obj
def abort(
    settings: GlobalOptions, name: str, why: str, speaks_for: str | None
) -> CommandResult:
    """Give nobody the new version, and propose to take it back."""
    return _decide(_desk(settings, speaks_for), name, RolloutState.CLOSED, why)


def _decide(
    desk: "Workspace", name: str, state: RolloutState, why: str
) -> CommandResult:
    reason = why.strip() or f"{state} by {desk.by.name}"
    return _change(desk, name, state, lambda it: replace(it, state=state, why=reason))


def _change(desk: "Workspace", name: str, event: str, how: Any) -> CommandResult:
    """Change a rollout, and tell how it stands then."""
    from skillforge.operate import rollouts, words

    rollouts.change(desk.settled(), name, desk.by, event, how)
    judged, problem = looked_at(desk, name)
    if judged is None:
        raise ConflictError(
            f"{name} has moved on just now: {desk.library.main} holds another version",
            hint=f"skillforge canary status {name}",
        )
    text = words.judgement_text(judged)
    return CommandResult(
        words.judgement_data(judged), "\n".join(filter(None, (text, problem)))
    )


def _desk(settings: GlobalOptions, speaks_for: str | None) -> "Workspace":
    from skillforge.propose.workspace import Workspace

    return Workspace.at(settings.start, speaks_for, settings.choice)


def _start(desk: "Workspace", name: str, share: float) -> None:
    """Start a rollout of what main holds, beside the version before."""
    from skillforge.operate import assignment, rollouts
    from skillforge.propose import skill_history

    assignment.assigned(desk.library, name, "")  # a name that there is
    newest = skill_history.log(desk.library, name)[0]
    wanted = Rollout(
        name, "", newest.before, newest.tree, share, desk.by.seconds,
        merge=newest.step.name, proposal=newest.step.number,
    )  # fmt: skip
    rollouts.begun(desk.library, wanted, desk.by)
