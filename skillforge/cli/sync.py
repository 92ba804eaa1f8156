"""`skillforge sync`: all skills of main in an agent's folder."""

from typing import TYPE_CHECKING

import click

from skillforge.cli.agent_name import AgentName
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.cli.use import key_option, warn_not_remembered

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.option("--to", "folder", metavar="DIR", type=click.Path(), help="The folder.")
@click.option("--agent", type=AgentName(), help="Where this agent looks for skills.")
@click.option(
    "--project",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="With --agent: a project's skills, not the user's.",
)
@click.option("--dry-run", "dry", is_flag=True, help="Only tell what would be done.")
@key_option
@forge_options
@click.pass_obj
def sync(
    settings: GlobalOptions, /, key: str, dry: bool, **where: str | None
) -> CommandResult:
    """Lay out all skills of main in an agent's folder, in the versions a key gets.

    Only what changed is written, and what main no longer has is taken away. A folder
    that was edited there, or that something else put there, is left alone and named.

    \b
    skillforge sync --agent claude --key "$USER"             ~/.claude/skills
    skillforge sync --agent codex --project . --key "$USER"  ./.agents/skills
    skillforge sync --to ~/bot/skills --key bot-7 --dry-run

    Exits 0 if the folder now holds what main has for this key, 1 if something was left
    alone. Killed or interrupted, it is finished by the next one.
    """
    from skillforge.render import data, text
    from skillforge.workflows import sync as workflow
    from skillforge.workflows.lookup import library_at

    folder = _folder(**where)
    library = library_at(settings.start, settings.forge, settings.host)
    done = workflow.sync(library, key, folder, dry=dry)
    warn_not_remembered(done.unwritten)
    return CommandResult(
        {**data.uses.sync(done)}, text.uses.sync(done), ok=done.result.ok
    )


def _folder(folder: str | None, agent: str | None, project: str | None) -> "Path":
    from pathlib import Path

    from skillforge.agents import named_folder, skills_folder

    if bool(folder) == bool(agent):
        raise click.UsageError("say where to, with one of --to DIR and --agent NAME")
    if folder:
        if project:
            raise click.UsageError("--project goes with --agent")
        return named_folder(folder)
    assert agent is not None
    return skills_folder(agent, Path(project).resolve() if project else None)
