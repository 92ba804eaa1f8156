"""`skillforge health`: run the cases of all skills again."""

from typing import Any

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
    format_option,
)
from skillforge.cli.output import use_colour
from skillforge.cli.pin import propose_option
from skillforge.cli.progress import progress
from skillforge.cli.skill_name import skill_argument
from skillforge.cli.test import jobs_option, shard_option
from skillforge.render import data, text


@click.command()
@skill_argument("names", nargs=-1, metavar="[SKILL]...")
@click.option(
    "--budget",
    type=click.IntRange(1),
    metavar="SECONDS",
    help="Time limit [default: the policy's, one hour].",
)
@shard_option
@jobs_option
@propose_option
@click.option("-v", "--verbose", is_flag=True, help="Also show passed cases.")
@format_option
@as_option
@forge_options
@click.pass_obj
def health(
    settings: GlobalOptions, /, names: tuple[str, ...], **options: Any
) -> CommandResult:
    """Run the cases of main's skills again, in the sandbox: all, or those named.

    Urgent skills run first: those that the last run had no time for, that failed,
    that are used or pinned, that waited longest. Results are stored in the clone, by
    version and environment. A failing case runs a second time; if it passes then, it
    is flaky and doesn't count as broken.

    \b
    skillforge health                        all, for at most an hour
    skillforge health --budget 300           for at most five minutes
    skillforge health --shard 2/4 --jobs 4   the second of four machines
    skillforge health --propose              mark broken skills as deprecated

    With --propose, a skill that passed before and fails now gets a proposal that sets
    `metadata.deprecated` and says what changed: interpreter, dependency or the skill
    itself. A skill that passes again gets a proposal that removes the mark.

    Exits 1 if a skill fails.
    """
    format_ = options["format_"]
    settings.json = settings.json or format_ == "json"
    request = workflows.health.HealthOptions(
        names,
        workflows.test.read_shard(options["shard"]),
        options["budget"] or 0,
        options["jobs"] or 0,
    )
    report = workflows.health.check_health(
        settings.workspace(options["speaks_for"]),
        request,
        lambda: progress(settings.json or format_ != "text"),
        propose=options["is_proposed"],
    )
    return CommandResult(
        {**data.health.health(report)},
        text.health.health(report, verbose=options["verbose"], colour=use_colour()),
        report.ok,
        workflows.documents.of_trials(format_, report.trials, [], report.paths),
    )
