"""Catalogs: all skills within a token budget, for the prompt of an agent.

A catalog shows full descriptions if they fit, else shortened ones, else names, else
groups of skills.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from skillforge.processes import without_cycles
from skillforge.store.index import Index, IndexedSkill
from skillforge.text import BYTES_PER_TOKEN, shortened_between_words

LEAST = 150  # tokens, in which the shortest catalog fits in any form
_LENGTHS = (400, 300, 220, 160, 120, 90, 60, 40)  # of shortened descriptions
_LEADS = (10, 5, 3, 1, 0)  # best matches of a task that keep their descriptions
_EXAMPLES = (5, 3, 1, 0)  # skills of a group that are named
_GROUPS = (64, 32, 16, 8, 4, 2, 1, 0)


class CatalogGroup(NamedTuple):
    """Skills that share an entry; a few of them by name."""

    name: str
    skills: int
    examples: tuple[str, ...] = ()


class CatalogItem(NamedTuple):
    """One skill of a catalog; without a description where only its name fits."""

    name: str
    description: str | None
    score: float | None = None


class Omissions(NamedTuple):
    """How much of the library a catalog omits."""

    shortened: int = 0  # descriptions
    names_only: int = 0  # skills without their description
    skills: int = 0  # that are not named
    groups: int = 0  # that are not named
    unusable: int = 0  # skills that no client could read


class Catalog(NamedTuple):
    """Skills, and the groups that replace the other skills."""

    detail: str  # full, shortened, names or groups
    items: tuple[CatalogItem, ...]
    groups: tuple[CatalogGroup, ...] = ()
    omissions: Omissions = Omissions()
    total: int = 0


def tokens(text: str) -> int:
    """About how many tokens a text takes."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def indexed_skills(index: Index, budget: int) -> list[IndexedSkill]:
    """All skills; without descriptions if not even their names fit."""
    outline = index.outline()
    return index.skills() if _names_fit(outline, budget) else outline


def _names_fit(skills: Sequence[IndexedSkill], budget: int) -> bool:
    return sum(len(skill.name) + 2 for skill in skills) <= budget * BYTES_PER_TOKEN


@without_cycles
def fit(
    skills: Sequence[IndexedSkill],
    scores: dict[str, float],
    budget: int,
    render: Callable[[Catalog], str],
) -> Catalog:
    """The most detailed catalog whose rendering fits the budget.

    `skills` are sorted by name; those with a score come first in the catalog.
    """
    usable = [skill for skill in skills if not skill.problem]
    if scores:
        usable.sort(key=lambda skill: (-scores.get(skill.name, 0.0), skill.name))
    catalog = Catalog("full", ())
    # The last candidate is empty, so one always fits.
    for catalog in _candidates(usable, scores, budget):
        omissions = catalog.omissions._replace(unusable=len(skills) - len(usable))
        catalog = catalog._replace(omissions=omissions, total=len(skills))
        if tokens(render(catalog)) <= budget:
            break
    return catalog


def _candidates(
    skills: list[IndexedSkill], scores: dict[str, float], budget: int
) -> Iterator[Catalog]:
    """Catalogs from the most to the least detailed."""
    leads = list(dict.fromkeys(min(count, len(scores)) for count in _LEADS))
    if _names_fit(skills, budget):
        yield from _named(skills, scores, leads[0])
    for count in leads:
        yield from _grouped(skills, scores, count)


def _named(
    skills: list[IndexedSkill], scores: dict[str, float], leads: int
) -> Iterator[Catalog]:
    """Catalogs that name every skill."""
    full = [skill.description for skill in skills]
    yield Catalog("full", _items(skills, full, scores))
    for length in _LENGTHS:
        short = full[:leads] + [
            shortened_between_words(text, length) for text in full[leads:]
        ]
        count = sum(text != cut for text, cut in zip(full, short, strict=True))
        items = _items(skills, short, scores)
        yield Catalog("shortened", items, omissions=Omissions(shortened=count))
    rest = len(skills) - len(full[:leads])
    items = _items(skills, [*full[:leads], *[None] * rest], scores)
    yield Catalog("names", items, omissions=Omissions(names_only=rest))


def _grouped(
    skills: list[IndexedSkill], scores: dict[str, float], leads: int
) -> Iterator[Catalog]:
    """Catalogs of the best matches, then groups with the largest first."""
    first, rest = skills[:leads], skills[leads:]
    items = _items(first, [skill.description for skill in first], scores)
    groups = _groups(rest)

    def catalog(shown: Sequence[CatalogGroup]) -> Catalog:
        named = sum(len(group.examples) for group in shown)
        omissions = Omissions(skills=len(rest) - named, groups=len(groups) - len(shown))
        return Catalog("groups", items, tuple(shown), omissions)

    for count in _EXAMPLES:
        yield catalog([g._replace(examples=g.examples[:count]) for g in groups])
    for count in _GROUPS:
        if count < len(groups):
            yield catalog([group._replace(examples=()) for group in groups[:count]])


def _groups(skills: list[IndexedSkill]) -> list[CatalogGroup]:
    names: dict[str, list[str]] = {}
    for skill in skills:
        names.setdefault(group_of(skill), []).append(skill.name)
    groups = [
        CatalogGroup(group, len(members), tuple(members[: _EXAMPLES[0]]))
        for group, members in names.items()
    ]
    return sorted(groups, key=lambda group: (-group.skills, group.name))


def group_of(skill: IndexedSkill) -> str:
    """The category of a skill; without one, the first word of its name."""
    group = " ".join(skill.group.split())[:40]
    return group or skill.name.partition("-")[0]


def _items(
    skills: Sequence[IndexedSkill],
    descriptions: Sequence[str | None],
    scores: dict[str, float],
) -> tuple[CatalogItem, ...]:
    return tuple(
        CatalogItem(skill.name, description, scores.get(skill.name))
        for skill, description in zip(skills, descriptions, strict=True)
    )
