"""`skillforge show`: a skill, or one of its files."""

import sys

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    revision_option,
)
from skillforge.cli.skill_name import skill_argument
from skillforge.render import data, text


@click.command()
@skill_argument()
@click.argument("file", required=False)
@revision_option
@common_options
@click.pass_obj
def show(
    settings: GlobalOptions, name: str, file: str | None, rev: str | None
) -> CommandResult:
    """Show a skill: metadata, files and instructions; or one of its files.

    \b
    skillforge show csv-tables
    skillforge show csv-tables scripts/join.py > join.py     its exact bytes
    skillforge show csv-tables --rev v1.0.0

    For a skill that was merged into another one, the error names that one.
    """
    library = settings.main_library()
    if file is None:
        view = workflows.skills.show(library, name, rev)
        return CommandResult({**data.skills.show(view)}, text.skills.show(view))
    result = workflows.skills.read_file(library, name, file, rev)
    return CommandResult(
        {**data.skills.file(result)}, document=_on_screen(result.content, file)
    )


def _on_screen(content: bytes, file: str) -> bytes:
    """The exact bytes for a program, harmless text for a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return content
    from skillforge.report import printable

    if b"\0" in content:
        raise click.UsageError(f"{file} is not text; send it to a file with > {file}")
    lines = content.decode("utf-8", "replace").split("\n")
    return "\n".join(printable(line.expandtabs()) for line in lines).encode()
