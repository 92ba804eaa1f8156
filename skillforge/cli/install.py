"""The commands of the Share stage that bring skills of others: install and after."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import (
    CommandResult,
    F,
    GlobalOptions,
    as_option,
    common_options,
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


def _place(given: dict[str, Any]) -> "SkillFolder":
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
    place = _place(given)
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


@click.command()
@place_options
@common_options
@click.pass_obj
def verify(_settings: GlobalOptions, /, **given: Any) -> CommandResult:
    """Tell what differs between skills-lock.json and the skills on disk.

    Names every file that is missing, changed or not from there. Nothing is fetched.
    Exits 0 if all is as it was installed, 1 if anything differs.
    """
    from skillforge.share import install_words as words
    from skillforge.share import update

    lock, found = update.verify(_place(given))
    data = words.verify_data(lock, found)
    return CommandResult(data, words.verify_text(lock, found), ok=not found)


@click.command()
@click.argument("names", nargs=-1, metavar="[SKILL]...")
@click.option("--yes", is_flag=True, help="Take it; without, it is only shown.")
@caution_option
@place_options
@common_options
@click.pass_obj
def update(
    _settings: GlobalOptions, /, names: tuple[str, ...], **given: Any
) -> CommandResult:
    """Show what is new at the sources of installed skills; --yes takes it.

    What you changed yourself is never overwritten. A skill that was installed from a
    tag stays at it: install SOURCE#TAG again to move on.

    \b
    skillforge update                 show what is new, as a diff
    skillforge update csv-tables --yes

    Exits 1 if something new is refused, 4 if only skills changed here are left.
    """
    from skillforge.errors import ConflictError
    from skillforge.share import install_words as words
    from skillforge.share import update

    place = _place(given)
    _, found = update.updates(place, names)
    if update.stuck(found):
        edited = ", ".join(it.name for it in found if it.state == "edited")
        raise ConflictError(
            f"changed here, and not overwritten: {edited}",
            hint="skillforge verify shows what; move a folder away to install it anew",
            facts=words.update_data(found, None, place),
        )
    if not given["yes"] or not any(it.state == "new" for it in found):
        data = words.update_data(found, None, place)
        return CommandResult(data, words.update_text(found, is_applied=False))
    done = update.apply(place, found, accept_caution=given["accept_caution"])
    shown = words.update_text(found, is_applied=True)
    text = f"{shown}\n{words.done_text(done, place, colour=use_colour())}"
    return CommandResult(words.update_data(found, done, place), text, ok=done.ok)
