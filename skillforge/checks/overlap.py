"""Skills that say nearly the same: propose an edit of the one there is, not a second.

By their text, and by what they are for: requests of other skills stay theirs.

Each skill's sketch (the smallest of its shingles) is kept by tree, so that only skills
that changed are read again. Candidates are then compared in full.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, partial
from typing import NamedTuple

from skillforge import proc
from skillforge.checks.registry import Check, Subject
from skillforge.checks.triggers import Trigger, Triggers
from skillforge.document import parse
from skillforge.gitrepo import TreeFile
from skillforge.library import Library
from skillforge.model import SKILL_FILE, SKILLS, Document, Finding, Severity, Skill
from skillforge.resources import template
from skillforge.store import Cache
from skillforge.text import shingles, similarity

IDENTICAL = 0.9
SIMILAR = 0.75
_MARKS = 16  # of which texts that are three quarters alike share nearly all
_MADE_BY = sys.implementation.cache_tag or ""  # whose numbers the sketches are
_FEWEST = 20  # shingles; shorter texts are alike by chance
_WORTH_SPREADING = 500
_NEAREST, _MOST_TASKS, _SHOWN = 10, 20, 60
RULE = "overlap"


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
    """Whether a skill doubles another, or takes what calls for another."""
    skill = subject.skill
    if skill is None or skill.document is None:
        return
    is_new = subject.before is None
    doubles = (
        [
            near
            for near in neighbours(subject.library, subject.base, skill.document)
            if near.name not in subject.replaced
        ]
        if is_new
        else []
    )
    yield from (_alike(near, "says") for near in doubles)
    mine = Trigger.of(skill)
    if is_new or mine.description != _described(subject.before):
        gone = {skill.name, *subject.replaced}
        others = Triggers.at(subject.library, subject.base).without(gone)
        yield from _same_trigger(mine, others, {near.name for near in doubles})
        yield from _stolen(subject, mine, others)


def _described(skill: Skill | None) -> str:
    return skill.document.words("description") if skill and skill.document else ""


def _same_trigger(mine: Trigger, others: Triggers, told: Set[str]) -> Iterator[Finding]:
    for name, alike in others.ranked(mine.description):
        if alike >= SIMILAR and name not in told:
            yield _alike(Neighbour(name, alike), "is for")


def _stolen(subject: Subject, mine: Trigger, others: Triggers) -> Iterator[Finding]:
    """Requests of other skills that would call for this one instead."""
    both = Triggers([*others.every.values(), mine])
    near = [name for name, _ in others.ranked(mine.description)[:_NEAREST]]
    for name in near:
        for request in _requests(subject, others.every[name]):
            was, now = others.first(request), both.first(request)
            if (was, now) == (name, mine.name):
                shown = request if len(request) <= _SHOWN else f"{request[:_SHOWN]}…"
                yield Finding(
                    RULE,
                    Severity.ERROR,
                    f"takes a request of the skill {name}: {shown!r}",
                    hint="say in the description what it is for, and what not; or "
                    f"propose an edit of {name} instead",
                )
                break


def _requests(subject: Subject, trigger: Trigger) -> Iterator[str]:
    """What calls for a skill: requests that it ships, and tasks of its examples."""
    yield from trigger.queries
    evidence = subject.library.evidence_at(subject.base, trigger.name)
    for data in list(evidence.values())[:_MOST_TASKS]:
        try:
            said = json.loads(data)
        except (ValueError, RecursionError):
            continue
        task = said.get("task") if isinstance(said, dict) else None
        if isinstance(task, str) and task.strip():
            yield task


def _alike(near: Neighbour, what: str) -> Finding:
    severity = Severity.ERROR if near.similarity >= IDENTICAL else Severity.WARNING
    message = f"{what} {near.similarity:.0%} the same as the skill {near.name}"
    hint = f"propose an edit of {near.name} instead"
    return Finding(RULE, severity, message, hint=hint)


CHECK = Check(RULE, _findings)
