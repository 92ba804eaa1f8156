"""`skillforge install`: skills of a hub or repository, checked, scanned and locked."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.agent_name import AgentName
from skillforge.cli.base import (
    CommandResult,
    F,
    GlobalOptions,
    as_option,
    forge_options,
)
from skillforge.cli.output import use_colour

if TYPE_CHECKING:
    from skillforge.share.install_target import InstallTarget


def target_options(command: F) -> F:
    """Give a command the options for the folder of skills and its lock."""
    to = click.option(
        "--to",
        multiple=True,
        metavar="DIR",
        help="The folder of skills; repeat it for other folders in the lock.",
    )
    agent = click.option(
        "--agent",
        type=AgentName(),
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
        help="The lock file [default: skills-lock.json].",
    )
    return to(agent(user(lock(command))))


caution_option = click.option(
    "--accept-caution", is_flag=True, help="Accept skills with the verdict caution."
)


def install_target(options: dict[str, Any]) -> "InstallTarget":
    from skillforge.share.install_target import resolve

    if options["to"] and options["user"]:
        raise click.UsageError("use either --to or --user")
    return resolve(options["to"], options["agent"], options["user"], options["lock"])


@click.command()
@click.argument("source", required=False, metavar="SOURCE[#TAG][@SKILL]")
@click.option("--frozen", is_flag=True, help="Install exactly what is locked, or fail.")
@click.option("--propose", is_flag=True, help="Propose it for the library instead.")
@click.option("--why", default="", help="With --propose: the reason, for the reviewer.")
@caution_option
@target_options
@as_option
@forge_options
@click.pass_obj
def install(
    settings: GlobalOptions, /, source: str | None, **options: Any
) -> CommandResult:
    """Install skills from a hub, an archive, a git repository or a folder.

    A skill is fetched to a private folder first. Its digest has to match the hub's
    index, its paths have to be safe, it has to meet the specification, and the scan
    must not find it dangerous. Then it is moved into place as a whole, and
    skills-lock.json records its exact bytes and where they came from.

    \b
    skillforge install https://skills.example.org@csv-tables
    skillforge install https://example.org/skills.git#v1.2.0
    skillforge install ./csv-tables.skill --agent claude
    skillforge install --frozen          exactly what the lock records
    skillforge install SOURCE --propose  as a proposal for the library

    Exits 1 if a skill is refused, 4 if other files would be overwritten.
    """
    from skillforge.render.data import install as install_data
    from skillforge.render.text import install as install_text
    from skillforge.workflows import install as workflow

    frozen, accept = options["frozen"], options["accept_caution"]
    if frozen == bool(source) or (frozen and options["propose"]):
        raise click.UsageError("name a SOURCE, or use --frozen to install the lock")
    if options["propose"]:
        return _propose(settings, str(source), options)
    if source is not None and len(options["to"]) > 1:
        raise click.UsageError("a SOURCE is installed to one folder: use one --to")
    target = install_target(options)
    if source is None:
        result = workflow.install_locked(target, accept_caution=accept)
    else:
        result = workflow.install(source, target, accept_caution=accept)
    text = install_text.install(result, colour=use_colour())
    return CommandResult(install_data.install(result), text, ok=result.ok)


def _propose(
    settings: GlobalOptions, source: str, options: dict[str, Any]
) -> CommandResult:
    from skillforge.cli.propose import submitted
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows import install as workflow

    user, accept = options["speaks_for"], options["accept_caution"]
    workspace = Workspace.at_work(settings.start, user, settings.choice)
    return submitted(
        workflow.propose(workspace, source, options["why"], accept_caution=accept)
    )
