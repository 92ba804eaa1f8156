"""`skillforge use`: the folder of the version that a key gets."""

from typing import TYPE_CHECKING

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options

if TYPE_CHECKING:
    from pathlib import Path


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
        "remembered": not note_unwritten(unwritten),
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


def note_unwritten(unwritten: str) -> bool:
    """Tell what could not be remembered, and whether that was so."""
    if unwritten:
        _aside(f"not remembered for `record`: {unwritten}")
    return bool(unwritten)
