"""`skillforge list`: the skills of main."""

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.catalog import revision_option


@click.command("list")
@revision_option
@common_options
@click.pass_obj
def list_(settings: GlobalOptions, rev: str | None) -> CommandResult:
    """List the skills of main: name and description.

    Reads what is committed, also in a bare repository; the checkout is not looked at.

    \b
    skillforge list
    skillforge list --rev v1.0.0      as of a release
    """
    from skillforge.share import reading_words as words
    from skillforge.share import skill_index
    from skillforge.store.index import Index
    from skillforge.workflows.lookup import library_at

    library = library_at(settings.start)
    commit = skill_index.commit_of(library, rev)
    skills = skill_index.query(library, commit, Index.skills)
    data = {"commit": commit, "skills": [words.skill_row(skill) for skill in skills]}
    return CommandResult(data, words.list_text(skills))
