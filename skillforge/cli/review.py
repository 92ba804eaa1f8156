"""The commands that decide on a proposal: gate, review, promote, refresh, close."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    forge_options,
    format_option,
)
from skillforge.cli.output import use_colour
from skillforge.cli.propose import as_option

if TYPE_CHECKING:
    from skillforge.model import Proposal, Rollout, Verdict
    from skillforge.workflows.promote import Promotion


@click.command()
@click.argument(
    "number", type=int, required=False, shell_complete=completions.proposals
)
@click.option("--base", metavar="REV", help="Judge a branch: the revision it goes to.")
@click.option("--head", metavar="REV", help="Judge a branch: its own revision.")
@format_option
@click.option(
    "--report",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Write gate.json, gate.md and gate.sarif there, too.",
)
@as_option
@forge_options
@click.pass_obj
def gate(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    number: int | None,
    base: str | None,
    head: str | None,
    format_: str,
    report: str | None,
    speaks_for: str | None,
) -> CommandResult:
    """Run the required checks on a proposal, or on a branch in CI.

    Policy and rules come from the base, never from what is judged. The report is stored
    with the proposal; on GitHub it is the one comment that the gate keeps.

    \b
    skillforge gate 3
    skillforge gate --base origin/main --head HEAD
    skillforge gate --base "$BASE" --head "$HEAD" --format github --report out

    Exits 0 if every required check passed, 1 if one failed, crashed or is missing.
    """
    from skillforge.propose import gate as gates
    from skillforge.propose import review as reviews
    from skillforge.propose import review_page, words
    from skillforge.propose.candidate import Candidate
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at(settings.start, speaks_for, settings.choice)
    if (number is None) == (base is None) or (base is None) != (head is None):
        raise click.UsageError("give the number of a proposal, or --base and --head")
    if number is not None:
        done = reviews.check(desk.library, desk.forge, desk.forge.get(number), desk.by)
        assert done.verdict is not None
        verdict = done.verdict
        desk.forge.report(done.number, review_page.report(verdict))
    else:
        candidate = Candidate.between(desk.library, str(base), str(head))
        verdict = gates.judge(desk.library, candidate)
    if report:
        _write_report(Path(report), verdict)
    data = words.verdict_data(verdict) | {"proposal": number}
    text = words.verdict_text(verdict, colour=use_colour())
    settings.json = settings.json or format_ == "json"
    if format_ in ("text", "json"):
        return CommandResult(data, text, verdict.passed)
    return CommandResult(data, text, verdict.passed, _document(format_, verdict))


def _document(format_: str, verdict: "Verdict") -> str:
    """What the gate found, in a form that other programs read."""
    from skillforge import report
    from skillforge.checks import all_rules
    from skillforge.model import SKILLS, Report

    findings = tuple(f for check in verdict.checks for f in check.findings)
    skills = {f"{SKILLS}/{name}" for check in verdict.checks for name in check.skills}
    found = Report(findings, tuple(sorted(skills)))
    return report.FORMATS[format_](found, all_rules())


def _write_report(folder: Path, verdict: "Verdict") -> None:
    from skillforge.errors import unwritable
    from skillforge.forge.proposal_record import dump_verdict
    from skillforge.propose import review_page

    files = {
        "gate.json": dump_verdict(verdict),
        "gate.md": review_page.report(verdict).encode(),
        "gate.sarif": _document("sarif", verdict).encode(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    except OSError as err:
        raise unwritable(folder, err) from err


@click.command()
@click.argument("number", type=int, shell_complete=completions.proposals)
@click.option("--approve", is_flag=True, help="Say yes to exactly this.")
@click.option("--reject", is_flag=True, help="Say no, with --why; closes the proposal.")
@click.option("--why", default="", help="The reason of a rejection.")
@click.option("--comment", metavar="TEXT", help="Leave a remark.")
@click.option("--full", is_flag=True, help="Show all of the diff.")
@click.option("--head", default="", metavar="COMMIT", help="What was looked at.")
@as_option
@forge_options
@click.pass_obj
def review(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    number: int,
    approve: bool,
    reject: bool,
    why: str,
    comment: str | None,
    full: bool,
    head: str,
    speaks_for: str | None,
) -> CommandResult:
    """Show what a reviewer needs on one screen; approve or reject.

    An approval is of exact bytes: it names the head, its tree, its base and its
    evidence, and any change voids it. Nobody approves their own proposal.
    """
    from skillforge.propose import review as reviews
    from skillforge.propose import words
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at(settings.start, speaks_for, settings.choice)
    if approve and reject:
        raise click.UsageError("--approve or --reject, not both")
    if comment is not None and not comment.strip():
        raise click.UsageError("--comment says nothing")
    if comment:
        reviews.remark(desk.forge, number, comment, desk.by)
    if approve:
        done = reviews.approve(desk.library, desk.forge, number, desk.reviewer, head)
        refused = reviews.is_refused(done)
        step = reviews.next_step(desk.library, done, not refused)
        but = ", which the gate refuses" if refused else ""
        text = f"approved proposal {number} at {done.head[:12]}{but}\nnext: {step}"
        return _decided(done, text)
    if reject:
        done = reviews.reject(desk.forge, number, why, desk.by)
        return _decided(done, f"rejected and closed proposal {number}")
    brief = reviews.brief(desk.library, desk.forge, number)
    text = words.brief_text(brief, full=full, colour=use_colour())
    return CommandResult(words.brief_data(brief), text)


def _decided(proposal: "Proposal", text: str) -> CommandResult:
    from skillforge.propose import words

    data = words.proposal_row(proposal, None) | {"proposal": proposal.number}
    return CommandResult(data, text)


@click.command()
@click.argument("number", type=int, shell_complete=completions.proposals)
@as_option
@forge_options
@click.pass_obj
def promote(
    settings: GlobalOptions, number: int, speaks_for: str | None
) -> CommandResult:
    """Merge a proposal into main, if its exact bytes were checked and approved.

    The gate runs once more. A checkout of main follows if it is clean. If it is not,
    nothing is done; on GitHub, whose main it is, the checkout is left as it is.

    Exits 1 if the gate refuses it, 4 if approvals are missing, main has moved or the
    checkout has unsaved changes.
    """
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows import promote

    desk = Workspace.at_work(settings.start, speaks_for, settings.choice)
    return promoted(desk.library.main, promote.promote(desk, number))


def promoted(main: str, made: "Promotion", created: bool = False) -> CommandResult:
    """The answer of what merges: promote, and rollback --now."""
    from skillforge.propose import words

    proposal = made.proposal
    data = words.opened_data(proposal, created) | {
        "merge": made.merge or None,
        "version": made.version or None,
        "left_behind": [str(place) for place in made.done.left],
    }
    if made.merge:
        data["rollout"] = made.rollout.id if made.rollout else None
        text = words.promoted_text(made.done, main)
        return CommandResult(data, _told(text, made.rollout, made.problem))
    assert proposal.verdict is not None
    data |= words.verdict_data(proposal.verdict)
    text = words.verdict_text(proposal.verdict, colour=use_colour())
    return CommandResult(data, text, ok=False)


def _told(text: str, rollout: "Rollout | None", problem: str) -> str:
    """What a promotion says, with the rollout that it started."""
    if rollout is None or not rollout.is_running:
        return f"{text}\n{problem}" if problem else text
    return (
        f"{text}\n    {rollout.share:g} % of keys get it for now; "
        f"skillforge canary status {rollout.skill}"
    )


@click.command()
@click.argument("number", type=int, shell_complete=completions.proposals)
@as_option
@forge_options
@click.pass_obj
def refresh(
    settings: GlobalOptions, number: int, speaks_for: str | None
) -> CommandResult:
    """Put a stale proposal on today's main; its approvals are void then."""
    from skillforge.propose import promote as promotes
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at_work(settings.start, speaks_for, settings.choice)
    done = promotes.refresh(desk.library, desk.forge, number, desk.by)
    text = f"proposal {number} is on {desk.library.main} as it is now\n"
    return _decided(done, f"{text}next: skillforge review {number}")


@click.command()
@click.argument("number", type=int, shell_complete=completions.proposals)
@click.option("--why", default="", help="The reason, for history.")
@as_option
@forge_options
@click.pass_obj
def close(
    settings: GlobalOptions, number: int, why: str, speaks_for: str | None
) -> CommandResult:
    """End a proposal without merging it; its record and its commits stay."""
    from skillforge.propose import promote as promotes
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at_work(settings.start, speaks_for, settings.choice)
    done = promotes.close(desk.forge, number, why, desk.by)
    return _decided(done, f"closed proposal {number}")
