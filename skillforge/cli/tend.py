"""The commands of the Operate stage that tend a library: health, curate, pin."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    F,
    GlobalOptions,
    as_option,
    forge_options,
    format_option,
    origin_option,
)
from skillforge.cli.offers import offered
from skillforge.cli.output import use_colour
from skillforge.cli.propose import submitted
from skillforge.cli.testing import jobs_option, progress, rendered, shard_option
from skillforge.model import Origin

if TYPE_CHECKING:
    from skillforge.propose.workspace import Workspace

_why_option = click.option(
    "--why", default="", help="The reason, for the reviewer and history."
)
_propose_option = click.option(
    "--propose", "is_proposed", is_flag=True, help="Put what follows up for review."
)


def _pin_options(command: F) -> F:
    """Give a command what it takes to pin a skill or to unpin it."""
    supersede = click.option(
        "--supersede", is_flag=True, help="Close another proposal for the skill."
    )
    rest = _why_option(supersede(origin_option(as_option(forge_options(command)))))
    return click.argument("name", shell_complete=completions.skills)(rest)


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
@_propose_option
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


@click.command()
@_pin_options
@click.pass_obj
def pin(settings: GlobalOptions, /, name: str, **given: Any) -> CommandResult:
    """Propose to pin a skill: `metadata.pinned: "true"`. The curator leaves it alone.

    \b
    skillforge pin csv-tables --why "For the audit once a year"

    Exits 0 with a proposal, and if it is pinned already.
    """
    return _pinned(settings, name, given, is_wanted=True)


@click.command()
@_pin_options
@click.pass_obj
def unpin(settings: GlobalOptions, /, name: str, **given: Any) -> CommandResult:
    """Propose to take a pin out: the curator may propose to archive the skill again.

    Exits 0 with a proposal, and if it is not pinned.
    """
    return _pinned(settings, name, given, is_wanted=False)


def _pinned(
    settings: GlobalOptions, name: str, given: dict[str, Any], *, is_wanted: bool
) -> CommandResult:
    from dataclasses import replace

    from skillforge.operate.skill_edits import pinned
    from skillforge.propose.admission import ProposalRequest
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows.submit import submit

    desk = Workspace.at_work(settings.start, given["speaks_for"], settings.choice)
    base = desk.base
    draft = pinned(desk.library, base, name, is_wanted=is_wanted)
    data = {"skill": name, "pinned": is_wanted}
    if draft is None:
        so = "is pinned already" if is_wanted else "is not pinned"
        none = {"proposal": None, "created": False}
        return CommandResult(data | none, f"{name} {so}")
    why = given["why"] or f"{'Pin' if is_wanted else 'Unpin'} {name}"
    origin = Origin(given["origin"] or Origin.HUMAN)
    wanted = replace(draft, why=why, origin=origin)
    request = ProposalRequest(wanted, base, supersede=given["supersede"])
    return submitted(submit(desk, [request]), **data)


@click.command()
@click.argument(
    "names", nargs=-1, metavar="[SKILL]...", shell_complete=completions.skills
)
@_propose_option
@click.option(
    "--restore", default="", metavar="SKILL", help="Bring a skill back instead."
)
@_why_option
@as_option
@forge_options
@click.pass_obj
def curate(
    settings: GlobalOptions, /, names: tuple[str, ...], **given: Any
) -> CommandResult:
    """Find skills that are stale, superseded, double or broken; dry by default.

    \b
    superseded        `metadata.superseded-by` names a skill of the library
    archive, stale    no use for 90, for 30 days, while others are used
    overlap           says 75 % the same as another; from 90 % it can be absorbed
    broken-reference  SKILL.md links to a file that is not there
    never-loaded      offered to agents ten times or more, and never loaded
    catalog           names and descriptions of all skills take too many tokens

    Only skills that agents made are touched: not pinned ones, not people's, none that
    changed within a week. With --propose each draft becomes a proposal: archive (moves
    to archive/NAME), consolidate, or repair. What a reviewer closed is not proposed
    again, unless it is named.

    \b
    skillforge curate                        a report; changes nothing
    skillforge curate --propose              one proposal for each
    skillforge curate --restore csv-tables --propose

    Exits 0 with a report; 1 if a draft could not be proposed.
    """
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at(settings.start, given["speaks_for"], settings.choice)
    if given["restore"] and names:
        raise click.UsageError("--restore names the skill itself")
    library = desk.settled()
    tip = desk.base if given["is_proposed"] else library.tip
    if given["restore"]:
        return _restored(desk, tip, given)
    from skillforge.operate import curate_words
    from skillforge.operate.curate import curate as look_after
    from skillforge.operate.skill_edits import refuse_unknown

    for name in names:
        refuse_unknown(library, tip, name)
    done = look_after(library, tip, names)
    data = curate_words.data(done)
    text = curate_words.text(done, is_dry=not given["is_proposed"])
    if not given["is_proposed"]:
        return CommandResult(data, text)
    drafts = [it.draft for it in done.remarks if it.draft]
    data, text = offered(desk, drafts, data, text, again=bool(names))
    ok = all(row["proposal"] or row["refused"] for row in data["proposals"])
    return CommandResult(data, text, ok)


def _restored(desk: "Workspace", tip: str, given: dict[str, Any]) -> CommandResult:
    from skillforge.operate.archive import restored
    from skillforge.propose.admission import ProposalRequest
    from skillforge.workflows.submit import submit

    name = given["restore"]
    why = given["why"] or f"Bring {name} back from the archive"
    draft = restored(desk.library, tip, name, why)
    version = draft.restores[name]
    if not given["is_proposed"]:
        words = f"{name} can come back as version {version[:10]}; --propose asks for it"
        return CommandResult(
            {"skill": name, "version": version, "proposal": None}, words
        )
    request = ProposalRequest(draft, tip)
    return submitted(submit(desk, [request]), version=version)
