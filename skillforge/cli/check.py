"""`skillforge check`: validate, scan and test in one run."""

import click

from skillforge.cli.base import CommandResult, GlobalOptions, selection_options
from skillforge.cli.output import use_colour


@click.command()
@click.option("--no-cache", is_flag=True, help="Try again what has passed just so.")
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
    """Do all that the gate does before you propose: validate, scan and test.

    \b
    skillforge check                         every skill of this library
    skillforge check csv-tables              one of them
    skillforge check --changed-since main    what this branch changes

    Exits 0 if nothing blocks promotion, 1 if something does.
    """
    from skillforge import report as reports
    from skillforge.checks import all_rules, skill_selection
    from skillforge.checks.cases import case_run
    from skillforge.checks.cases.case_check import trial_findings
    from skillforge.checks.scan.scan_run import run_scan
    from skillforge.model import Report
    from skillforge.render.data.checks import all_checks
    from skillforge.render.text import scan as scan_text
    from skillforge.render.text import trials as trials_text

    settings.json = settings.json or format_ == "json"
    selection = skill_selection.Selection(targets, changed_since, rev)
    valid = skill_selection.validate(settings.start, selection, None)
    scanned = run_scan(settings.start, selection)
    options = case_run.TestOptions(use_cache=not no_cache)
    tested = case_run.run_tests(settings.start, selection, options, case_run.Progress())
    failed = (
        finding.under(tested.paths[trial.skill])
        for trial in tested.trials
        for finding in trial_findings([trial])
    )
    report = Report(
        (*valid.findings, *scanned.report.findings, *failed, *tested.findings),
        valid.skills,
    )
    data = all_checks(report, scanned, tested)
    document = None
    if render := reports.FORMATS.get(format_):
        document = render(report, all_rules())
    text = scan_text.text(report, scanned.verdicts, colour=use_colour())
    text += f"\n{trials_text.summary(tested.trials, tested.findings)}"
    return CommandResult(data, text, valid.ok and scanned.ok and tested.ok, document)
