"""The check `overlap`: no near-duplicates, and no requests of other skills.

Skills are compared by text and by purpose. An edit of the existing skill should be
proposed instead of a second one.
"""

import json
import posixpath
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from skillforge.checks import similarity_index
from skillforge.checks.registry import Check, Subject
from skillforge.checks.rules.specification import name_of
from skillforge.checks.triggers import Trigger, Triggers
from skillforge.document import parse
from skillforge.library import Library
from skillforge.model import Document, Finding, Severity
from skillforge.store import Cache
from skillforge.text import shortened, similarity

Pair: TypeAlias = tuple[str, str]
IDENTICAL = 0.9
SIMILAR = 0.75
_NEAREST, _MOST_TASKS, _SHOWN = 10, 20, 60
RULE = "overlap"


class Neighbour(NamedTuple):
    """Another skill, and how similar it is."""

    name: str
    similarity: float


def neighbours(library: Library, commit: str, document: Document) -> list[Neighbour]:
    """Skills of a commit that are similar to a document, most similar first."""
    own = similarity_index.document_shingles(document)
    similar = []
    for name in similarity_index.candidates(library, commit, own):
        blob = library.find_file(commit, name)
        if blob is not None:
            score = similarity(
                own, similarity_index.document_shingles(parse(blob.data))
            )
            if score >= SIMILAR:
                similar.append(Neighbour(name, score))
    return sorted(similar, key=lambda n: (-n.similarity, n.name))


def pairs(library: Library, commit: str) -> list[tuple[str, str, float]]:
    """Pairs of similar skills of a commit, most similar first."""
    repo = library.repository()
    likely = similarity_index.likely_pairs(library, commit)
    trees = library.skill_trees(commit)
    keys = {pair: " ".join(trees[name] for name in pair) for pair in likely}
    cache = Cache.of(repo.common_dir)
    known = cache.entries("pairs", keys.values())
    fresh = _compared(
        library, commit, [pair for pair in likely if keys[pair] not in known]
    )
    cache.save_entries(
        "pairs", {keys[pair]: repr(score) for pair, score in fresh.items()}
    )
    cached = {pair: float(known[key]) for pair, key in keys.items() if key in known}
    near = [(*pair, score) for pair, score in (cached | fresh).items()]
    near = [pair for pair in near if pair[2] >= SIMILAR]
    return sorted(near, key=lambda pair: (-pair[2], pair))


def _compared(library: Library, commit: str, pairs: list[Pair]) -> dict[Pair, float]:
    """The similarity of pairs of skills."""
    names = sorted({name for pair in pairs for name in pair})
    shingles_of = {
        skill.name: similarity_index.document_shingles(skill.document)
        for skill in (library.read_at(commit, names) if names else ())
        if skill.document is not None
    }
    none: frozenset[int] = frozenset()
    return {
        (first, second): similarity(
            shingles_of.get(first, none), shingles_of.get(second, none)
        )
        for first, second in pairs
    }


def _findings(subject: Subject) -> Iterator[Finding]:
    """Findings if a skill duplicates another, or takes its requests."""
    skill = subject.skill
    if skill is None or skill.document is None:
        return
    gone = {skill.name, *subject.replaced}
    if (name := name_of(skill.document)) != skill.folder:
        yield from _taken_name(subject, name, gone)
    doubles: list[Neighbour] = []
    if subject.before is None:
        neighbour = neighbours(subject.library, subject.base, skill.document)
        doubles = [neighbour for neighbour in neighbour if neighbour.name not in gone]
    yield from (_alike(neighbour, "the text") for neighbour in doubles)
    own, before = Trigger.of(skill), subject.before
    if before is None or own.description != Trigger.of(before).description:
        triggers = similarity_index.triggers(subject.library, subject.base).without(
            gone
        )
        ranked = triggers.like(own.terms, _NEAREST, SIMILAR)
        reported = {neighbour.name for neighbour in doubles}
        for name, score in ranked:
            if score >= SIMILAR and name not in reported:
                yield _alike(Neighbour(name, score), "the purpose")
        for name, _ in ranked[:_NEAREST]:
            yield from _stolen(subject, own, triggers, name)


def _taken_name(subject: Subject, name: str, gone: set[str]) -> Iterator[Finding]:
    """A finding if a skill calls itself like another; agents would load only one.

    A skill for a client that permits it may have another name than its folder's.
    """
    others = subject.library.skill_trees(subject.base).keys() - gone
    if name in {posixpath.basename(other) for other in others}:
        message = f"has the name of another skill, {name!r}"
        yield Finding(RULE, Severity.ERROR, message, hint="choose another name")


def _stolen(
    subject: Subject, own: Trigger, triggers: Triggers, name: str
) -> Iterator[Finding]:
    """A finding for the first request of another skill that this one would take."""
    for request in _requests(subject, triggers.read(name)):
        if triggers.first(request) == name and triggers.loses(request, own):
            message = (
                f"ranks before the skill {name} for one of its requests: "
                f"{shortened(request, _SHOWN)!r}"
            )
            hint = (
                "narrow the description: state when to use the skill, and when not; "
                f"or propose an edit of {name} instead"
            )
            yield Finding(RULE, Severity.ERROR, message, hint=hint)
            return


def _requests(subject: Subject, trigger: Trigger) -> Iterator[str]:
    """The requests of a skill: the ones it ships, and the tasks of its examples."""
    yield from trigger.queries
    evidence = subject.library.evidence_at(subject.base, trigger.name)
    for data in list(evidence.values())[:_MOST_TASKS]:
        try:
            example = json.loads(data)
        except (ValueError, RecursionError):
            continue
        task = example.get("task") if isinstance(example, dict) else None
        if isinstance(task, str) and task.strip():
            yield task


def _alike(near: Neighbour, what: str) -> Finding:
    severity = Severity.ERROR if near.similarity >= IDENTICAL else Severity.WARNING
    message = f"{what} is {near.similarity:.0%} similar to the skill {near.name}"
    hint = f"propose an edit of {near.name} instead"
    return Finding(RULE, severity, message, hint=hint)


CHECK = Check(RULE, _findings)
