"""`skillforge validate`: check skills against the specification."""

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    selection_options,
)
from skillforge.cli.output import use_colour
from skillforge.model import Profile
from skillforge.render import data, text


@click.command()
@click.option(
    "--profile",
    type=click.Choice([p.value for p in Profile]),
    help="spec: the agentskills.io specification; portable: what every client accepts "
    "[default: the policy's, else portable].",
)
@click.option("--notes", is_flag=True, help="Also show notes and known findings.")
@click.option(
    "--fix", is_flag=True, help="Fix what can be fixed automatically; shows a diff."
)
@click.option("--write", is_flag=True, help="With --fix: write the files.")
@selection_options
@click.pass_obj
def validate(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    targets: tuple[str, ...],
    profile: str | None,
    changed_since: str | None,
    rev: str | None,
    format_: str,
    notes: bool,
    fix: bool,
    write: bool,
) -> CommandResult:
    """Check skills: names, folders, or the whole library if none is named.

    Checks the frontmatter, the files, the links and the quality of a skill.
    `skillforge rules` explains each rule.

    \b
    skillforge validate                         all skills of this library
    skillforge validate csv-tables ./other      a skill by name, a folder by path
    skillforge validate --changed-since main    the skills that this branch changed
    skillforge validate --fix --write           fix what has one right answer

    Exits 1 if a finding blocks promotion.
    """
    if write and not fix:
        raise click.UsageError("--write needs --fix")
    settings.json = settings.json or format_ == "json"
    result = workflows.validate.validate(
        settings.start,
        workflows.validate.Selection(targets, changed_since, rev),
        Profile(profile) if profile else None,
        fix=fix,
        write=write,
    )
    return CommandResult(
        data.checks.validation(result),
        text.checks.validation(result, colour=use_colour(), notes=notes),
        result.ok,
        workflows.documents.of_report(format_, result.report),
    )
