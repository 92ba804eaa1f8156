"""`skillforge validate`: skills against the specification."""

from typing import TYPE_CHECKING

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    selection_options,
)
from skillforge.cli.output import use_colour
from skillforge.model import Profile

if TYPE_CHECKING:
    from skillforge.checks.fixes import Fix
    from skillforge.model import Report


@click.command()
@click.option(
    "--profile",
    type=click.Choice([p.value for p in Profile]),
    help="spec: the agentskills.io specification; portable: what every client accepts "
    "[default: the policy's, else portable].",
)
@click.option("--notes", is_flag=True, help="Show notes too, not only what needs work.")
@click.option(
    "--fix", is_flag=True, help="Mend what has one right answer; shows a diff."
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

    Looks at the frontmatter, the files of the folder, the links, and at what makes a
    skill useful. `skillforge rules` explains each rule.

    \b
    skillforge validate                         all skills of this library
    skillforge validate csv-tables ./other      a skill by name, a folder by path
    skillforge validate --changed-since main    what this branch committed
    skillforge validate --fix --write           mend what needs no judgement

    Exits 0 if nothing blocks promotion, 1 if something does.
    """
    from skillforge.checks import skill_selection

    settings.json = settings.json or format_ == "json"
    selection = skill_selection.Selection(targets, changed_since, rev)
    wanted = Profile(profile) if profile else None
    fixes = None
    if write and not fix:
        raise click.UsageError("--write goes with --fix")
    if fix:
        fixes = skill_selection.fix(settings.start, selection, wanted, write=write)
    report = skill_selection.validate(settings.start, selection, wanted)
    answer = _answer(report, format_, notes)
    return answer if fixes is None else _with_fixes(answer, report, fixes, write)


def _answer(report: "Report", format_: str, notes: bool) -> CommandResult:
    from skillforge import report as reports
    from skillforge.checks import all_rules
    from skillforge.render.data.checks import report as report_data

    if render := reports.FORMATS.get(format_):
        return CommandResult(
            report_data(report), ok=report.ok, document=render(report, all_rules())
        )
    words = reports.text(report, colour=use_colour(), notes=notes)
    return CommandResult(report_data(report), words, report.ok)


def _with_fixes(
    answer: CommandResult, report: "Report", fixes: "list[Fix]", written: bool
) -> CommandResult:
    from skillforge.render.data.checks import fixed
    from skillforge.report import plural, printable

    shown = (printable(line) for fix in fixes for line in fix.diff.split("\n"))
    diffs = "".join(f"{line}\n" for line in shown)
    done = "fixed" if written else "can be fixed; --fix --write does it"
    counted = f"{plural(len(fixes), 'file')} {done}\n"
    data = fixed(report, fixes, written)
    return answer._replace(data=data, words=diffs + counted + answer.words)
