"""The commands of the Share stage that read: list, show, search, catalog."""

import sys
from typing import TYPE_CHECKING

import click

from skillforge.cli import completions
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
    skills = skill_index.reading(library, commit, Index.skills)
    data = {"commit": commit, "skills": [words.skill_row(skill) for skill in skills]}
    return CommandResult(data, words.list_text(skills))


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


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="How many to show at most.",
)
@revision_option
@common_options
@click.pass_obj
def search(
    settings: GlobalOptions, query: tuple[str, ...], limit: int, rev: str | None
) -> CommandResult:
    """Find skills by what they are for, the best first, and tell why.

    Looks at names, descriptions, requests that skills ship (evals/eval_queries.json)
    and instructions. Any words will do; none is an operator.

    \b
    skillforge search merge two spreadsheets
    skillforge search "flaky tests" --limit 3 --json

    A change that was promoted is found by the next call.
    """
    from skillforge.share import reading_words as words
    from skillforge.share import skill_index
    from skillforge.share.search import search as find
    from skillforge.workflows.lookup import library_at

    library = library_at(settings.start)
    commit = skill_index.commit_of(library, rev)
    asked = " ".join(query)
    hits = find(library, commit, asked, limit)
    data = {"query": asked, "commit": commit, "results": [*map(words.hit_row, hits)]}
    return CommandResult(data, words.hits_text(hits, asked))


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
    from skillforge.share.catalog import fitted, readable, tokens
    from skillforge.workflows.lookup import library_at

    settings.json = settings.json or format_ == "json"
    library = library_at(settings.start)
    commit = skill_index.commit_of(library, rev)
    skills = skill_index.reading(library, commit, lambda index: readable(index, budget))
    found = _found(library, commit, task)
    skills = [found[it.name].skill if it.name in found else it for it in skills]
    scores = {name: hit.score for name, hit in found.items()}
    locate = _locate(library, rev)

    def rendered(catalog: "Catalog") -> str:
        if settings.json:
            return envelope("catalog", True, _data(catalog, budget), None)
        return catalog_formats.FORMS[format_](catalog, locate)

    fits = fitted(skills, scores, budget, rendered)
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
