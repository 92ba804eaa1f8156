"""`skillforge use`: the folder of the skill version that a key gets."""

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, GlobalOptions, forge_options
from skillforge.cli.skill_name import skill_argument
from skillforge.render import data
from skillforge.report import printable


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
@skill_argument()
@key_option
@forge_options
@click.pass_obj
def use(settings: GlobalOptions, name: str, key: str) -> CommandResult:
    """Print the folder of the version of a skill that a key gets.

    The folder is read-only and named after the skill. Its files are compared with git
    each time. Only its path is printed on standard output.

    \b
    cat "$(skillforge use csv-tables --key "$USER")/SKILL.md"
    if path=$(skillforge use csv-tables); then agent --skill "$path"; else agent; fi

    Exits 1 and prints nothing on standard output if the key doesn't get the skill yet:
    a rollout gives a new skill to some keys first.
    """
    result = workflows.use.get(settings.main_library(), name, key)
    skill, path = result.assignment.skill, result.path
    if skill != name:
        _warn(f"{name} was absorbed into {skill}")
    if path is None:
        status = f"skillforge canary status {skill}"
        _warn(f"this key gets no {skill} now; for the reason: {status}")
    warn_not_remembered(result.unwritten)
    return CommandResult(
        {**data.uses.use(result)}, str(path or ""), ok=path is not None
    )


def _warn(message: str) -> None:
    click.echo(printable(message), err=True)


def warn_not_remembered(why: str) -> None:
    """Warn that `record` won't know which version a key got, and why."""
    if why:
        _warn(f"not remembered for `record`: {why}")
