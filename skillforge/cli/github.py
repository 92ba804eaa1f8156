"""The commands that a library on GitHub needs, beside those of the loop."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    host_option,
)
from skillforge.errors import RequestError

if TYPE_CHECKING:
    from skillforge.forge.github import GitHubForge
    from skillforge.propose.workspace import Workspace


def desk_on_github(settings: GlobalOptions) -> "tuple[Workspace, GitHubForge]":
    """A desk whose forge is GitHub, whatever the policy says."""
    from skillforge.forge.github import GitHubForge
    from skillforge.forge.resolve import GITHUB, Choice
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at(settings.start, None, Choice(GITHUB, settings.host))
    assert isinstance(desk.forge, GitHubForge)
    return desk, desk.forge


@click.command()
@click.option("--dry-run", is_flag=True, help="Print the calls, and make none.")
@click.option(
    "--owner",
    "owners",
    multiple=True,
    metavar="@NAME",
    help="Who has to approve changes of policy and workflows [default: the owner of "
    "the repository, or you for one of an organisation].",
)
@host_option
@common_options
@click.pass_obj
def protect(
    settings: GlobalOptions, dry_run: bool, owners: tuple[str, ...]
) -> CommandResult:
    """Set the repository on GitHub up so that only judged proposals reach main.

    A ruleset for main (pull request, approvals of the policy, stale ones dismissed, the
    last push approved by another, the check skill-gate, no force push, no deletion),
    one for release tags, merge commits only, CODEOWNERS for what judges, labels, topic.
    Run it again whenever you like: what is as it should be is left alone.

    \b
    skillforge protect --dry-run
    skillforge protect --owner @acme/reviewers
    """
    from skillforge.forge import branch_protection
    from skillforge.report import plural, to_json

    if any(not owner.startswith("@") for owner in owners):
        raise click.UsageError("--owner is @LOGIN or @ORGANISATION/TEAM")
    desk, forge = desk_on_github(settings)
    forge.look()
    names = owners or (branch_protection.default_owner(forge.hosted.wire),)
    policy = desk.library.policy(desk.library.tip)
    calls = branch_protection.plan(forge.hosted, policy, names)
    if not dry_run:
        branch_protection.apply(forge.hosted.wire, calls)
    lines = []
    for call in calls:
        lines.append(f"{call.verb} {call.path}: {call.why}")
        if dry_run:
            lines += [f"    {line}" for line in to_json(call.body).split("\n")]
    if not dry_run and any("/contents/" in call.path for call in calls):
        lines.append(f"CODEOWNERS is new on {desk.library.main}: git pull")
    done = "would be changed" if dry_run else "changed"
    end = (
        f"{plural(len(calls), 'setting')} {done}" if calls else "all is as it should be"
    )
    data = {
        "repository": str(forge.hosted.place),
        "calls": [call._asdict() for call in calls],
        "applied": not dry_run,
    }
    return CommandResult(data, "\n".join([*lines, f"{forge.hosted.place}: {end}"]))


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
    from skillforge.propose import audit, backfill_notes
    from skillforge.render.text.history import audit_exception

    desk, forge = desk_on_github(settings)
    forge.look()
    chosen = audit.commits_of(desk.library, span) if span else None
    done = backfill_notes.record(desk.library, forge, chosen, desk.by)
    started = _rolled_out(desk, forge, chosen) if chosen else []
    wrong = audit.audit(desk.library, None, span).exceptions
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
    desk: "Workspace", forge: "GitHubForge", commits: set[str]
) -> list[str]:
    """Start the rollouts that the policy wants after merges, and share them."""
    from skillforge.operate import rollout_sync
    from skillforge.propose import history_steps
    from skillforge.workflows.canary import Merged, rolled_out

    library, remote = desk.library, forge.hosted.remote
    rollout_sync.agree(library, remote, desk.by)
    started = []
    for step in history_steps.steps(library, library.tip):
        if step.name in commits and step.is_promotion:
            for name in step.skills:
                merged = Merged(name, str(step.action), step.name, step.number)
                rollout, _ = rolled_out(desk, merged)
                started += [name] if rollout and rollout.is_running else []
    if started:
        rollout_sync.agree(library, remote, desk.by)
    return started


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--head", required=True, metavar="SHA", help="What the gate ran on.")
@click.option("--run", default="", metavar="URL", help="The page of that run.")
@host_option
@common_options
@click.pass_obj
def report(settings: GlobalOptions, file: str, head: str, run: str) -> CommandResult:
    """Show a gate's report on its pull request: one comment, kept up to date.

    FILE is the gate.json of a run that could not write itself. Nothing in it is taken
    on trust: it has to be about SHA, and only words and numbers of it are shown.
    """
    from skillforge.forge.proposal_record import load_verdict
    from skillforge.propose import review_page

    desk, forge = desk_on_github(settings)
    try:
        verdict = load_verdict(Path(file).read_bytes())
    except OSError as err:
        raise RequestError(
            f"{file} cannot be read: {err.strerror}", hint="name the gate.json of a run"
        ) from err
    if verdict.head != head:
        raise RequestError(
            f"the report is of {verdict.head[:12]}, not of {head[:12]}",
            hint="--head is the commit that the gate's run was started for",
        )
    if run and not forge.hosted.place.has_page(run):
        raise RequestError(
            f"{run!r} is no page of {forge.hosted.place}", hint="leave --run away"
        )
    found = forge.at(head)
    numbers = [proposal.number for proposal in found]
    for proposal in found:
        doubts = review_page.doubts(desk.library, proposal, verdict)
        forge.report(proposal.number, review_page.report(verdict, doubts, run))
    lines = [f"pull request {number} shows the report" for number in numbers]
    data = {"proposals": numbers, "passed": verdict.passed}
    return CommandResult(
        data, "\n".join(lines) or "no open pull request about skills is at it"
    )
