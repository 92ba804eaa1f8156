"""`skillforge scan`: find attacks, leaks and hidden text in skills."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, selection_options
from skillforge.cli.output import use_colour
from skillforge.cli.progress import progress
from skillforge.render import data, text


@click.command()
@click.option(
    "--base",
    default="",
    metavar="FOLDER|REV",
    help="Compare with an older version: its folder, or a commit "
    "[default: the revision of --changed-since].",
)
@click.option("--notes", is_flag=True, help="Also show what skills are able to do.")
@click.option("--strict", is_flag=True, help="Exit 1 for `caution`, too.")
@selection_options
@click.pass_obj
def scan(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    targets: tuple[str, ...],
    changed_since: str | None,
    rev: str | None,
    base: str,
    format_: str,
    notes: bool,
    strict: bool,
) -> CommandResult:
    """Find attacks, leaks and hidden text in skills, before a merge or an install.

    Every byte of a skill is read; nothing is unpacked or run. A verdict is `dangerous`
    (signs of an attack), `caution` (needs a review) or `safe`. What a skill is merely
    able to do is a note; notes never add up to a worse verdict.

    \b
    skillforge scan                        all skills of this library
    skillforge scan ./downloaded-skill     any folder, before you install it
    skillforge scan ./new --base ./old     an update, compared with the old version
    skillforge scan --changed-since main   the skills that this branch changed

    A false positive can be waived in the library's waivers.yaml. Exits 1 if a skill is
    dangerous.
    """
    settings.json = settings.json or format_ == "json"
    selection = workflows.scan.Selection(targets, changed_since, rev)
    with progress(settings.json or format_ != "text") as bar:
        results = workflows.scan.scan(settings.start, selection, base, bar)
    report, colour = results.report, use_colour()
    return CommandResult(
        data.checks.scan(results),
        text.scan.text(report, results.verdicts, colour=colour, notes=notes),
        workflows.scan.is_accepted(results, strict=strict),
        workflows.documents.of_report(format_, report),
    )
