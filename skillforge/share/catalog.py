"""All skills within a budget of tokens: as much of each as fits, and what does not.

What an agent reads first: descriptions in full, else shortened, names, or groups.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from skillforge.processes import without_cycles
from skillforge.store.index import Index, IndexedSkill
from skillforge.text import BYTES_PER_TOKEN, shortened_between_words

LEAST = 150  # tokens, in which the shortest catalog fits in any form
_LENGTHS = (400, 300, 220, 160, 120, 90, 60, 40)  # of shortened descriptions
_LEADS = (10, 5, 3, 1, 0)  # best matches of a task that keep their descriptions
_EXAMPLES = (5, 3, 1, 0)  # names that are told of each group
_GROUPS = (64, 32, 16, 8, 4, 2, 1, 0)


class CatalogGroup(NamedTuple):
    """Skills that are told of together; a few of them by name."""

    name: str
    skills: int
    examples: tuple[str, ...] = ()


class CatalogItem(NamedTuple):
    """One skill of a catalog; without a description where only its name fits."""

    name: str
    description: str | None
    score: float | None = None


class Omissions(NamedTuple):
    """What of the library a catalog does not tell."""

    shortened: int = 0  # descriptions
    names_only: int = 0  # skills without their description
    skills: int = 0  # that are not named
    groups: int = 0  # that are not named
    unusable: int = 0  # skills that no client could read


class Catalog(NamedTuple):
    """What is shown: items in their order, then groups in place of the others."""

    detail: str  # full, shortened, names or groups
    items: tuple[CatalogItem, ...]
    groups: tuple[CatalogGroup, ...] = ()
    left_out: Omissions = Omissions()
    total: int = 0


def tokens(text: str) -> int:
    """About how many tokens a text takes."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def readable(index: Index, budget: int) -> list[IndexedSkill]:
    """Every skill; without descriptions where not even all names would fit."""
    outline = index.outline()
    return index.skills() if _names_fit(outline, budget) else outline


def _names_fit(skills: Sequence[IndexedSkill], budget: int) -> bool:
    room = budget * BYTES_PER_TOKEN
    return sum(len(skill.name) + 2 for skill in skills) <= room


@without_cycles
def fitted(
    skills: Sequence[IndexedSkill],
    scores: dict[str, float],
    budget: int,
    rendered: Callable[[Catalog], str],
) -> Catalog:
    """The most detailed catalog whose rendering fits; skills come in order of names.

    Those with a score come first.

    The last candidate names nothing at all, so that one always fits.
    """
    usable = [skill for skill in skills if not skill.problem]
    order = usable
    if scores:
        order = sorted(usable, key=lambda it: (-scores.get(it.name, 0.0), it.name))
    unusable = len(skills) - len(usable)
    catalog = Catalog("full", ())
    for catalog in _candidates(order, scores, budget):
        left = catalog.left_out._replace(unusable=unusable)
        catalog = catalog._replace(left_out=left, total=len(skills))
        if tokens(rendered(catalog)) <= budget:
            break
    return catalog


def _candidates(
    order: list[IndexedSkill], scores: dict[str, float], budget: int
) -> Iterator[Catalog]:
    """Catalogs from the most to the least detailed."""
    leads = list(dict.fromkeys(min(count, len(scores)) for count in _LEADS))
    if _names_fit(order, budget):
        yield from _named(order, scores, leads[0])
    for count in leads:
        yield from _grouped(order, scores, count)


def _named(
    order: list[IndexedSkill], scores: dict[str, float], leads: int
) -> Iterator[Catalog]:
    """Catalogs that name every skill."""
    yield Catalog("full", tuple(_item(it, scores, it.description) for it in order))
    for length in _LENGTHS:
        short = [shortened_between_words(it.description, length) for it in order]
        short[:leads] = [it.description for it in order[:leads]]
        items = [_item(it, scores, s) for it, s in zip(order, short, strict=True)]
        pairs = zip(order, short, strict=True)
        cut = sum(it.description != said for it, said in pairs)
        yield Catalog("shortened", tuple(items), left_out=Omissions(shortened=cut))
    rest = [_item(it, scores, None) for it in order[leads:]]
    first = [_item(it, scores, it.description) for it in order[:leads]]
    left = Omissions(names_only=len(rest))
    yield Catalog("names", (*first, *rest), left_out=left)


def _grouped(
    order: list[IndexedSkill], scores: dict[str, float], leads: int
) -> Iterator[Catalog]:
    """Catalogs of groups, the largest first; best matches stand before them."""
    first = tuple(_item(it, scores, it.description) for it in order[:leads])
    rest = order[leads:]
    groups = _groups(rest)

    def catalog(shown: Sequence[CatalogGroup]) -> Catalog:
        told = sum(len(group.examples) for group in shown)
        left = Omissions(skills=len(rest) - told, groups=len(groups) - len(shown))
        return Catalog("groups", first, tuple(shown), left)

    for count in _EXAMPLES:
        yield catalog([it._replace(examples=it.examples[:count]) for it in groups])
    for count in _GROUPS:
        if count < len(groups):
            yield catalog([it._replace(examples=()) for it in groups[:count]])


def _groups(skills: list[IndexedSkill]) -> list[CatalogGroup]:
    names: dict[str, list[str]] = {}
    for skill in skills:
        names.setdefault(group_of(skill), []).append(skill.name)
    groups = [
        CatalogGroup(name, len(some), tuple(some[: _EXAMPLES[0]]))
        for name, some in names.items()
    ]
    return sorted(groups, key=lambda it: (-it.skills, it.name))


def group_of(skill: IndexedSkill) -> str:
    """Its category; of a skill without one, the first word of its name."""
    said = " ".join(skill.group.split())[:40] if skill.group else ""
    return said or skill.name.partition("-")[0]


def _item(
    skill: IndexedSkill, scores: dict[str, float], said: str | None
) -> CatalogItem:
    return CatalogItem(skill.name, said, scores.get(skill.name))
