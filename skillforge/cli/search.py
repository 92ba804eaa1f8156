"""`skillforge search`: skills by what they are for."""

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.catalog import revision_option


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
