"""`skillforge curate`: skills that are stale, duplicate or broken."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    as_option,
    forge_options,
)
from skillforge.cli.offers import offered
from skillforge.cli.propose import submitted

if TYPE_CHECKING:
    from skillforge.propose.workspace import Workspace
from skillforge.cli.pin import propose_option, why_option


@click.command()
@click.argument(
    "names", nargs=-1, metavar="[SKILL]...", shell_complete=completions.skills
)
@propose_option
@click.option(
    "--restore", default="", metavar="SKILL", help="Bring a skill back instead."
)
@why_option
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
