"""Fit all skills into a token budget, for an agent's prompt."""

from collections.abc import Callable
from dataclasses import dataclass

from skillforge.library import Library
from skillforge.share import catalog_formats, skill_index
from skillforge.share.catalog import Catalog, fit, indexed_skills, tokens
from skillforge.share.search import Hit
from skillforge.share.search import search as find

_MOST_TOKENS = 999_999  # while the size isn't known
_RANKED = 50  # skills that are ranked for a task


@dataclass(frozen=True, slots=True)
class CatalogRequest:
    """What to fit into a catalog; `task` ranks skills, `revision` is main by default.

    `format` is one of `text`, `xml` and `markdown`.
    """

    budget: int = 3000
    task: str = ""
    revision: str | None = None
    format: str = "text"


@dataclass(frozen=True, slots=True)
class FittedCatalog:
    """A catalog within its budget, as text in its format.

    `omissions` says what was shortened or left out; empty if nothing was.
    """

    catalog: Catalog
    budget: int
    text: str = ""
    tokens: int = _MOST_TOKENS

    @property
    def omissions(self) -> str:
        return catalog_formats.omission_note(self.catalog)


Render = Callable[[FittedCatalog], str]


def catalog(
    library: Library, request: CatalogRequest, render: Render | None = None
) -> FittedCatalog:
    """The most detailed catalog that fits; `render` replaces the formats."""
    commit = skill_index.commit_of(library, request.revision)
    skills = skill_index.query(
        library, commit, lambda index: indexed_skills(index, request.budget)
    )
    hits = _matches(library, commit, request.task)
    skills = [hits[s.name].skill if s.name in hits else s for s in skills]
    scores = {name: hit.score for name, hit in hits.items()}
    locate = _locate(library, request.revision)

    def rendered(candidate: Catalog) -> str:
        if render is not None:
            return render(FittedCatalog(candidate, request.budget))
        return catalog_formats.FORMS[request.format](candidate, locate)

    fits = fit(skills, scores, request.budget, rendered)
    text = rendered(fits)
    return FittedCatalog(fits, request.budget, text, tokens(text))


def _matches(library: Library, commit: str, task: str) -> dict[str, Hit]:
    """The skills that match a task, by name."""
    hits = find(library, commit, task, _RANKED) if task else []
    return {hit.skill.name: hit for hit in hits}


def _locate(library: Library, revision: str | None) -> Callable[[str], str]:
    """Where a client finds a SKILL.md: in the checkout, if there is one of main."""
    if revision is not None or library.repository().is_bare:
        return lambda name: f"{library.path_of(name)}/SKILL.md"
    top = library.root.resolve()
    return lambda name: f"{top}/{library.path_of(name)}/SKILL.md"
