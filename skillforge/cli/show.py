"""`skillforge show`: a skill, or one of its files."""

import sys

import click

from skillforge.cli import completions
from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.catalog import revision_option


@click.command()
@click.argument("name", shell_complete=completions.skills)
@click.argument("file", required=False)
@revision_option
@common_options
@click.pass_obj
def show(
    settings: GlobalOptions, name: str, file: str | None, rev: str | None
) -> CommandResult:
    """Show a skill: its facts, its files and its instructions; or one of its files.

    \b
    skillforge show csv-tables
    skillforge show csv-tables scripts/join.py > join.py     exactly its bytes
    skillforge show csv-tables --rev v1.0.0

    A skill that went into another one is told of by its old name.
    """
    from skillforge.share import reading_words as words
    from skillforge.share import skill_index, skill_view
    from skillforge.workflows.lookup import library_at, unknown

    library = library_at(settings.start)
    commit = skill_index.commit_of(library, rev)
    shown = skill_view.find(library, commit, name)
    if shown is None:
        raise unknown(library, commit, name, is_now=rev is None)
    if file is None:
        return CommandResult(words.shown_data(shown), words.shown_text(shown))
    data = skill_view.read_file(shown, file)
    return CommandResult(
        words.file_data(name, file, data), document=_on_screen(data, file)
    )


def _on_screen(data: bytes, file: str) -> bytes:
    """A file for whoever reads it: exact for a program, harmless for a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return data
    from skillforge.report import printable

    if b"\0" in data:
        raise click.UsageError(f"{file} is not text; send it to a file with > {file}")
    lines = data.decode("utf-8", "replace").split("\n")
    return "\n".join(printable(line.expandtabs()) for line in lines).encode()
