"""`skillforge capture`: examples from transcripts, redacted."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    one_line,
)
from skillforge.render import data, text


@click.command()
@click.argument("targets", nargs=-1, metavar="[FILE|FOLDER]...")
@click.option(
    "--format", "format_", metavar="NAME", help="The format [default: detected]."
)
@click.option(
    "--since",
    metavar="DATE",
    type=click.DateTime(("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")),
    help="Only episodes that started at this time or later.",
)
@click.option("--project", metavar="NAME", help="Only episodes in that folder.")
@click.option(
    "--reviewed-by",
    metavar="NAME",
    help="Approve plain examples as NAME, regardless of value.",
)
@click.option(
    "--outcome",
    type=click.Choice(("success", "failure")),
    help="The outcome of transcripts without one, as --reviewed-by observed it.",
)
@click.option("--all", "reread", is_flag=True, help="Read unchanged files again.")
@click.option("--dry-run", is_flag=True, help="Store nothing.")
@common_options
@click.pass_obj
def capture(
    settings: GlobalOptions,
    /,
    targets: tuple[str, ...],
    since: datetime | None,
    **options: Any,
) -> CommandResult:
    """Read transcripts, redact them, and keep what is worth learning from.

    Known formats: ATIF, Claude Code, Codex, Hermes (ShareGPT), OpenAI chat messages
    (with a `reward`) and plain examples; in files, folders, or on standard input.
    Examples are stored in the git directory of this clone, where they cannot be
    committed, until they are reviewed: skillforge examples.

    \b
    skillforge capture ~/.claude/projects --since 2026-11-01
    skillforge capture good-sessions/ --reviewed-by "Ada Lovelace" --outcome success
    skillforge capture runs.jsonl.gz --dry-run
    skillforge capture reviewed.jsonl --reviewed-by "Ada Lovelace"
    my-agent export | skillforge capture -

    An episode is kept if its learning value is 0.6 or more (.4 for success, .2 each
    for three tools, for recovery from an error, and for a request that contains
    nothing private) and if it has 10 messages or 5 tool calls. Verified failures are
    kept for comparison. Files that did not change are not read again.

    Exits 0 even if nothing was kept, 1 if nothing could be read, 2 for a file that is
    not a transcript.
    """
    if options["outcome"] and not options["reviewed_by"]:
        raise click.UsageError("--outcome needs --reviewed-by: who observed it?")
    chosen = workflows.capture.CaptureOptions(
        format=options["format_"] or "",
        since=since.replace(tzinfo=UTC) if since else None,
        project=options["project"] or "",
        reviewed_by=one_line(options["reviewed_by"], "--reviewed-by"),
        outcome=options["outcome"] or "",
        reread=options["reread"],
        is_dry_run=options["dry_run"],
    )
    library = settings.open_library()
    if targets in ((), ("-",)):
        result = workflows.capture.capture_stream(library, _stdin(), chosen)
    else:
        result = workflows.capture.capture_files(
            library, [Path(target) for target in targets], chosen
        )
    return CommandResult(
        data.capture.capture(result), text.capture.capture(result), ok=result.ok
    )


def _stdin() -> Any:
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError("name a file or a folder, or send a transcript on stdin")
    return sys.stdin.buffer
