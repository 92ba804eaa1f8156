"""`skillforge sync`: all skills of main in an agent's folder."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli.base import CommandResult, GlobalOptions, forge_options

if TYPE_CHECKING:
    from pathlib import Path

    from skillforge.operate.folder_sync import SyncResult
from skillforge.cli.use import key_option, note_unwritten

_AGENTS = ("claude", "codex", "hermes", "agents")  # a test holds it to `places`


@click.command()
@click.option("--to", "folder", metavar="DIR", type=click.Path(), help="The folder.")
@click.option(
    "--agent", type=click.Choice(_AGENTS), help="Where this agent looks for skills."
)
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
    from skillforge.operate import assignment_log, folder_sync
    from skillforge.workflows.lookup import library_at

    folder = _folder(**where)
    library = library_at(settings.start, settings.forge, settings.host)
    done = folder_sync.sync(library, key, folder, dry=dry)
    unwritten = "" if dry else assignment_log.remember(library, done.handed, key)
    data = _data(done) | {
        "dry_run": dry,
        "remembered": not (dry or note_unwritten(unwritten)),
    }
    return CommandResult(data, _words(done, dry), ok=done.ok)


def _folder(folder: str | None, agent: str | None, project: str | None) -> "Path":
    from pathlib import Path

    from skillforge.agent_folders import named_folder, skills_folder

    if bool(folder) == bool(agent):
        raise click.UsageError("say where to, with one of --to DIR and --agent NAME")
    if folder:
        if project:
            raise click.UsageError("--project goes with --agent")
        return named_folder(folder)
    assert agent is not None
    return skills_folder(agent, Path(project).resolve() if project else None)


def _data(done: "SyncResult") -> dict[str, Any]:
    from skillforge.operate.folder_sync import SyncAction

    rows = [{"skill": n, "why": done.why[n]} for n in done.names(SyncAction.REFUSED)]
    names = {fate.value: done.names(fate) for fate in SyncAction}
    return {"to": str(done.folder), **names, "refused": rows}


def _words(done: "SyncResult", dry: bool) -> str:
    from skillforge.operate.folder_sync import SyncAction
    from skillforge.report import printable

    silent = (SyncAction.UNCHANGED, SyncAction.WITHHELD)
    shown = {fate: done.names(fate) for fate in SyncAction if fate not in silent}
    lines = [
        f"{fate.value:<8} {name}" + (f": {done.why[name]}" if name in done.why else "")
        for fate, names in shown.items()
        for name in names
    ]
    if edited := done.names(SyncAction.KEPT):
        lines.append(
            f"    skillforge propose {done.folder}/{edited[0]} puts an edit up"
        )
        lines.append("    for review; moved away, it makes room for the library's")
    counts = [f"{len(done.names(fate))} {fate.value}" for fate in SyncAction]
    told = ", ".join(it for it in counts if not it.startswith("0 ")) or "nothing to do"
    start = "would be " if dry else ""
    lines.append(f"{done.folder}: {start}{told}")
    return "\n".join(printable(line) for line in lines)
