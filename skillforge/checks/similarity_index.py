"""An index of similar skills: a sketch and the purpose of each skill.

The cache stores it by tree, so that only changed skills are read again.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, partial
from itertools import combinations, pairwise
from typing import NamedTuple

from skillforge import worker_pool
from skillforge.checks.trigger_index import IndexedTriggers
from skillforge.checks.triggers import Trigger, Triggers
from skillforge.gitrepo import TreeFile
from skillforge.library import Library
from skillforge.model import Document, Skill
from skillforge.resources import template
from skillforge.store import Cache
from skillforge.text import shingles

_MARKS = 16  # texts that are 75 % similar share nearly all of them
_PYTHON = sys.implementation.cache_tag or ""  # hashes differ between Pythons
_MOST_ALIKE = 50
_FEWEST = 20  # shingles; shorter texts are similar by chance
_WORTH_SPREADING = 500


class Sketch(NamedTuple):
    """The smallest of a skill's shingles, and what the skill is for."""

    marks: list[int]
    trigger: Trigger


def document_shingles(document: Document) -> frozenset[int]:
    """The shingles of description and body, without those of the template.

    None if there are too few to compare.
    """
    words = shingles(f"{document.words('description')}\n{document.body}") - _template()
    return words if len(words) >= _FEWEST else frozenset()


@cache
def _template() -> frozenset[int]:
    return shingles(template("new-skill.md").format(name="", title="", description=""))


def _marks(words: Iterable[int]) -> list[int]:
    return sorted(words)[:_MARKS]


def candidates(library: Library, commit: str, words: frozenset[int]) -> list[str]:
    """Skills of a commit that may be similar."""
    if not (marks := _marks(words)):
        return []
    least = max(1, len(marks) // 4)
    cache, version = _current_cache(library, commit)
    names = cache.names_sharing(version, marks, least)
    if names is not None:
        return names
    sketches = _all(library, commit).items()  # nothing can be kept here
    return [
        name for name, sketch in sketches if len({*marks} & {*sketch.marks}) >= least
    ]


def likely_pairs(library: Library, commit: str) -> list[tuple[str, str]]:
    """Pairs of skills of a commit that may be similar."""
    cache, version = _current_cache(library, commit)
    marks = cache.marks(version)
    if marks is None:  # nothing can be kept here
        marks = {name: sketch.marks for name, sketch in _all(library, commit).items()}
    sharing: dict[int, list[str]] = {}
    for name in sorted(marks):
        for mark in marks[name]:
            sharing.setdefault(mark, []).append(name)
    shared: Counter[tuple[str, str]] = Counter()
    for names in sharing.values():
        if len(names) == 1:
            continue
        # If very many are similar, each is compared with the next one only.
        is_few = len(names) <= _MOST_ALIKE
        shared.update(combinations(names, 2) if is_few else pairwise(names))
    least = {name: max(1, len(its_marks) // 4) for name, its_marks in marks.items()}
    return sorted(
        (first, second)
        for (first, second), count in shared.items()
        if count >= least[first] or count >= least[second]
    )


def triggers(library: Library, commit: str) -> Triggers:
    """What each skill of a commit is for."""
    cache, version = _current_cache(library, commit)
    read = partial(_trigger, library, commit)
    read_all = partial(_all_triggers, library, commit, cache, version)
    return IndexedTriggers(cache, version, read, read_all)


def _all_triggers(
    library: Library, commit: str, cache: Cache, version: str
) -> Triggers:
    profiles = cache.profiles(version)
    if profiles is not None:
        return Triggers(profiles, partial(_trigger, library, commit))
    return Triggers.of(sketch.trigger for sketch in _all(library, commit).values())


def _trigger(library: Library, commit: str, name: str) -> Trigger:
    """What one skill of a commit is for."""
    return _sketches(library, commit, {name})[name].trigger


def _all(library: Library, commit: str) -> dict[str, Sketch]:
    return _sketches(library, commit, set(library.skill_trees(commit)))


def _current_cache(library: Library, commit: str) -> tuple[Cache, str]:
    """The cache, updated to a commit if possible, and the version it is for."""
    cache = Cache.of(library.repository().common_dir)
    version = f"{library.skills_state(commit)} {_made_by(library)}"
    if cache.sketched_tree() != version:
        _refresh(library, commit, cache, version)
    return cache, version


def _made_by(library: Library) -> str:
    """What sketches depend on besides the skills: hashes, and the names of skills."""
    globs = () if library.layout.is_default else library.layout.globs
    return " ".join([_PYTHON, *globs])


def _refresh(library: Library, commit: str, cache: Cache, version: str) -> None:
    """Update the sketches to a commit, reading only skills that changed."""
    repo = library.repository()
    was = cache.sketched_tree()
    before, _, made_by = was.partition(" ")
    known = repo.name_of(before) if before and made_by == _made_by(library) else ""
    now = version.partition(" ")[0]
    changed, gone = library.changed_skills(now, known)
    fresh = _sketches(library, commit, changed)
    # SQLite can't store names that are not UTF-8; another check reports those skills.
    named = {name: fresh.get(name) for name in changed | gone if name.isprintable()}
    cache.save_sketches(
        version,
        {name: sketch.marks if sketch else [] for name, sketch in named.items()},
        {name: sketch.trigger.profile for name, sketch in named.items() if sketch},
        was if known else "",
    )


def _sketches(library: Library, commit: str, names: set[str]) -> dict[str, Sketch]:
    listing = library.listing(commit, names) if names else {}
    work = partial(_sketch_listed, library)
    parts = worker_pool.spread(work, list(listing.items()), _WORTH_SPREADING)
    return {name: sketch for part in parts for name, sketch in part}


def _sketch_listed(
    library: Library, listed: Sequence[tuple[str, list[TreeFile]]]
) -> list[tuple[str, Sketch]]:
    return [(skill.name, _sketch(skill)) for skill in library.read_listed(dict(listed))]


def _sketch(skill: Skill) -> Sketch:
    words = document_shingles(skill.document) if skill.document else ()
    return Sketch(_marks(words), Trigger.of(skill))
