"""Skills that say nearly the same: propose an edit of the one there is, not a second.

Each skill's sketch (the smallest of its shingles) is kept by tree, so that only skills
that changed are read again. Candidates are then compared in full.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from skillforge import proc
from skillforge.checks.registry import Check, Subject
from skillforge.document import parse
from skillforge.gitrepo import TreeFile
from skillforge.library import Library
from skillforge.model import SKILL_FILE, SKILLS, Document, Finding, Severity
from skillforge.resources import template
from skillforge.store import Cache
from skillforge.text import shingles, similarity

IDENTICAL = 0.9
SIMILAR = 0.75
_MARKS = 16  # of which texts that are three quarters alike share nearly all
_MADE_BY = sys.implementation.cache_tag or ""  # whose numbers the sketches are
_FEWEST = 20  # shingles; shorter texts are alike by chance
_WORTH_SPREADING = 500


class Neighbour(NamedTuple):
    """Another skill, and how much it is like the one at hand."""

    name: str
    similarity: float


def neighbours(library: Library, commit: str, document: Document) -> list[Neighbour]:
    """Skills of a commit that say much the same as a document, the nearest first."""
    wanted = _shingles(document)
    found = []
    for name in _candidates(library, commit, _sketch(wanted)):
        other = library.repository().find(f"{commit}:{SKILLS}/{name}/{SKILL_FILE}")
        if other is not None:
            alike = similarity(wanted, _shingles(parse(other.data)))
            if alike >= SIMILAR:
                found.append(Neighbour(name, alike))
    return sorted(found, key=lambda n: (-n.similarity, n.name))


def _shingles(document: Document) -> frozenset[int]:
    """Of what an agent reads, but for the template's own words.

    Not of the name, which differs in any case. Too few say nothing.
    """
    said = shingles(f"{document.words('description')}\n{document.body}") - _template()
    return said if len(said) >= _FEWEST else frozenset()


@cache
def _template() -> frozenset[int]:
    return shingles(template("new-skill.md").format(name="", title="", description=""))


def _sketch(marks: Iterable[int]) -> list[int]:
    return sorted(marks)[:_MARKS]


def _candidates(library: Library, commit: str, sketch: list[int]) -> list[str]:
    if not sketch:
        return []
    least = max(1, len(sketch) // 4)
    cache = Cache.of(library.repository().common_dir)
    made_of = f"{library.repository().name_of(f'{commit}:{SKILLS}')} {_MADE_BY}"
    found = cache.names_sharing(made_of, sketch, least)
    if found is None and _refresh(library, commit, cache, made_of):
        found = cache.names_sharing(made_of, sketch, least)
    if found is not None:
        return found
    names = set(library.repository().tree(f"{commit}:{SKILLS}"))
    all_marks = _sketches(library, commit, names).items()  # nothing can be kept here
    return [name for name, marks in all_marks if len({*sketch} & {*marks}) >= least]


def _refresh(library: Library, commit: str, cache: Cache, made_of: str) -> bool:
    """Bring the sketches up to a commit, reading only skills that changed."""
    repo = library.repository()
    kept = cache.sketched_tree()
    before, _, made_by = kept.partition(" ")
    known = repo.tree(before) if before and made_by == _MADE_BY else {}
    now = repo.tree(f"{commit}:{SKILLS}")
    changed = {n for n in known.keys() | now.keys() if known.get(n) != now.get(n)}
    sketches: dict[str, list[int]] = {name: [] for name in changed}
    sketches |= _sketches(library, commit, changed & now.keys())
    # SQLite takes no names that are not UTF-8; such a skill is an error elsewhere.
    named = {name: it for name, it in sketches.items() if name.isprintable()}
    return cache.save_sketches(made_of, named, kept if known else "")


def _sketches(library: Library, commit: str, names: set[str]) -> dict[str, list[int]]:
    listing = library.listing(commit, names) if names else {}
    work = partial(_sketch_listed, library)
    parts = proc.spread(work, list(listing.items()), _WORTH_SPREADING)
    return {name: marks for part in parts for name, marks in part}


def _sketch_listed(
    library: Library, listed: Sequence[tuple[str, list[TreeFile]]]
) -> list[tuple[str, list[int]]]:
    return [
        (skill.name, _sketch(_shingles(skill.document)) if skill.document else [])
        for skill in library.read_listed(dict(listed))
    ]


def _findings(subject: Subject) -> Iterator[Finding]:
    """Nothing for a skill that is there already: an edit stays what it is."""
    skill = subject.skill
    if skill is None or skill.document is None or subject.before is not None:
        return
    for near in neighbours(subject.library, subject.base, skill.document):
        if near.name in subject.replaced:
            continue
        severity = Severity.ERROR if near.similarity >= IDENTICAL else Severity.WARNING
        yield Finding(
            "overlap",
            severity,
            f"says {near.similarity:.0%} the same as the skill {near.name}",
            hint=f"propose an edit of {near.name} instead",
        )


CHECK = Check("overlap", _findings)
