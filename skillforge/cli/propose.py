"""The commands of the Propose stage."""

import sys
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    forge_options,
)
from skillforge.cli.output import use_colour
from skillforge.model import Origin

if TYPE_CHECKING:
    from skillforge.model import Draft
    from skillforge.propose.submit import Submission
    from skillforge.propose.workspace import Workspace

_ORIGINS = [origin.value for origin in Origin]
as_option = click.option(
    "--as",
    "speaks_for",
    metavar="'NAME <MAIL>'",
    help="Who acts [default: git's user].",
)
origin_option = click.option(
    "--origin", type=click.Choice(_ORIGINS), help="Who wants it [default: human]."
)


@click.command()
@click.argument("name")
@click.option("--description", default="", help="What it does, and when to use it.")
@common_options
@click.pass_obj
def new(settings: GlobalOptions, name: str, description: str) -> CommandResult:
    """Make a skill from a template: skills/NAME/SKILL.md."""
    from skillforge.library import Library
    from skillforge.scaffold import new_skill

    library = Library.open(settings.start)
    path = new_skill(library, name, description).relative_to(library.root).as_posix()
    words = (
        f"wrote {path}\nnext: fill it in, then skillforge validate {name}; "
        f"skillforge propose {name} puts it up for review"
    )
    return CommandResult({"skill": name, "path": path}, words)


@click.command()
@click.argument(
    "targets",
    nargs=-1,
    metavar="[SKILL|FOLDER]...",
    shell_complete=completions.targets,
)
@click.option("--why", default=None, help="The reason, for the reviewer and history.")
@click.option(
    "--example",
    "examples",
    multiple=True,
    metavar="ID|FILE",
    help="What it was learned from: an id in evidence/, or a JSON file.",
)
@origin_option
@click.option("--session", metavar="ID", help="The agent session that it comes from.")
@click.option("--model", metavar="ID", help="The model that wrote it.")
@click.option(
    "--bump",
    type=click.Choice(("patch", "minor", "major")),
    help="Which part of the version to raise [default: patch].",
)
@click.option("--draft", is_flag=True, help="Not to be promoted yet.")
@click.option("--delete", is_flag=True, help="Propose to remove the skill.")
@click.option("--supersede", is_flag=True, help="Close another proposal for the skill.")
@as_option
@forge_options
@click.pass_obj
def propose(
    settings: GlobalOptions,
    /,
    targets: tuple[str, ...],
    speaks_for: str | None,
    **given: Any,
) -> CommandResult:
    """Put drafts up for review: skills of the checkout, or any folders.

    Each draft is checked, then committed on a branch of its own, with a proposal to
    merge it; if one of several cannot be, none is. The checkout, the index and the
    current branch stay as they are.

    \b
    skillforge propose csv-tables --why "Tables with merged cells"
    skillforge propose /tmp/draft --origin agent-foreground --session 42
    skillforge propose csv-tables --delete --why "Nobody uses it"
    skillforge propose < batch.json      a JSON batch of operations, one proposal

    \b
    A batch is {"operations": [...], "why": ...} with up to 20 operations on one skill:
    create (content), edit (content), patch (old_string, new_string, file_path,
    version), delete (absorbed_into), write_file (file_path, file_content), remove_file.

    Exits 0 with a proposal, also if the same draft was proposed before; 1 if the draft
    is not valid; 4 if another proposal or a skill like it is in the way.
    """
    from skillforge.propose.proposal_request import ProposalOptions, request
    from skillforge.propose.submit import propose as open_proposals
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at_work(settings.start, speaks_for, settings.choice)
    if targets in ((), ("-",)):
        drafts, given = _from_stdin(desk, given)
    elif given["delete"]:
        drafts = _removals(targets)
    else:
        drafts = desk.drafts(targets)
    options = ProposalOptions.of(given)
    requests = [request(desk, draft, options) for draft in drafts]
    outcomes = open_proposals(desk.library, desk.forge, requests, desk.by)
    left_out = [f"{draft.skill}/{path}" for draft in drafts for path in draft.left_out]
    answer = proposed(outcomes, left_out)
    return answer._replace(words=noted(answer.words, desk.forge.note))


def _from_stdin(
    desk: "Workspace", given: dict[str, Any]
) -> "tuple[list[Draft], dict[str, Any]]":
    """The draft of a batch; options of the command line count for more than its own."""
    from skillforge.propose import operations

    text = _read_stdin()
    if not text.strip():
        raise click.UsageError("name a skill or a folder, or send a batch on stdin")
    batch, options = operations.read_batch(text)
    said = {key: value for key, value in given.items() if value}
    draft = operations.draft_of(desk.library, desk.base, batch)
    return [draft], {**given, **options, **said}


def _read_stdin() -> str:
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    try:
        return sys.stdin.buffer.read().decode()
    except (OSError, UnicodeDecodeError) as err:
        raise click.UsageError(f"standard input cannot be read: {err}") from err


def _removals(targets: tuple[str, ...]) -> "list[Draft]":
    from skillforge.model import Draft
    from skillforge.propose.draft_source import refuse_paths

    names = [target.rstrip("/").removeprefix("skills/") for target in targets]
    for name in names:
        refuse_paths(name, {})
    return [Draft(name) for name in dict.fromkeys(names)]


def proposed(outcomes: "list[Submission]", left_out: list[str]) -> CommandResult:
    """What there is to say about drafts that were put up for review, or were not."""
    from skillforge import report as reports
    from skillforge.model import Report
    from skillforge.propose import words

    report = Report.joined(outcome.report for outcome in outcomes)
    opened = [(o.proposal, o.created) for o in outcomes if o.proposal is not None]
    rows = [words.opened_data(proposal, created) for proposal, created in opened]
    said = [reports.finding_data(finding) for finding in report.findings]
    if not opened:
        names = [path.rpartition("/")[2] for path in report.skills]
        none = {"proposal": None, "branch": None, "commit": None, "created": False}
        data = none | {"skill": names[0], "url": None, "findings": said}
        text = reports.text(report, colour=use_colour())
        return CommandResult(data, f"{text}\nnothing was proposed", ok=False)
    data = rows[0] | {"findings": said, "proposals": rows, "left_out": left_out}
    lines = words.finding_lines(report.findings, colour=use_colour())
    lines += [reports.printable(f"left out, as git ignores it: {p}") for p in left_out]
    lines += [words.opened_text(proposal, created) for proposal, created in opened]
    return CommandResult(data, "\n".join(lines))


@click.command()
@click.option("--all", "every", is_flag=True, help="Show those that are over, too.")
@click.option("--expire", is_flag=True, help="Close those past the policy's age limit.")
@as_option
@forge_options
@click.pass_obj
def proposals(
    settings: GlobalOptions, every: bool, expire: bool, speaks_for: str | None
) -> CommandResult:
    """List proposals: state, age, skill, checks, conflicts with main, author.

    Text shows what is open; --json holds every proposal.
    """
    from skillforge.propose import promote, review, words
    from skillforge.propose.workspace import Workspace
    from skillforge.report import printable

    desk = Workspace.at(settings.start, speaks_for, settings.choice)
    closed = promote.expire(desk.library, desk.forge, desk.by) if expire else []
    found = desk.forge.proposals(only_open=not (every or settings.json or expire))
    found = desk.forge.detailed(found)
    rows = [
        words.proposal_row(proposal, review.conflicts(desk.library, proposal))
        for proposal in found
    ]
    shown = [row for row in rows if every or row["state"] == "open"]
    text = words.proposals_text(shown, len(rows) - len(shown))
    expired = [printable(f"expired proposal {p.number}: {p.title}") for p in closed]
    damaged = desk.forge.unreadable.values()
    broken = [f"{err.message}; {err.hint}" for err in damaged]
    data = {"proposals": rows, "expired": [p.number for p in closed], "broken": broken}
    named = (line for err in damaged for line in (err.message, f"    {err.hint}"))
    said = "\n".join([*expired, text, *map(printable, named)])
    return CommandResult(data, noted(said, desk.forge.note))


def noted(text: str, note: str) -> str:
    """Words, and what a forge has to add."""
    return f"{text}\n{note}" if note else text
