"""`skillforge examples`: list, show, approve and reject examples."""

from typing import TYPE_CHECKING, Any

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    SuggestingGroup,
    common_options,
    one_line,
)
from skillforge.render import data, text

if TYPE_CHECKING:
    from skillforge.workflows.examples import DecidedExamples

by_option = click.option(
    "--as",
    "--by",
    "--reviewer",
    "by",
    metavar="NAME",
    help="The reviewer [default: git's user].",
)


@click.group(cls=SuggestingGroup, invoke_without_command=True)
@common_options
@click.pass_context
def examples(context: click.Context) -> CommandResult | None:
    """List, show, approve and reject examples.

    Nothing is learned from an example until it is approved.
    """
    if context.invoked_subcommand is None:
        return CommandResult({}, context.get_help())
    return None


@examples.command("list")
@click.option(
    "--status",
    type=click.Choice(("pending", "approved", "rejected")),
    help="Only examples with this review status.",
)
@click.option(
    "--outcome",
    type=click.Choice(("success", "failure", "unknown")),
    help="Only examples with this outcome.",
)
@click.option(
    "--value",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Only examples with at least this learning value.",
)
@click.option(
    "--tool", default="", metavar="NAME", help="Only examples that used a tool."
)
@click.option(
    "--text", default="", metavar="WORDS", help="Only examples that contain all words."
)
@common_options
@click.pass_obj
def list_(settings: GlobalOptions, /, **options: Any) -> CommandResult:
    """List examples, oldest first."""
    only = workflows.examples.ExampleFilter(
        options["status"] or "",
        options["outcome"] or "",
        options["value"],
        options["tool"],
        options["text"],
    )
    result = workflows.examples.list_examples(settings.open_library(), only)
    return CommandResult(
        data.examples.example_list(result), text.examples.example_list(result)
    )


@examples.command()
@click.argument("number", metavar="ID")
@click.option(
    "--show", "show_private", is_flag=True, help="Also show the redacted values."
)
@common_options
@click.pass_obj
def show(settings: GlobalOptions, number: str, show_private: bool) -> CommandResult:
    """Show one example as it would be committed; --show adds the redacted values."""
    library = settings.open_library()
    result = workflows.examples.show(library, number, show_private=show_private)
    return CommandResult(data.examples.detail(result), text.examples.detail(result))


@examples.command()
@click.argument("numbers", nargs=-1, metavar="ID...")
@click.option(
    "--all-verified",
    is_flag=True,
    help="All examples that a test or verifier verified.",
)
@click.option("--reason", default="", help="Why it is a good example.")
@click.option(
    "--outcome",
    type=click.Choice(("success", "failure")),
    help="The outcome, as you observed it.",
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

    An outcome that is unverified, or verified by a model only, never counts as
    evidence; --outcome records that you observed it. --all-verified skips examples
    that contain instructions aimed at the agent; approve these by id.
    """
    if bool(numbers) == all_verified:
        raise click.UsageError("name examples, or use --all-verified")
    library, by = settings.open_library(), one_line(by, "--as")
    reason = one_line(reason, "--reason") if reason else ""
    if all_verified:
        return _decided(workflows.examples.approve_verified(library, by, reason))
    return _decided(
        workflows.examples.approve(library, numbers, by, reason, outcome or "")
    )


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
    library, by = settings.open_library(), one_line(by, "--as")
    reason = one_line(reason, "--reason")
    return _decided(workflows.examples.reject(library, numbers, by, reason))


def _decided(result: "DecidedExamples") -> CommandResult:

    return CommandResult(data.examples.decided(result), text.examples.decided(result))
