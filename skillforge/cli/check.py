"""`skillforge check`: validate, scan and test in one run."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, selection_options
from skillforge.cli.output import use_colour
from skillforge.cli.progress import progress
from skillforge.render import data, text


@click.command()
@click.option("--no-cache", is_flag=True, help="Run cases again that passed before.")
@selection_options
@click.pass_obj
def check(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    targets: tuple[str, ...],
    changed_since: str | None,
    rev: str | None,
    format_: str,
    no_cache: bool,
) -> CommandResult:
    """Run the gate's checks before you propose: validate, scan and test.

    \b
    skillforge check                         all skills of this library
    skillforge check csv-tables              one skill
    skillforge check --changed-since main    the skills that this branch changed

    Exits 1 if a finding blocks promotion.
    """
    settings.json = settings.json or format_ == "json"
    selection = workflows.check.Selection(targets, changed_since, rev)
    with progress(settings.json or format_ != "text") as bar:
        result = workflows.check.check(
            settings.start, selection, bar, use_cache=not no_cache
        )
    return CommandResult(
        data.checks.all_checks(result),
        text.checks.all_checks(result, colour=use_colour()),
        result.ok,
        workflows.documents.of_report(format_, result.report),
    )
