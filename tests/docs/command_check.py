"""Whether a line calls a command of ours that there is, with options that it has."""

import re
import shlex

import click

from skillforge.cli import cli


def misuse(line: str) -> str:
    """What is wrong with a `skillforge …` line; empty if it can be typed.

    Only names are looked at: what a page leaves out (`…`, `SKILL`) may be missing.
    """
    words = _words(line.removeprefix("skillforge "))
    context = click.Context(cli, info_name="skillforge", **cli.context_settings)
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner, *others = (
            command.get_command(context, it) for it in words[0].split("|")
        )
        if inner is None or None in others:
            return "" if words[0] == "[OPTIONS]" else f"no command {words[0]!r}"
        context = click.Context(inner, context, words.pop(0))
        command = inner
    known = {name for it in command.get_params(context) for name in _names(it)}
    known |= {"--version"} if command is cli else set()
    given = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    return ", ".join(f"no option {name}" for name in given if name not in known)


def _words(line: str) -> list[str]:
    """The words up to what a shell does with them, or to where an argument begins."""
    line = re.split(r"\s[<>|&]|;|\s#\s", line)[0]
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    return words[: words.index("--")] if "--" in words else words


def _names(param: click.Parameter) -> list[str]:
    is_option = isinstance(param, click.Option)
    return [*param.opts, *param.secondary_opts] if is_option else []
