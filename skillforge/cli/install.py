"""`skillforge install`: skills of a hub or repository, checked, scanned and locked."""

from typing import TYPE_CHECKING, Any

import click

from skillforge import workflows
from skillforge.cli.agent_name import AgentName
from skillforge.cli.base import (
    CommandResult,
    F,
    GlobalOptions,
    as_option,
    forge_options,
)
from skillforge.cli.output import use_colour
from skillforge.cli.propose import submitted
from skillforge.render import data, text

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
        help="The agent to install for: .agents/skills, .claude/skills, …",
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
    if options["to"] and options["user"]:
        raise click.UsageError("use either --to or --user")
    return workflows.install.target(
        options["to"], options["agent"], options["user"], options["lock"]
    )


@click.command()
@click.argument("source", required=False, metavar="SOURCE[#TAG][@SKILL]")
@click.option(
    "--frozen", is_flag=True, help="Install exactly the locked skills, or fail."
)
@click.option(
    "--propose", is_flag=True, help="Propose the skills for the library instead."
)
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

    A skill is fetched to a private folder first. Its digest must match the hub's index,
    its paths must be safe, it must meet the specification, and the scan must not find
    it dangerous. Then it is moved into place as a whole, and skills-lock.json records
    its exact bytes and their source.

    \b
    skillforge install https://skills.example.org@csv-tables
    skillforge install https://example.org/skills.git#v1.2.0
    skillforge install ./csv-tables.skill --agent claude
    skillforge install --frozen          exactly the locked skills
    skillforge install SOURCE --propose  as a proposal for the library

    A skill that is refused doesn't stop the others; --frozen installs all or none.

    Exits 1 if a skill is refused, 4 if other files would be overwritten.
    """
    source, frozen = source or "", options["frozen"]
    accept = options["accept_caution"]
    if frozen == bool(source) or (frozen and options["propose"]):
        raise click.UsageError("name a SOURCE, or use --frozen to install the lock")
    if options["propose"]:
        workspace = settings.workspace(options["speaks_for"], will_write=True)
        return submitted(
            workflows.install.propose(
                workspace, source, options["why"], accept_caution=accept
            )
        )
    if source and len(options["to"]) > 1:
        raise click.UsageError("a SOURCE is installed to one folder: use one --to")
    target = install_target(options)
    if source:
        result = workflows.install.install(source, target, accept_caution=accept)
    else:
        result = workflows.install.install_locked(target, accept_caution=accept)
    return CommandResult(
        data.install.install(result),
        text.install.install(result, colour=use_colour()),
        result.ok,
    )
