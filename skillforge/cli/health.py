"""`skillforge health`: run the cases of all skills again."""

from typing import Any

import click

from skillforge.checks.cases.case_run import read_shard
from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
    format_option,
)
from skillforge.cli.output import use_colour
from skillforge.cli.pin import propose_option
from skillforge.cli.test import jobs_option, progress, rendered, shard_option
from skillforge.operate.health import HealthOptions
from skillforge.propose.workspace import Workspace
from skillforge.render import data, text
from skillforge.workflows.health import check_health


@click.command()
@click.argument(
    "names", nargs=-1, metavar="[SKILL]...", shell_complete=completions.skills
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    metavar="SECONDS",
    help="Time limit [default: the policy's, one hour].",
)
@shard_option
@jobs_option
@propose_option
@click.option("-v", "--verbose", is_flag=True, help="Show passed cases, too.")
@format_option
@as_option
@forge_options
@click.pass_obj
def health(
    settings: GlobalOptions, /, names: tuple[str, ...], **given: Any
) -> CommandResult:
    """Run the cases of main's skills again, in the sandbox: all, or those named.

    The most urgent run first: skills that did not fit the last time, that failed,
    that are used or pinned, that waited longest. Results are stored in the clone, by
    version and environment. A failing case runs a second time; if it passes then, it
    is flaky and doesn't count as broken.

    \b
    skillforge health                        all, for at most an hour
    skillforge health --budget 300           what fits into five minutes
    skillforge health --shard 2/4 --jobs 4   the second of four machines
    skillforge health --propose              mark what broke as deprecated

    With --propose, a skill that passed before and fails now gets a proposal that sets
    `metadata.deprecated` and says what changed: interpreter, dependency or the skill
    itself. A skill that passes again gets a proposal that removes the mark.

    Exits 1 if a skill fails.
    """
    as_json = settings.json = settings.json or given["format_"] == "json"
    workspace = Workspace.at(settings.start, given["speaks_for"], settings.choice)
    options = HealthOptions(
        names, read_shard(given["shard"]), given["budget"] or 0, given["jobs"] or 0
    )
    report = check_health(
        workspace,
        options,
        lambda: progress(as_json or given["format_"] != "text"),
        propose=given["is_proposed"],
    )
    paths = {checkup.name: checkup.skill.path for checkup in report.checkups}
    return CommandResult(
        {**data.health.health(report)},
        text.health.health(report, verbose=given["verbose"], colour=use_colour()),
        report.ok,
        rendered(report.trials, [], paths, given["format_"]),
    )
