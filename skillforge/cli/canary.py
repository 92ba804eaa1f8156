"""`skillforge canary`: compare two versions of a skill in use."""

from typing import TYPE_CHECKING

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    F,
    GlobalOptions,
    SuggestingGroup,
    as_option,
    forge_options,
)
from skillforge.cli.skill_name import skill_argument
from skillforge.model import RolloutState
from skillforge.render import data, text

if TYPE_CHECKING:
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows.canary import CanaryCheck


@click.group(cls=SuggestingGroup)
@forge_options
def canary() -> None:
    """Compare a new version of a skill with the old one, and decide.

    Promoting an edit starts a rollout (policy key `canary`): a share of keys gets the
    new version, the others keep the old one. A sequential test, valid at any time,
    compares their verified outcomes after every use. If the new version is worse, the
    rollout is closed immediately and a proposal rolls it back.

    \b
    skillforge canary status                all rollouts
    skillforge canary status csv-tables     one rollout, with its numbers
    skillforge canary set csv-tables --share 50
    skillforge canary abort csv-tables --why "Users complain"
    """


@canary.command()
@skill_argument(required=False, default="")
@forge_options
@click.pass_obj
def status(settings: GlobalOptions, name: str) -> CommandResult:
    """Check rollouts against the recorded uses, and show the numbers.

    Acts on the verdict: finishes a rollout, or closes it and proposes the rollback.
    """
    result = workflows.canary.status(settings.workspace(), name)
    return CommandResult(
        {**data.rollouts.status(result)}, text.rollouts.status(result), result.ok
    )


@canary.command("set")
@skill_argument()
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
    check = workflows.canary.set_share(settings.workspace(speaks_for), name, share)
    return _changed(check)


def _decision(command: F) -> F:
    """The options of every decision on a rollout."""
    why = click.option("--why", default="", help="The reason, for history.")
    name = skill_argument()
    return name(why(as_option(forge_options(command))))


@canary.command()
@_decision
@click.pass_obj
def pause(
    settings: GlobalOptions, name: str, why: str, speaks_for: str | None
) -> CommandResult:
    """Pause a rollout: every key gets the old version until `canary set`."""
    return _decide(settings.workspace(speaks_for), name, RolloutState.PAUSED, why)


@canary.command()
@_decision
@click.pass_obj
def finish(
    settings: GlobalOptions, name: str, why: str, speaks_for: str | None
) -> CommandResult:
    """Finish a rollout: every key gets the new version."""
    return _decide(settings.workspace(speaks_for), name, RolloutState.FINISHED, why)


@canary.command()
@_decision
@click.pass_obj
def abort(
    settings: GlobalOptions, name: str, why: str, speaks_for: str | None
) -> CommandResult:
    """Stop a rollout: no key gets the new version; propose a rollback."""
    return _decide(settings.workspace(speaks_for), name, RolloutState.CLOSED, why)


def _decide(
    workspace: "Workspace", name: str, state: RolloutState, why: str
) -> CommandResult:
    return _changed(workflows.canary.decide(workspace, name, state, why))


def _changed(check: "CanaryCheck") -> CommandResult:
    return CommandResult(
        {**data.rollouts.judgement(check.judgement)}, text.rollouts.check(check)
    )
