"""`skillforge sync`: copy all skills of main to an agent's folder."""

from pathlib import Path

import click

from skillforge import workflows
from skillforge.agents import named_folder, skills_folder
from skillforge.cli.agent_name import AgentName
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.cli.use import key_option, warn_not_remembered
from skillforge.render import data, text


@click.command()
@click.option("--to", "folder", metavar="DIR", type=click.Path(), help="The folder.")
@click.option("--agent", type=AgentName(), help="The skills folder of this agent.")
@click.option(
    "--project",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="With --agent: the project's folder, not the user's.",
)
@click.option("--dry-run", "dry", is_flag=True, help="Only show what would change.")
@key_option
@forge_options
@click.pass_obj
def sync(
    settings: GlobalOptions, /, key: str, dry: bool, **where: str | None
) -> CommandResult:
    """Copy all skills of main to an agent's folder, in the versions a key gets.

    Only changes are written, and skills that main no longer has are removed. A skill
    that was edited there, or that came from elsewhere, is skipped and reported.

    \b
    skillforge sync --agent claude --key "$USER"             ~/.claude/skills
    skillforge sync --agent codex --project . --key "$USER"  ./.agents/skills
    skillforge sync --to ~/bot/skills --key bot-7 --dry-run

    Exits 1 if a skill was skipped. If it is interrupted, run it again.
    """
    folder = _folder(**where)
    result = workflows.sync.sync(settings.main_library(), key, folder, dry=dry)
    warn_not_remembered(result.unwritten)
    return CommandResult(
        {**data.uses.sync(result)}, text.uses.sync(result), result.result.ok
    )


def _folder(folder: str | None, agent: str | None, project: str | None) -> Path:
    if bool(folder) == bool(agent):
        raise click.UsageError("name the folder with either --to DIR or --agent NAME")
    if folder:
        if project:
            raise click.UsageError("--project needs --agent")
        return named_folder(folder)
    return skills_folder(str(agent), Path(project).resolve() if project else None)
