"""`skillforge catalog`: all skills within a token budget."""

from typing import TYPE_CHECKING

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.output import envelope

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillforge.library import Library
    from skillforge.share.catalog import Catalog
    from skillforge.share.search import Hit


_FORMS = ("text", "xml", "json", "markdown")


_LEAST = 150  # a test holds it to `share.catalog`


revision_option = click.option(
    "--rev", metavar="REV", help="Read a commit, branch or tag [default: main]."
)


@click.command()
@click.option(
    "--budget",
    type=click.IntRange(min=_LEAST),
    default=3000,
    show_default=True,
    help="Tokens that it may take, at four bytes each.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(_FORMS),
    default="text",
    show_default=True,
    help="xml is what `skills-ref to-prompt` writes.",
)
@click.option("--for", "task", default="", metavar="TASK", help="Rank for a task.")
@revision_option
@common_options
@click.pass_obj
def catalog(
    settings: GlobalOptions, budget: int, format_: str, task: str, rev: str | None
) -> CommandResult:
    """Print all skills within a budget of tokens: for the prompt of an agent.

    It always fits: descriptions in full, else shortened, else names, else groups; and
    it says what it left out.

    \b
    skillforge catalog --format xml
    skillforge catalog --for "convert a PDF" --budget 500
    """
    from skillforge.share import catalog_formats, skill_index
    from skillforge.share.catalog import fit, indexed_skills, tokens
    from skillforge.workflows.lookup import library_at

    settings.json = settings.json or format_ == "json"
    library = library_at(settings.start)
    commit = skill_index.commit_of(library, rev)
    skills = skill_index.query(
        library, commit, lambda index: indexed_skills(index, budget)
    )
    found = _found(library, commit, task)
    skills = [found[it.name].skill if it.name in found else it for it in skills]
    scores = {name: hit.score for name, hit in found.items()}
    locate = _locate(library, rev)

    def rendered(catalog: "Catalog") -> str:
        if settings.json:
            return envelope("catalog", True, _data(catalog, budget), None)
        return catalog_formats.FORMS[format_](catalog, locate)

    fits = fit(skills, scores, budget, rendered)
    text = rendered(fits)
    return CommandResult(_data(fits, budget, tokens(text)), document=text)


def _found(library: "Library", commit: str, task: str) -> "dict[str, Hit]":
    """The skills that a task calls for, by name."""
    if not task:
        return {}
    from skillforge.share.search import search as find

    return {hit.skill.name: hit for hit in find(library, commit, task, 50)}


def _data(catalog: "Catalog", budget: int, tokens: int = 999_999) -> dict[str, object]:
    from skillforge.share.reading_words import catalog_data

    return catalog_data(catalog, budget, tokens)


def _locate(library: "Library", rev: str | None) -> "Callable[[str], str]":
    """Where a client finds a SKILL.md: in the checkout, if there is one of main."""
    repo = library.repository()
    if rev is not None or repo.is_bare:
        return lambda name: f"skills/{name}/SKILL.md"
    top = library.skills_dir.resolve()
    return lambda name: f"{top}/{name}/SKILL.md"
