"""`skillforge test`: run the cases of skills in a sandbox."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, selection_options
from skillforge.cli.output import use_colour
from skillforge.cli.progress import progress
from skillforge.render import data, text

jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    metavar="N",
    help="The number of trials at once [default: one per processor, at most 4].",
)


shard_option = click.option(
    "--shard",
    default="1/1",
    metavar="I/N",
    help="Only part I of N, to share the work between machines.",
)


@click.command()
@jobs_option
@click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="N",
    help="Run each case N times; different outcomes are flaky, and fail.",
)
@click.option(
    "-k",
    "--match",
    default="",
    metavar="TEXT",
    help="Only cases with TEXT in their name or file name.",
)
@shard_option
@click.option("--no-cache", is_flag=True, help="Run cases again that passed before.")
@click.option("-v", "--verbose", is_flag=True, help="Also show passed trials.")
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
    skillforge test                      all cases of this library
    skillforge test csv-tables -v        one skill, with its passed trials
    skillforge test csv-tables -k empty  only cases with "empty" in their name
    skillforge test --repeat 10          find flaky cases
    skillforge test --shard 2/3          the second of three parts

    A trial is passed, failed, error, timeout, limit, flaky or not-run. Exits 1 unless
    all passed.
    """
    settings.json = settings.json or format_ == "json"
    workflow = workflows.test
    options = workflow.TestOptions(
        match, jobs or 0, repeat, workflow.read_shard(shard), not no_cache
    )
    selection = workflow.Selection(targets, changed_since, rev)
    with progress(settings.json or format_ != "text") as bar:
        results = workflow.run_cases(settings.start, selection, options, bar)
    trials, findings = results.trials, results.findings
    return CommandResult(
        data.checks.case_results(results),
        text.checks.case_results(results, verbose=verbose, colour=use_colour()),
        results.ok,
        workflows.documents.of_trials(format_, trials, findings, results.paths),
    )
