"""`skillforge capture`: examples from transcripts, redacted."""

import sys
from datetime import UTC, datetime
from typing import Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    one_line,
)


@click.command()
@click.argument("targets", nargs=-1, metavar="[FILE|FOLDER]...")
@click.option("--format", "format_", metavar="NAME", help="Do not guess the format.")
@click.option(
    "--since",
    metavar="DATE",
    type=click.DateTime(("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")),
    help="Only episodes that started then or later.",
)
@click.option("--project", metavar="NAME", help="Only episodes in that folder.")
@click.option(
    "--reviewed-by",
    metavar="NAME",
    help="Take plain examples as approved by NAME, whatever their value.",
)
@click.option(
    "--outcome",
    type=click.Choice(("success", "failure")),
    help="How transcripts that tell no outcome ended, as --reviewed-by saw it.",
)
@click.option("--all", "everything", is_flag=True, help="Also what was read before.")
@click.option("--dry-run", is_flag=True, help="Store nothing.")
@common_options
@click.pass_obj
def capture(
    settings: GlobalOptions,
    /,
    targets: tuple[str, ...],
    since: datetime | None,
    **given: Any,
) -> CommandResult:
    """Read transcripts, redact them, and keep what is worth learning from.

    Known are ATIF, Claude Code, Codex, Hermes (ShareGPT), OpenAI chat messages (with a
    `reward`) and plain examples; files, folders, or standard input. What is kept stays
    in the git directory of this clone, where it cannot be committed, and waits for
    review: skillforge examples.

    \b
    skillforge capture ~/.claude/projects --since 2026-11-01
    skillforge capture good-sessions/ --reviewed-by "Ada Lovelace" --outcome success
    skillforge capture runs.jsonl.gz --dry-run
    skillforge capture reviewed.jsonl --reviewed-by "Ada Lovelace"
    my-agent export | skillforge capture -

    An episode is kept from a learning value of 0.6: .4 for success, .2 each for three
    tools, for recovery from an error, and for nothing private left in what was asked;
    and from 10 messages or 5 calls of tools. Runs that are known to have failed are
    kept to compare with. Files that did not change are not read again.

    Exits 0 also if nothing was kept, 1 if nothing could be read, 2 for a file that is
    no transcript.
    """
    from skillforge.learn.capture import Capture, CaptureOptions
    from skillforge.learn.words import captured_data, captured_text
    from skillforge.library import Library

    if given["outcome"] and not given["reviewed_by"]:
        raise click.UsageError("--outcome needs --reviewed-by: who saw it?")
    wish = CaptureOptions(
        format=given["format_"] or "",
        since=since.replace(tzinfo=UTC) if since else None,
        project=given["project"] or "",
        reviewed_by=one_line(given["reviewed_by"], "--reviewed-by"),
        outcome=given["outcome"] or "",
        everything=given["everything"],
        is_rehearsal=given["dry_run"],
    )
    run = Capture(Library.open(settings.start), wish)
    done = (
        run.stream(_stdin()) if targets in ((), ("-",)) else run.files(_paths(targets))
    )
    data = captured_data(done)
    return CommandResult(data, captured_text(done, wish), ok=not done.is_useless)


def _paths(targets: tuple[str, ...]) -> list[Any]:
    from pathlib import Path

    return [Path(target) for target in targets]


def _stdin() -> Any:
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError("name a file or a folder, or send a transcript on stdin")
    return sys.stdin.buffer
