"""`skillforge use`: the folder of the version that a key gets."""

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options


def _require_key(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> str:
    if value is None or not value.strip():
        raise click.UsageError(
            "missing --key KEY (or SKILLFORGE_KEY): a user, a session or a machine"
        )
    return value


key_option = click.option(
    "--key",
    metavar="KEY",
    envvar="SKILLFORGE_KEY",
    callback=_require_key,
    help="A user, session or machine. The same key always gets the same version "
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
    from skillforge.render import data
    from skillforge.workflows.lookup import library_at
    from skillforge.workflows.use import hand

    library = library_at(settings.start, settings.forge, settings.host)
    handed = hand(library, name, key)
    skill, path = handed.given.skill, handed.path
    if skill != name:
        _warn(f"{name} was absorbed into {skill}")
    if path is None:
        _warn(
            f"this key gets no {skill} now; for the reason: skillforge canary status "
            f"{skill}"
        )
    warn_not_remembered(handed.unwritten)
    return CommandResult(
        {**data.uses.use(handed)}, str(path or ""), ok=path is not None
    )


def _warn(message: str) -> None:
    from skillforge.report import printable

    click.echo(printable(message), err=True)


def warn_not_remembered(why: str) -> None:
    """Warn that `record` won't know which version a key got, and why."""
    if why:
        _warn(f"not remembered for `record`: {why}")
