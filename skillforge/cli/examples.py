"""`skillforge examples`: list, show, approve and reject examples."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    SuggestingGroup,
    common_options,
)

if TYPE_CHECKING:
    from skillforge.library import Library
    from skillforge.model import Example
from skillforge.cli.base import one_line

by_option = click.option(
    "--as",
    "--by",
    "--reviewer",
    "by",
    metavar="NAME",
    help="Who decides [default: git's user].",
)


@click.group(cls=SuggestingGroup, invoke_without_command=True)
@common_options
@click.pass_context
def examples(context: click.Context) -> CommandResult | None:
    """Look at examples, and approve or reject them.

    Nothing is learned from an example before somebody approved it.
    """
    if context.invoked_subcommand is None:
        return CommandResult({}, context.get_help())
    return None


@examples.command("list")
@click.option(
    "--status",
    type=click.Choice(("pending", "approved", "rejected")),
    help="Only what stands so.",
)
@click.option(
    "--outcome",
    type=click.Choice(("success", "failure", "unknown")),
    help="Only what ended so.",
)
@click.option(
    "--value",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Only from this learning value on.",
)
@click.option("--tool", default="", metavar="NAME", help="Only what used a tool.")
@click.option("--text", default="", metavar="WORDS", help="Only what holds some words.")
@common_options
@click.pass_obj
def list_(settings: GlobalOptions, /, **given: Any) -> CommandResult:
    """List examples, the oldest first."""
    from skillforge.learn import example_review
    from skillforge.learn.words import example_row, examples_text
    from skillforge.library import Library

    wanted = example_review.Filter(
        given["status"] or "",
        given["outcome"] or "",
        given["value"],
        given["tool"],
        given["text"],
    )
    found = [it.example for it in example_review.kept(Library.open(settings.start))]
    shown = [example for example in found if wanted.lets(example)]
    data = {"examples": [example_row(it) for it in shown], "total": len(found)}
    return CommandResult(data, examples_text(shown, len(found)))


@examples.command()
@click.argument("number", metavar="ID")
@click.option("--show", "is_owner", is_flag=True, help="Also what redaction took.")
@common_options
@click.pass_obj
def show(settings: GlobalOptions, number: str, is_owner: bool) -> CommandResult:
    """Show one example as it would be committed; --show adds what was taken from it."""
    from skillforge.learn import example_review
    from skillforge.learn.words import example_text
    from skillforge.library import Library

    found = example_review.find(Library.open(settings.start), number)
    taken = found.taken if is_owner else {}
    data: dict[str, Any] = {"id": found.row.id, "example": found.example.record}
    if is_owner:
        data["taken"] = taken
    return CommandResult(data, example_text(found.example, taken))


@examples.command()
@click.argument("numbers", nargs=-1, metavar="ID...")
@click.option(
    "--all-verified", is_flag=True, help="All that a test or verifier proved."
)
@click.option("--reason", default="", help="Why it is a good example.")
@click.option(
    "--outcome",
    type=click.Choice(("success", "failure")),
    help="How it ended, as you saw yourself.",
)
@by_option
@common_options
@click.pass_obj
def approve(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    numbers: tuple[str, ...],
    all_verified: bool,
    reason: str,
    outcome: str | None,
    by: str | None,
) -> CommandResult:
    """Approve examples by id, or --all-verified.

    An outcome that nobody verified, or only a model, never counts as evidence;
    --outcome says that you saw it. Examples that talk to their reader are left for you
    to name.
    """
    from skillforge.learn import example_review
    from skillforge.library import Library

    if bool(numbers) == all_verified:
        raise click.UsageError("name examples, or give --all-verified")
    library = Library.open(settings.start)
    who, reason = _who(library, by), one_line(reason, "--reason") if reason else ""
    if not all_verified:
        done = example_review.approve(library, numbers, who, reason, outcome or "")
        return _decided(done, "approved")
    reason = reason or "proven by a test or a verifier"
    done, left = example_review.approve_verified(library, who, reason)
    answer = _decided(done, "approved")
    note = f"\n{left} left for you to look at: text in it talks to its reader"
    return answer._replace(words=answer.words + note) if left else answer


@examples.command()
@click.argument("numbers", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", required=True, help="Why nothing should be learned from it.")
@by_option
@common_options
@click.pass_obj
def reject(
    settings: GlobalOptions, numbers: tuple[str, ...], reason: str, by: str | None
) -> CommandResult:
    """Reject examples: nothing is learned from them."""
    from skillforge.learn import example_review
    from skillforge.library import Library

    library = Library.open(settings.start)
    who, why = _who(library, by), one_line(reason, "--reason")
    return _decided(example_review.reject(library, numbers, who, why), "rejected")


def _decided(done: "list[Example]", what: str) -> CommandResult:
    from skillforge.learn.words import example_row
    from skillforge.report import plural

    unproven = sum(not it.outcome.is_verified for it in done)
    words = f"{what} {plural(len(done), 'example')}"
    if what == "approved" and unproven:
        words += (
            f"\n{unproven} of them will not count as evidence: nobody verified how "
            "they ended; --outcome success says that you did"
        )
    return CommandResult({"examples": [example_row(it) for it in done]}, words)


def _who(library: "Library", by: str | None) -> str:
    """The name alone: it is written into evidence, where addresses do not belong."""
    from skillforge.history.identity import parts

    who = one_line(by, "--as") or library.repository().start_identity().wait().name
    return parts(who)[0]
