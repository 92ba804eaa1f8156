"""`skillforge record`: report a use of a skill and its outcome."""

import sys
from typing import TYPE_CHECKING, Any

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.model import OutcomeSource, OutcomeStatus
from skillforge.render import data, text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillforge.operate.use_reports import UnreadableLine, UseReport

_OUTCOMES = [outcome.value for outcome in OutcomeStatus]
_SOURCES = [source.value for source in OutcomeSource]


@click.command()
@click.argument("name", required=False, shell_complete=completions.skills)
@click.option(
    "--key",
    envvar="SKILLFORGE_KEY",
    help="The user, session or task it was used for [default: $SKILLFORGE_KEY].",
)
@click.option("--outcome", type=click.Choice(_OUTCOMES), help="How the use ended.")
@click.option(
    "--verified-by",
    type=click.Choice(_SOURCES),
    default="none",
    show_default=True,
    help="Who verified the outcome; `llm` and `none` don't count.",
)
@click.option("--seconds", type=click.FloatRange(0), help="How long it took.")
@click.option("--tokens", type=click.IntRange(0), help="How many tokens it took.")
@click.option("--note", default="", help="A remark, stored in this clone only.")
@click.option(
    "--pitfall",
    default="",
    metavar="TEXT",
    help="A pitfall that others should know about.",
)
@click.option(
    "--not-loaded", is_flag=True, help="The skill was offered but not loaded."
)
@click.option(
    "--version", default="", metavar="TREE", help="The version that was used."
)
@click.option(
    "--id", "id_", default="", help="An id of the report; a repeated id is ignored."
)
@forge_options
@click.pass_obj
def record(
    settings: GlobalOptions, /, name: str | None, **options: Any
) -> CommandResult:
    """Report a use of a skill and its outcome; or many, as JSON lines on stdin.

    The use counts for the version that the key got from `use` or `sync`. Only a digest
    of the key is stored, and notes and pitfalls are redacted.

    \b
    skillforge record csv-tables --key "$SESSION" --outcome success --verified-by test
    skillforge record csv-tables --key 7 --outcome failure --verified-by human \\
        --pitfall "Quoted line breaks end a row"
    skillforge record < uses.jsonl

    \b
    A line is {"skill": …, "key": …, "outcome": …, "verified_by": …} with, if known,
    seconds, tokens, note, pitfall, version, loaded, at (seconds since 1970), id.

    A use that decides a rollout closes or finishes it immediately. Exits 1 if a line is
    not a report; the other lines are recorded.
    """
    result = workflows.record.record_at(
        settings.folder,
        _reports(name, options),
        settings.workspace,
        settings.forge,
        settings.host,
    )
    return CommandResult(
        {**data.uses.record(result)}, text.uses.record(result), result.ok
    )


def _reports(
    name: str | None, options: dict[str, Any]
) -> "Iterable[UseReport | UnreadableLine]":
    """The report that the options make, or those on standard input."""
    if name is None:
        if sys.stdin is None or sys.stdin.isatty():
            raise click.UsageError("name a skill, or send JSON lines on stdin")
        lines = (line.decode("utf-8", "replace") for line in sys.stdin.buffer)
        return workflows.record.read_lines(lines)
    if not options["key"]:
        raise click.UsageError("missing --key KEY: a user, a session or a task")
    if options["outcome"] is None:
        raise click.UsageError(f"missing --outcome {'|'.join(_OUTCOMES)}")
    options["id"], options["loaded"] = options.pop("id_"), not options.pop("not_loaded")
    try:
        return [workflows.record.parse_report({"skill": name, **options})]
    except ValueError as err:
        raise click.UsageError(str(err)) from err
