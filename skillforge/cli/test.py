"""`skillforge test`: the cases of skills, in a sandbox."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import CommandResult, GlobalOptions, selection_options
from skillforge.cli.output import use_colour

if TYPE_CHECKING:
    from skillforge.checks.cases.case_run import Progress, TestResults
    from skillforge.model import Finding, Trial


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    metavar="N",
    help="How many trials run at once [default: one for each processor, at most 4].",
)


shard_option = click.option(
    "--shard",
    default="1/1",
    metavar="I/N",
    help="Only part I of N, as several machines share the work.",
)


@click.command()
@jobs_option
@click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="N",
    help="Try each case N times; one that ends in two ways is flaky, and fails.",
)
@click.option(
    "-k",
    "--match",
    default="",
    metavar="TEXT",
    help="Only cases with this in their name or their file's.",
)
@shard_option
@click.option("--no-cache", is_flag=True, help="Try again what has passed just so.")
@click.option("-v", "--verbose", is_flag=True, help="Show trials that passed, too.")
@selection_options
@click.pass_obj
def test(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    targets: tuple[str, ...],
    changed_since: str | None,
    rev: str | None,
    jobs: int | None,
    repeat: int,
    match: str,
    shard: str,
    no_cache: bool,
    verbose: bool,
    format_: str,
) -> CommandResult:
    """Run the cases of skills in a sandbox: names, folders, or the whole library.

    Cases are files of the skill's tests/ folder: *.yaml, test_*.py and executable
    *.sh, held-out examples by replay.yaml, and code blocks of SKILL.md marked `test`.
    They run without network, without your files, and within limits.

    \b
    skillforge test                      every case of this library
    skillforge test csv-tables -v        one skill, with what passed
    skillforge test csv-tables -k empty  only cases about what is empty
    skillforge test --repeat 10          find what passes only sometimes
    skillforge test --shard 2/3          the second of three parts

    A trial is passed, failed, error, timeout, limit, flaky or not-run. Exits 0 if all
    passed, 1 if one did not.
    """
    from skillforge.checks.cases import case_run
    from skillforge.checks.skill_selection import Selection

    settings.json = settings.json or format_ == "json"
    options = case_run.TestOptions(
        match, jobs or 0, repeat, case_run.read_shard(shard), not no_cache
    )
    selection = Selection(targets, changed_since, rev)
    with progress(settings.json or format_ != "text") as bar:
        tested = case_run.run_tests(settings.start, selection, options, bar)
    return _answer(tested, format_, verbose)


def _answer(tested: "TestResults", format_: str, verbose: bool) -> CommandResult:
    from skillforge import render
    from skillforge import report as reports

    document = rendered(tested.trials, tested.findings, tested.paths, format_)
    text = render.text.trials.text(
        tested.trials, tested.findings, verbose=verbose, colour=use_colour()
    )
    if tested.remembered:
        known = reports.plural(tested.remembered, "skill")
        text += f" ({known} as before; --no-cache tries again)"
    return CommandResult(render.data.checks.tests(tested), text, tested.ok, document)


def rendered(
    trials: "list[Trial]",
    findings: "list[Finding]",
    paths: "Mapping[str, str]",
    format_: str,
) -> str | None:
    """Trials in a format for programs; None if it is text."""
    from skillforge import report as reports
    from skillforge.checks import all_rules
    from skillforge.checks.cases.case_check import trial_findings
    from skillforge.model import Report
    from skillforge.render.text import trials as trials_text

    if format_ == "junit":
        return trials_text.junit(trials, findings)
    render = reports.FORMATS.get(format_)
    if render is None:
        return None
    failed = (
        finding.under(paths[trial.skill])
        for trial in trials
        for finding in trial_findings([trial])
    )
    document = render(Report((*failed, *findings)), all_rules())
    is_page = format_ == "markdown"
    return trials_text.markdown(document, trials, findings) if is_page else document


@contextmanager
def progress(is_quiet: bool) -> Iterator["Progress"]:
    """A bar on a terminal, nothing in a pipe."""
    from skillforge.checks.cases.case_run import Progress

    if is_quiet or sys.stderr is None or not sys.stderr.isatty():
        yield Progress()
        return
    bar: list[Any] = []

    def start(count: int) -> None:
        bar.append(click.progressbar(length=count, label="trials", file=sys.stderr))

    try:
        yield Progress(start, lambda _trial: bar[0].update(1) if bar else None)
    finally:
        if bar:
            bar[0].render_finish()
