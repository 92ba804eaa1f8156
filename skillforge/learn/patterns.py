"""Patterns: approved examples of the same intent. What happened once stays out.

A new example joins the pattern that it is most like, or waits for others like it. A
pattern is named after its founders, so its id stays when others join.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from skillforge.checks import similarity_index
from skillforge.checks.triggers import Triggers
from skillforge.errors import RequestError
from skillforge.learn.clustering import Groups, clusters
from skillforge.learn.example_review import loaded, store_of
from skillforge.learn.intent_vectors import ALIKE, Vector, vectors
from skillforge.learn.task_template import TaskTemplate, template
from skillforge.library import Library
from skillforge.model import Example, OutcomeStatus
from skillforge.store import ExampleRow

AT_ONCE = 1000  # examples that are clustered together
FEWEST = 2  # of a pattern: more than one


class PatternMember(NamedTuple):
    """An approved example, without its steps; they can be long."""

    id: str
    example: Example
    pattern: str


@dataclass(frozen=True)
class Pattern:
    """Examples of the same intent."""

    id: str
    members: tuple[PatternMember, ...]

    @cached_property
    def template(self) -> TaskTemplate:
        """What their tasks have in common."""
        return template([member.example.task for member in self.members])

    @property
    def label(self) -> str:
        """The task that they share, with dots where they differ."""
        words = list(self.template.spelled)
        for slot in reversed(self.template.slots):
            words.insert(slot.place, "…")
        return " ".join(words) or self.members[0].example.task

    @property
    def sessions(self) -> int:
        """Distinct sessions; an example that names none is one of its own."""
        return len({it.example.session or it.id for it in self.members})

    @property
    def successes(self) -> list[PatternMember]:
        """Those that more than a model says of."""
        good = (it for it in self.members if it.example.has_succeeded)
        return [it for it in good if it.example.outcome.is_verified]

    @property
    def failures(self) -> list[PatternMember]:
        failed = OutcomeStatus.FAILURE
        return [it for it in self.members if it.example.outcome.status is failed]


class PatternSearch(NamedTuple):
    """The patterns of a library, those with most successes first, and what waits."""

    patterns: list[Pattern]
    waiting: list[PatternMember]


def find(library: Library, *, is_rebuilt: bool = False) -> PatternSearch:
    """The patterns of all approved examples; each example's is remembered."""
    store = store_of(library)
    members = list(_approved(store.rows(), is_rebuilt=is_rebuilt))
    assigned = _assigned(members)
    changed = [
        (member.id, name)
        for member, name in zip(members, assigned, strict=True)
        if name != member.pattern or is_rebuilt
    ]
    if changed:
        store.assign(changed)
    return _found(members, assigned)


def one(library: Library, number: str) -> Pattern:
    """The pattern that an id, or the beginning of one, means; as it was found last."""
    is_id = re.fullmatch(r"[0-9a-f]{1,12}", number.lower())
    rows = store_of(library).of_pattern(number.lower()) if is_id else []
    found = _found(members := list(_approved(rows)), [it.pattern for it in members])
    if len(found.patterns) == 1:
        return found.patterns[0]
    several = len(found.patterns)
    what = f"{several} patterns start with {number}" if several else ""
    raise RequestError(
        what or f"there is no pattern {number!r}", hint="skillforge patterns lists them"
    )


def full(library: Library, members: Iterable[PatternMember]) -> list[Example]:
    """Examples with their steps."""
    wanted = [member.id for member in members]
    rows = {row.id: row for row in store_of(library).some(wanted)}
    return [loaded(rows[it]) for it in wanted if it in rows]


def nearest_skills(
    library: Library, some: Iterable[Pattern]
) -> dict[str, tuple[str, float]]:
    """The skill that each pattern's tasks would most likely call for, if any."""
    every = (
        similarity_index.triggers(library, library.tip)
        if _has_commit(library)
        else Triggers.of(())
    )
    found = {}
    for pattern in some:
        tasks = " ".join(member.example.task for member in pattern.members[:20])
        ranked = every.ranked(f"{pattern.label} {tasks}")
        found[pattern.id] = ranked[0] if ranked else ("", 0.0)
    return found


def _has_commit(library: Library) -> bool:
    return bool(library.repository().name_of("HEAD^{commit}"))


def _approved(
    rows: Iterable[ExampleRow], *, is_rebuilt: bool = False
) -> Iterator[PatternMember]:
    for row in rows:
        example = loaded(row)
        if example.review.status == "approved":
            brief = replace(example, steps=(), named_tools=example.tools, output="")
            yield PatternMember(row.id, brief, "" if is_rebuilt else row.pattern)


def _assigned(members: Sequence[PatternMember]) -> list[str]:
    """The pattern of each: the one it has, one it joins, a new one, or none."""
    named = [member.pattern for member in members]
    numbers = vectors([member.example for member in members])
    groups = Groups()
    for name, vector in zip(named, numbers, strict=True):
        if name:
            groups.add(name, vector)
    fresh = [at for at, name in enumerate(named) if not name]
    waiting: list[int] = []
    for start in range(0, len(fresh), AT_ONCE):
        for at in fresh[start : start + AT_ONCE]:
            waiting += [] if _joins(groups, numbers[at], named, at) else [at]
        waiting = _founded(waiting, members, numbers, named, groups)
    return named


def _joins(groups: Groups, vector: Vector, named: list[str], at: int) -> bool:
    name, alike = groups.nearest(vector)
    if alike < ALIKE:
        return False
    named[at] = name
    groups.add(name, vector)
    return True


def _founded(
    waiting: list[int],
    members: Sequence[PatternMember],
    numbers: list[Vector],
    named: list[str],
    groups: Groups,
) -> list[int]:
    """Make patterns of what waits and is alike; what still waits is returned."""
    left = []
    for group in clusters([numbers[at] for at in waiting], ALIKE):
        chosen = [waiting[index] for index in group]
        if len(chosen) < FEWEST:
            left += chosen
            continue
        name = _name([members[at].id for at in chosen])
        for at in chosen:
            named[at] = name
            groups.add(name, numbers[at])
    return sorted(left)


def _name(founders: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(founders)).encode()).hexdigest()[:12]


def _found(members: Sequence[PatternMember], named: Sequence[str]) -> PatternSearch:
    groups: dict[str, list[PatternMember]] = {}
    waiting = []
    for member, name in zip(members, named, strict=True):
        if name:
            groups.setdefault(name, []).append(member)
        else:
            waiting.append(member)
    whole = [Pattern(name, tuple(it)) for name, it in groups.items() if len(it) > 1]
    alone = [
        it[0] for it in groups.values() if len(it) == 1
    ]  # the others were rejected
    whole.sort(key=lambda it: (-len(it.successes), -len(it.members), it.id))
    return PatternSearch(whole, [*waiting, *alone])
