"""The commands of the Operate stage that hand out skills: use, sync."""

from typing import TYPE_CHECKING, Any

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options

if TYPE_CHECKING:
    from pathlib import Path

    from skillforge.operate.folder_sync import SyncResult

_AGENTS = ("claude", "codex", "hermes", "agents")  # a test holds it to `places`


def _said(_context: click.Context, _option: click.Parameter, value: str | None) -> str:
    if value is None or not value.strip():
        raise click.UsageError(
            "say who asks: --key KEY, or SKILLFORGE_KEY (a user, a session, a machine)"
        )
    return value


key_option = click.option(
    "--key",
    metavar="KEY",
    envvar="SKILLFORGE_KEY",
    callback=_said,
    help="Who asks: a user, session or machine. The same key gets the same version "
    "[default: $SKILLFORGE_KEY].",
)


@click.command()
@click.argument("name", shell_complete=completions.skills)
@key_option
@forge_options
@click.pass_obj
def use(settings: GlobalOptions, name: str, key: str) -> CommandResult:
    """Print the folder of the version of a skill that a key gets.

    The folder is read-only, called like the skill, and holds what git has: that is
    checked each time. Standard output is its path, and nothing else.

    \b
    cat "$(skillforge use csv-tables --key "$USER")/SKILL.md"
    if path=$(skillforge use csv-tables); then agent --skill "$path"; else agent; fi

    Exits 1, with nothing on standard output, if this key gets no such skill now: a new
    skill is tried on some keys first.
    """
    from skillforge.workflows.lookup import library_at
    from skillforge.workflows.use import hand

    library = library_at(settings.start, settings.forge, settings.host)
    given, path, unwritten = hand(library, name, key)
    skill = given.skill
    if skill != name:
        _aside(f"{name} went into {skill}")
    if path is None:
        _aside(f"this key gets no {skill} now; why: skillforge canary status {skill}")
    data = {
        "skill": skill,
        "path": path and str(path),
        "arm": given.arm.value,
        "version": given.version or None,
        "rollout": given.rollout or None,
        "readable_version": path and _readable(path),
        "remembered": not _noted(unwritten),
    }
    return CommandResult(data, str(path or ""), ok=path is not None)


def _readable(path: "Path") -> str | None:
    """The version that a skill says it has."""
    from skillforge.model import SKILL_FILE
    from skillforge.propose import readable_version

    skill_md = path / SKILL_FILE
    return (
        readable_version.of(skill_md.read_bytes()) if skill_md.is_file() else ""
    ) or None


def _aside(words: str) -> None:
    """Say something to people that is no part of the answer."""
    from skillforge.report import printable

    click.echo(printable(words), err=True)


def _noted(unwritten: str) -> bool:
    """Tell what could not be remembered, and whether that was so."""
    if unwritten:
        _aside(f"not remembered for `record`: {unwritten}")
    return bool(unwritten)


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
    data = _data(done) | {"dry_run": dry, "remembered": not (dry or _noted(unwritten))}
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
