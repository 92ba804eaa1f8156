"""`skillforge health`: the cases of all skills, run again."""

from typing import Any

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
    format_option,
)
from skillforge.cli.offers import offered
from skillforge.cli.output import use_colour
from skillforge.cli.pin import propose_option
from skillforge.cli.test import jobs_option, progress, rendered, shard_option


@click.command()
@click.argument(
    "names", nargs=-1, metavar="[SKILL]...", shell_complete=completions.skills
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    metavar="SECONDS",
    help="How long it may take [default: the policy's, an hour].",
)
@shard_option
@jobs_option
@propose_option
@click.option("-v", "--verbose", is_flag=True, help="Show what passed, too.")
@format_option
@as_option
@forge_options
@click.pass_obj
def health(
    settings: GlobalOptions, /, names: tuple[str, ...], **given: Any
) -> CommandResult:
    """Try the cases of skills on main again, in the sandbox: all, or those named.

    The most urgent come first: what did not fit the last time, what failed at last,
    what is used or pinned, what waited longest. How each version fared, and where, is
    kept in the private store of the clone. What fails is tried a second time; one that
    passes then is flaky, and does not count as broken.

    \b
    skillforge health                        all, for an hour at most
    skillforge health --budget 300           what fits into five minutes
    skillforge health --shard 2/4 --jobs 4   the second of four machines
    skillforge health --propose              and mark what broke as deprecated

    With --propose, a skill that passed before gets a proposal that sets
    `metadata.deprecated` and says what changed: interpreter, dependency or the skill
    itself. One that works again gets a proposal that takes the mark out.

    Exits 1 if a skill fails.
    """
    from skillforge.checks.cases.case_run import read_shard
    from skillforge.operate import deprecation, health_words
    from skillforge.operate.health import HealthOptions, check_up, is_well
    from skillforge.propose.workspace import Workspace

    settings.json = settings.json or given["format_"] == "json"
    desk = Workspace.at(settings.start, given["speaks_for"], settings.choice)
    library = desk.settled()
    tip = desk.base if given["is_proposed"] else library.tip
    seconds = given["budget"] or library.policy(tip).health_seconds
    ask = HealthOptions(names, read_shard(given["shard"]), seconds, given["jobs"] or 0)
    with progress(settings.json or given["format_"] != "text") as bar:
        found = list(check_up(library, tip, ask, bar))
    data = health_words.data(found)
    text = health_words.text(found, verbose=given["verbose"], colour=use_colour())
    if given["is_proposed"]:
        drafts = deprecation.drafts(library, tip, found)
        data, text = offered(desk, drafts, data, text, again=bool(names))
    paths = {one.name: one.skill.path for one in found}
    document = rendered(health_words.trials(found), [], paths, given["format_"])
    return CommandResult(data, text, is_well(found), document)
