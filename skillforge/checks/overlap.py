"""Skills that say nearly the same: propose an edit of the one there is, not a second.

By their text, and by what they are for: requests of other skills stay theirs.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.checks import sketches
from skillforge.checks.registry import Check, Subject
from skillforge.checks.triggers import Trigger, Triggers
from skillforge.document import parse
from skillforge.library import Library
from skillforge.model import SKILL_FILE, SKILLS, Document, Finding, Severity
from skillforge.text import similarity

IDENTICAL = 0.9
SIMILAR = 0.75
_NEAREST, _MOST_TASKS, _SHOWN = 10, 20, 60
RULE = "overlap"


class Neighbour(NamedTuple):
    """Another skill, and how much it is like the one at hand."""

    name: str
    similarity: float


def neighbours(library: Library, commit: str, document: Document) -> list[Neighbour]:
    """Skills of a commit that say much the same as a document, the nearest first."""
    wanted = sketches.said_by(document)
    found = []
    for name in sketches.candidates(library, commit, wanted):
        other = library.repository().find(f"{commit}:{SKILLS}/{name}/{SKILL_FILE}")
        if other is not None:
            alike = similarity(wanted, sketches.said_by(parse(other.data)))
            if alike >= SIMILAR:
                found.append(Neighbour(name, alike))
    return sorted(found, key=lambda n: (-n.similarity, n.name))


def pairs(library: Library, commit: str) -> list[tuple[str, str, float]]:
    """Skills of a commit that say much the same, two by two, the nearest first."""
    likely = sketches.likely_pairs(library, commit)
    names = sorted({name for pair in likely for name in pair})
    said = {
        skill.name: sketches.said_by(skill.document)
        for skill in (library.read_at(commit, names) if names else ())
        if skill.document is not None
    }
    none: frozenset[int] = frozenset()
    alike = (
        (one, other, similarity(said.get(one, none), said.get(other, none)))
        for one, other in likely
    )
    near = [pair for pair in alike if pair[2] >= SIMILAR]
    return sorted(near, key=lambda pair: (-pair[2], pair))


def _findings(subject: Subject) -> Iterator[Finding]:
    """Whether a skill doubles another, or takes what calls for another."""
    skill = subject.skill
    if skill is None or skill.document is None:
        return
    gone = {skill.name, *subject.replaced}
    doubles: list[Neighbour] = []
    if subject.before is None:
        near = neighbours(subject.library, subject.base, skill.document)
        doubles = [it for it in near if it.name not in gone]
    yield from (_alike(near, "says") for near in doubles)
    mine, before = Trigger.of(skill), subject.before
    if before is None or mine.description != Trigger.of(before).description:
        others = sketches.triggers(subject.library, subject.base).without(gone)
        ranked = others.like(mine.terms)
        told = {near.name for near in doubles}
        for name, alike in ranked:
            if alike >= SIMILAR and name not in told:
                yield _alike(Neighbour(name, alike), "is for")
        for name, _ in ranked[:_NEAREST]:
            yield from _stolen(subject, mine, others, name)


def _stolen(
    subject: Subject, mine: Trigger, others: Triggers, name: str
) -> Iterator[Finding]:
    """The first request of another skill that would call for this one instead."""
    for request in _requests(subject, others.read(name)):
        if others.first(request) == name and others.loses(request, mine):
            shown = request if len(request) <= _SHOWN else f"{request[:_SHOWN]}…"
            message = f"takes a request of the skill {name}: {shown!r}"
            hint = (
                "say in the description what it is for, and what not; or propose an "
                f"edit of {name} instead"
            )
            yield Finding(RULE, Severity.ERROR, message, hint=hint)
            return


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
