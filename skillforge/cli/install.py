"""`skillforge install`: skills of a hub or repository: checked, scanned and locked."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import (
    CommandResult,
    F,
    GlobalOptions,
    as_option,
    forge_options,
)
from skillforge.cli.output import use_colour

if TYPE_CHECKING:
    from skillforge.share.staging import SkillFolder


_AGENTS = ("agents", "claude", "codex", "hermes")


def place_options(command: F) -> F:
    """Give a command the folder of skills, and the lock that goes with it."""
    to = click.option(
        "--to",
        multiple=True,
        metavar="DIR",
        help="The folder of skills; again for each other one that the lock names.",
    )
    agent = click.option(
        "--agent",
        type=click.Choice(_AGENTS),
        default="agents",
        show_default=True,
        help="Whose folder: .agents/skills, .claude/skills, .hermes/skills.",
    )
    user = click.option(
        "--user", is_flag=True, help="The user's folder, not the project's."
    )
    lock = click.option(
        "--lock",
        default="",
        metavar="FILE",
        help="The lock [default: skills-lock.json].",
    )
    return to(agent(user(lock(command))))


caution_option = click.option(
    "--accept-caution", is_flag=True, help="Take what the scan has doubts about."
)


def target_folder(given: dict[str, Any]) -> "SkillFolder":
    from skillforge.share.staging import place

    if given["to"] and given["user"]:
        raise click.UsageError("--to names a folder; --user is for an agent's own")
    return place(given["to"], given["agent"], given["user"], given["lock"])


@click.command()
@click.argument("source", required=False, metavar="SOURCE[#TAG][@SKILL]")
@click.option("--frozen", is_flag=True, help="Exactly what the lock says, or fail.")
@click.option("--propose", "is_proposed", is_flag=True, help="Into the own library.")
@click.option("--why", default="", help="With --propose: the reason, for the reviewer.")
@caution_option
@place_options
@as_option
@forge_options
@click.pass_obj
def install(
    settings: GlobalOptions, /, source: str | None, **given: Any
) -> CommandResult:
    """Install skills from a hub, an archive, a git repository or a folder.

    What is fetched goes to a private folder first. Its digest has to be the one that
    the hub's index names, its paths have to be safe, it has to meet the specification,
    and the scan must not find it dangerous. Then it is put in place as a whole, and
    skills-lock.json says what it is and where it came from.

    \b
    skillforge install https://skills.example.org@csv-tables
    skillforge install https://example.org/skills.git#v1.2.0
    skillforge install ./csv-tables.skill --agent claude
    skillforge install --frozen          what the lock says, to the byte
    skillforge install SOURCE --propose  as a proposal to the own library

    Exits 1 if something is refused, 4 if what is there would be overwritten.
    """
    if given["frozen"] == bool(source) or (given["frozen"] and given["is_proposed"]):
        raise click.UsageError(
            "say what to install: SOURCE[#TAG][@SKILL], or --frozen for what is locked"
        )
    if given["is_proposed"]:
        return _propose(settings, str(source), given)
    from skillforge.share import install as installing
    from skillforge.share import install_source
    from skillforge.share import install_words as words

    if source is not None and len(given["to"]) > 1:
        raise click.UsageError("SOURCE is installed to one folder: one --to")
    place = target_folder(given)
    accept = given["accept_caution"]
    if source is None:
        done = installing.frozen(place, accept_caution=accept)
    else:
        wanted = install_source.parse(source)
        done = installing.install(wanted, place, accept_caution=accept)
    text = words.done_text(done, place, colour=use_colour())
    return CommandResult(words.done_data(done, place), text, ok=done.ok)


def _propose(
    settings: GlobalOptions, source: str, given: dict[str, Any]
) -> CommandResult:
    """Hand skills of others to the own library, as drafts."""
    from skillforge.cli.propose import submitted
    from skillforge.propose.admission import ProposalRequest
    from skillforge.propose.workspace import Workspace
    from skillforge.share import install_source
    from skillforge.share.install import drafts
    from skillforge.workflows.submit import submit

    accept = given["accept_caution"]
    made = drafts(install_source.parse(source), given["why"], accept_caution=accept)
    desk = Workspace.at_work(settings.start, given["speaks_for"], settings.choice)
    requests = [ProposalRequest(draft, desk.base) for draft in made]
    return submitted(submit(desk, requests))
