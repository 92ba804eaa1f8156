"""`skillforge record`: a use of a skill and its outcome."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.model import OutcomeSource, OutcomeStatus

if TYPE_CHECKING:
    from skillforge.operate.use_reports import UnreadableLine, UseReport
    from skillforge.propose.workspace import Workspace

_OUTCOMES = [outcome.value for outcome in OutcomeStatus]
_SOURCES = [source.value for source in OutcomeSource]


@click.command()
@click.argument("name", required=False, shell_complete=completions.skills)
@click.option(
    "--key",
    envvar="SKILLFORGE_KEY",
    help="What it was used for: a user, a session, a task [default: $SKILLFORGE_KEY].",
)
@click.option("--outcome", type=click.Choice(_OUTCOMES), help="How it ended.")
@click.option(
    "--verified-by",
    type=click.Choice(_SOURCES),
    default="none",
    show_default=True,
    help="What says so; a model's word and nobody's count for nothing.",
)
@click.option("--seconds", type=click.FloatRange(0), help="How long it took.")
@click.option("--tokens", type=click.IntRange(0), help="What it cost.")
@click.option("--note", default="", help="A remark; it stays in this clone.")
@click.option(
    "--pitfall", default="", metavar="TEXT", help="What others should watch out for."
)
@click.option("--not-loaded", is_flag=True, help="It was offered, and left alone.")
@click.option("--version", default="", metavar="TREE", help="Which version it was.")
@click.option("--id", "id_", default="", help="Of the report, so that it counts once.")
@forge_options
@click.pass_obj
def record(settings: GlobalOptions, /, name: str | None, **given: Any) -> CommandResult:
    """Report a use of a skill and its outcome; or many, as JSON lines on stdin.

    The use is put to the version that this key was given (`use`, `sync`). The key is
    kept as a digest only, and what is private is taken out of notes and pitfalls.

    \b
    skillforge record csv-tables --key "$SESSION" --outcome success --verified-by test
    skillforge record csv-tables --key 7 --outcome failure --verified-by human \\
        --pitfall "Quoted line breaks end a row"
    skillforge record < uses.jsonl

    \b
    A line is {"skill": …, "key": …, "outcome": …, "verified_by": …} with, if known,
    seconds, tokens, note, pitfall, version, loaded, at (seconds since 1970), id.

    A use that decides a rollout closes or finishes it at once. Exits 1 if a line was no
    report; the others are recorded.
    """
    from skillforge.render import data, text
    from skillforge.workflows.record import record_at

    done = record_at(
        settings.folder,
        _reports(name, given),
        lambda: _workspace(settings),
        settings.forge,
        settings.host,
    )
    return CommandResult({**data.uses.record(done)}, text.uses.record(done), ok=done.ok)


def _workspace(settings: GlobalOptions) -> "Workspace":
    from skillforge.propose.workspace import Workspace

    return Workspace.at(settings.start, None, settings.choice)


def _reports(
    name: str | None, given: dict[str, Any]
) -> "Iterable[UseReport | UnreadableLine]":
    """The report that options make, or the lines of standard input."""
    from skillforge.operate.use_reports import parse_report, read_lines

    if name is None:
        if sys.stdin is None or sys.stdin.isatty():
            raise click.UsageError("name a skill, or send JSON lines on stdin")
        return read_lines(_lines())
    if not given["key"]:
        raise click.UsageError("missing --key KEY: what the skill was used for")
    if given["outcome"] is None:
        raise click.UsageError(f"missing --outcome {'|'.join(_OUTCOMES)}")
    given["id"], given["loaded"] = given.pop("id_"), not given.pop("not_loaded")
    try:
        return [parse_report({"skill": name, **given})]
    except ValueError as err:
        raise click.UsageError(str(err)) from err


def _lines() -> Iterable[str]:
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace")
