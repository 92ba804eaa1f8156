"""Check that a command line names an existing command and existing options."""

import re
import shlex

import click

from skillforge.cli import cli


def misuse(line: str) -> str:
    """Return what is wrong with a `skillforge …` line; empty if nothing is.

    Only names are checked: arguments that a page omits (`…`, `SKILL`) may be missing.
    """
    words = _words(line.removeprefix("skillforge "))
    context = click.Context(cli, info_name="skillforge", **cli.context_settings)
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        names = words[0].split("|")
        inner, *others = (command.get_command(context, name) for name in names)
        if inner is None or None in others:
            return "" if words[0] == "[OPTIONS]" else f"no command {words[0]!r}"
        context = click.Context(inner, context, words.pop(0))
        command = inner
    params = command.get_params(context)
    known = {name for param in params for name in _option_names(param)}
    known |= {"--version"} if command is cli else set()
    given = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    return ", ".join(f"no option {name}" for name in given if name not in known)


def _words(line: str) -> list[str]:
    """The words before any shell syntax, comment or `--`."""
    line = re.split(r"\s[<>|&]|;|\s#\s", line)[0]
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    return words[: words.index("--")] if "--" in words else words


def _option_names(param: click.Parameter) -> list[str]:
    is_option = isinstance(param, click.Option)
    return [*param.opts, *param.secondary_opts] if is_option else []
