"""`skillforge promoted`: notes on merges that were made on GitHub."""

from typing import TYPE_CHECKING

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    host_option,
)

if TYPE_CHECKING:
    from skillforge.forge import HostedForge
    from skillforge.propose.workspace import Workspace
from skillforge.cli.hosted_workspace import hosted_workspace


@click.command()
@click.argument("span", required=False, metavar="[RANGE]", default="")
@host_option
@common_options
@click.pass_obj
def promoted(settings: GlobalOptions, span: str) -> CommandResult:
    """Note who approved merges that were made in GitHub's pages.

    A merge by `skillforge promote` says itself who approved what. For others this asks
    GitHub, runs the gate again on what was merged, and keeps the answer as a git note
    that `log`, `why` and `audit` read (refs/notes/skillforge, which is pushed). With a
    range it also starts the rollouts that the policy wants after an edit.

    Exits 1 if something reached main without the approvals that the policy asks for,
    or against the gate.
    """
    from skillforge.history import audit
    from skillforge.propose import backfill_notes
    from skillforge.render.text.history import audit_exception

    workspace, forge = hosted_workspace(settings)
    forge.look()
    chosen = audit.commits_of(workspace.library, span) if span else None
    done = backfill_notes.record(workspace, chosen)
    started = _rolled_out(workspace, forge, chosen) if chosen else []
    wrong = audit.audit(workspace.library, None, span).exceptions
    lines = [
        f"noted {one.commit[:12]}: pull request {one.number}, the gate "
        f"{'passed' if one.passed else 'refuses it'}"
        for one in done
    ]
    lines += [f"started the rollout of {name}" for name in started]
    lines += [audit_exception(exception) for exception in wrong]
    data = {
        "recorded": [one._asdict() for one in done],
        "rollouts": started,
        "exceptions": [problem._asdict() for problem in wrong],
    }
    return CommandResult(data, "\n".join(lines or ["nothing to note"]), ok=not wrong)


def _rolled_out(
    workspace: "Workspace", forge: "HostedForge", commits: set[str]
) -> list[str]:
    """Start the rollouts that the policy wants after merges, and share them."""
    from skillforge.history import steps
    from skillforge.operate import rollout_sync
    from skillforge.workflows.rollout_start import MergedChange, start_rollout

    library, remote = workspace.library, forge.remote
    rollout_sync.exchange(library, remote, workspace.by)
    started = []
    for step in steps.read_steps(library, library.tip):
        if step.name in commits and step.is_promotion:
            for name in step.skills:
                merged = MergedChange(name, str(step.action), step.name, step.number)
                rollout, _ = start_rollout(workspace, merged)
                started += [name] if rollout and rollout.is_running else []
    if started:
        rollout_sync.exchange(library, remote, workspace.by)
    return started
