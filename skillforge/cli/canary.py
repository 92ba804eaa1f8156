"""`skillforge canary`: two versions of a skill side by side."""

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
from skillforge.model import RolloutState
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows import canary as canaries
from skillforge.workflows.canary import CanaryCheck


@click.group(cls=SuggestingGroup)
@forge_options
def canary() -> None:
    """Compare a new version of a skill with the one before, and decide.

    Promoting an edit starts a rollout (policy key `canary`): a share of keys gets the
    new version, the others the one before. A sequential test, valid at any time,
    compares their verified outcomes after every use. A version that is worse is closed
    at once, and a proposal rolls it back.

    \b
    skillforge canary status                all rollouts
    skillforge canary status csv-tables     one, with its numbers
    skillforge canary set csv-tables --share 50
    skillforge canary abort csv-tables --why "Users complain"
    """


@canary.command()
@click.argument("name", required=False, default="", shell_complete=completions.skills)
@forge_options
@click.pass_obj
def status(settings: GlobalOptions, name: str) -> CommandResult:
    """Check rollouts against the recorded uses, and show the numbers.

    Acts on the verdict: finishes a rollout, or closes it and proposes the rollback.
    """
    found = canaries.status(_workspace(settings), name)
    return CommandResult(
        {**data.rollouts.status(found)},
        text.rollouts.status(found),
        ok=not found.problems,
    )


@canary.command("set")
@click.argument("name", shell_complete=completions.skills)
@click.option(
    "--share",
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    required=True,
    metavar="PERCENT",
    help="Percentage of keys that get the new version.",
)
@as_option
@forge_options
@click.pass_obj
def set_share(
    settings: GlobalOptions, name: str, share: float, speaks_for: str | None
) -> CommandResult:
    """Change the share of a rollout, resume it, or start one.

    Keys that have the new version keep it when the share grows.
    """
    workspace = _workspace(settings, speaks_for)
    return _checked(canaries.set_share(workspace, name, share))


def _decision(command: F) -> F:
    """The options of every decision on a rollout."""
    why = click.option("--why", default="", help="The reason, for history.")
    name = click.argument("name", shell_complete=completions.skills)
    return name(why(as_option(forge_options(command))))


@canary.command()
@_decision
@click.pass_obj
def pause(
    settings: GlobalOptions, name: str, why: str, speaks_for: str | None
) -> CommandResult:
    """Give every key the old version for now; `canary set` resumes the rollout."""
    workspace = _workspace(settings, speaks_for)
    return _checked(canaries.decide(workspace, name, RolloutState.PAUSED, why))


@canary.command()
@_decision
@click.pass_obj
def finish(
    settings: GlobalOptions, name: str, why: str, speaks_for: str | None
) -> CommandResult:
    """Give every key the new version."""
    workspace = _workspace(settings, speaks_for)
    return _checked(canaries.decide(workspace, name, RolloutState.FINISHED, why))


@canary.command()
@_decision
@click.pass_obj
def abort(
    settings: GlobalOptions, name: str, why: str, speaks_for: str | None
) -> CommandResult:
    """Give no key the new version, and propose to roll it back."""
    workspace = _workspace(settings, speaks_for)
    return _checked(canaries.decide(workspace, name, RolloutState.CLOSED, why))


def _workspace(settings: GlobalOptions, speaks_for: str | None = None) -> Workspace:
    return Workspace.at(settings.start, speaks_for, settings.choice)


def _checked(check: CanaryCheck) -> CommandResult:
    return CommandResult(
        {**data.rollouts.judgement(check.judgement)}, text.rollouts.check(check)
    )
