"""`skillforge scan`: attacks, leaks and hidden text in skills."""

from typing import TYPE_CHECKING

import click

from skillforge.cli.base import CommandResult, GlobalOptions, selection_options
from skillforge.cli.output import use_colour

if TYPE_CHECKING:
    from skillforge.checks.scan.scan_run import ScanResults


@click.command()
@click.option(
    "--base",
    default="",
    metavar="FOLDER|REV",
    help="Compare with an older version: its folder, or a commit "
    "[default: what --changed-since names].",
)
@click.option("--notes", is_flag=True, help="Show what skills are able to do, too.")
@click.option("--strict", is_flag=True, help="Exit 1 for `caution` as well.")
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
    """Look for attacks, leaks and hidden text in skills: before a merge or an install.

    Every byte of a skill is read; nothing is unpacked or run. A verdict is `dangerous`
    (signs of an attack), `caution` (a person has to look) or `safe`. What a skill is
    merely able to do is a note, and never adds up to an alarm.

    \b
    skillforge scan                        all skills of this library
    skillforge scan ./downloaded-skill     any folder, before you install it
    skillforge scan ./new --base ./old     and what an update adds
    skillforge scan --changed-since main   what this branch changes

    A finding that is fine can be waived in the library's waivers.yaml. Exits 0 if
    nothing is dangerous, 1 if something is.
    """
    from skillforge.checks.scan.scan_run import run_scan
    from skillforge.checks.skill_selection import Selection

    settings.json = settings.json or format_ == "json"
    selection = Selection(targets, changed_since, rev)
    return _answer(run_scan(settings.start, selection, base), format_, notes, strict)


def _answer(
    scanned: "ScanResults", format_: str, notes: bool, strict: bool
) -> CommandResult:
    from skillforge import report as reports
    from skillforge.checks import all_rules
    from skillforge.model import Danger
    from skillforge.render.data.checks import scan as scan_data
    from skillforge.render.text import scan as scan_text

    report = scanned.report
    ok = scanned.ok
    if strict:
        ok = set(scanned.verdicts.values()) <= {Danger.SAFE}
    document = None
    if render := reports.FORMATS.get(format_):
        document = render(report, all_rules())
    text = scan_text.text(report, scanned.verdicts, colour=use_colour(), notes=notes)
    return CommandResult(scan_data(scanned), text, ok, document)
