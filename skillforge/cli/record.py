"""`skillforge record`: a use of a skill and its outcome."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.model import OutcomeSource, OutcomeStatus

if TYPE_CHECKING:
    from skillforge.operate.use_reports import RecordResult, UnreadableLine, UseReport
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows.record import Looked


_OUTCOMES = [it.value for it in OutcomeStatus]


_SOURCES = [it.value for it in OutcomeSource]


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
    from skillforge.workflows.record import record_at

    reports, unread = _reports(name, given)
    choice = (settings.forge, settings.host)
    done, looked = record_at(
        settings.folder, reports, lambda: open_workspace(settings), *choice
    )
    return _recorded(done, sorted([*unread, *done.unread]), looked)


def open_workspace(settings: GlobalOptions) -> "Workspace":
    """The desk of whoever decides on a rollout; a use without one need not wait."""
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at(settings.start, None, settings.choice)
    desk.settled()
    return desk


def _reports(
    name: str | None, given: dict[str, Any]
) -> "tuple[list[UseReport], list[UnreadableLine]]":
    from skillforge.operate.use_reports import (
        UnreadableLine,
        UseReport,
        read_lines,
        report_of,
    )

    if name is None:
        if sys.stdin is None or sys.stdin.isatty():
            raise click.UsageError("name a skill, or send JSON lines on stdin")
        read = list(read_lines(_lines()))
        reports = [it for it in read if isinstance(it, UseReport)]
        return reports, [it for it in read if isinstance(it, UnreadableLine)]
    if not given["key"]:
        raise click.UsageError("say what it was used for: --key KEY")
    if given["outcome"] is None:
        raise click.UsageError(f"say how it ended: --outcome {'|'.join(_OUTCOMES)}")
    given["id"], given["loaded"] = given.pop("id_"), not given.pop("not_loaded")
    try:
        return [report_of({"skill": name, **given})], []
    except ValueError as err:
        raise click.UsageError(str(err)) from err


def _lines() -> Iterable[str]:
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace")


def _recorded(
    done: "RecordResult",
    unread: "list[UnreadableLine]",
    looked: "Looked",
) -> CommandResult:
    said = [f"line {it.line}: {it.why}" for it in unread] + list(done.remarks)
    noun = "use" if done.added == 1 else "uses"
    known = f"; {done.again} known before" if done.again else ""
    lines = [*_printed(said), f"recorded {done.added:,} {noun}{known}"]
    data = {
        "recorded": done.added,
        "again": done.again,
        "uses": [
            {"id": u.id, "skill": u.skill, "version": u.version or None, "arm": u.arm}
            for u in done.uses
        ],
        "remarks": list(done.remarks),
        "problems": [it._asdict() for it in unread],
        "rollouts": judged_rollouts(looked, lines),
    }
    return CommandResult(data, "\n".join(lines), ok=not unread)


def _printed(said: list[str]) -> list[str]:
    if not said:
        return []
    from skillforge.report import printable

    return [printable(it) for it in said]


def judged_rollouts(looked: "Looked", lines: list[str]) -> list[dict[str, Any]]:
    """What became of rollouts, for scripts; for people it is added to the lines."""
    if not looked:
        return []
    from skillforge.operate import words

    for judged, problem in looked:
        if judged.verdict != "continue":
            lines.append(words.judgement_text(judged))
        lines += [problem] if problem else []
    return [words.judgement_data(judged) for judged, _ in looked]
