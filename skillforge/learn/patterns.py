"""Patterns: approved examples of the same intent. A single example makes no pattern.

A new example joins the pattern that is most similar, or waits for others like it. A
pattern's id is a hash of its first members, so it does not change when others join.
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
from skillforge.learn.example_review import load, store_of
from skillforge.learn.intent_vectors import ALIKE, Vector, vectors
from skillforge.learn.task_template import TaskTemplate, template
from skillforge.library import Library
from skillforge.model import Example, OutcomeStatus
from skillforge.store import ExampleRow

_BATCH = 1000  # examples that are clustered together
_FEWEST = 2  # members of a pattern


class PatternMember(NamedTuple):
    """An approved example without its steps, which can be long."""

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
        """The shared task, with dots where the tasks differ."""
        words = list(self.template.spelled)
        for slot in reversed(self.template.slots):
            words.insert(slot.place, "…")
        return " ".join(words) or self.members[0].example.task

    @property
    def sessions(self) -> int:
        """Distinct sessions; an example without one counts as its own."""
        return len({member.example.session or member.id for member in self.members})

    @property
    def successes(self) -> list[PatternMember]:
        """Members with a verified success."""
        return [
            member
            for member in self.members
            if member.example.has_succeeded and member.example.outcome.is_verified
        ]

    @property
    def failures(self) -> list[PatternMember]:
        failed = OutcomeStatus.FAILURE
        return [
            member for member in self.members if member.example.outcome.status is failed
        ]


class PatternSearch(NamedTuple):
    """A library's patterns, most successes first, and the examples in no pattern."""

    patterns: list[Pattern]
    unclustered: list[PatternMember]


def find(library: Library, *, rebuild: bool = False) -> PatternSearch:
    """Cluster all approved examples; the store remembers the pattern of each."""
    store = store_of(library)
    members = list(_approved(store.rows(), rebuild=rebuild))
    assigned = _assign(members)
    changed = [
        (member.id, name)
        for member, name in zip(members, assigned, strict=True)
        if name != member.pattern or rebuild
    ]
    if changed:
        store.assign(changed)
    return _group(members, assigned)


def get(library: Library, prefix: str) -> Pattern:
    """The only pattern whose id starts with a prefix, as last computed."""
    is_id = re.fullmatch(r"[0-9a-f]{1,12}", prefix.lower())
    members = list(
        _approved(store_of(library).of_pattern(prefix.lower()) if is_id else [])
    )
    patterns = _group(members, [member.pattern for member in members]).patterns
    if len(patterns) == 1:
        return patterns[0]
    problem = (
        f"{len(patterns)} patterns start with {prefix}"
        if patterns
        else f"no pattern {prefix!r}"
    )
    raise RequestError(problem, hint="skillforge patterns lists them")


def full_examples(library: Library, members: Iterable[PatternMember]) -> list[Example]:
    """Members with their steps."""
    ids = [member.id for member in members]
    rows = {row.id: row for row in store_of(library).some(ids)}
    return [load(rows[number]) for number in ids if number in rows]


def nearest_skills(
    library: Library, patterns: Iterable[Pattern]
) -> dict[str, tuple[str, float]]:
    """The skill that each pattern's tasks would most likely trigger, if any."""
    has_commit = library.repository().name_of("HEAD^{commit}")
    triggers = (
        similarity_index.triggers(library, library.tip)
        if has_commit
        else Triggers.of(())
    )
    nearest = {}
    for pattern in patterns:
        tasks = " ".join(member.example.task for member in pattern.members[:20])
        ranked = triggers.ranked(f"{pattern.label} {tasks}")
        nearest[pattern.id] = ranked[0] if ranked else ("", 0.0)
    return nearest


def _approved(
    rows: Iterable[ExampleRow], *, rebuild: bool = False
) -> Iterator[PatternMember]:
    for row in rows:
        example = load(row)
        if example.review.status == "approved":
            brief = replace(example, steps=(), named_tools=example.tools, output="")
            yield PatternMember(row.id, brief, "" if rebuild else row.pattern)


def _assign(members: Sequence[PatternMember]) -> list[str]:
    """The pattern of each member: its current one, an existing or new one, or none."""
    names = [member.pattern for member in members]
    embedded = vectors([member.example for member in members])
    groups = Groups()
    for name, vector in zip(names, embedded, strict=True):
        if name:
            groups.add(name, vector)
    fresh = [at for at, name in enumerate(names) if not name]
    unclustered: list[int] = []
    for start in range(0, len(fresh), _BATCH):
        for at in fresh[start : start + _BATCH]:
            name, alike = groups.nearest(embedded[at])
            if alike < ALIKE:
                unclustered.append(at)
            else:
                names[at] = name
                groups.add(name, embedded[at])
        unclustered = _new_patterns(unclustered, members, embedded, names, groups)
    return names


def _new_patterns(
    unclustered: list[int],
    members: Sequence[PatternMember],
    embedded: list[Vector],
    names: list[str],
    groups: Groups,
) -> list[int]:
    """Make patterns of similar examples; returns those that stay unclustered."""
    rest = []
    for cluster in clusters([embedded[at] for at in unclustered], ALIKE):
        chosen = [unclustered[index] for index in cluster]
        if len(chosen) < _FEWEST:
            rest += chosen
            continue
        ids = sorted(members[at].id for at in chosen)
        name = hashlib.sha256("\n".join(ids).encode()).hexdigest()[:12]
        for at in chosen:
            names[at] = name
            groups.add(name, embedded[at])
    return sorted(rest)


def _group(members: Sequence[PatternMember], names: Sequence[str]) -> PatternSearch:
    groups: dict[str, list[PatternMember]] = {}
    unclustered = []
    for member, name in zip(members, names, strict=True):
        if name:
            groups.setdefault(name, []).append(member)
        else:
            unclustered.append(member)
    patterns = []
    for name, group in groups.items():
        if len(group) > 1:
            patterns.append(Pattern(name, tuple(group)))
        else:
            unclustered += group  # the other members were rejected
    patterns.sort(
        key=lambda pattern: (-len(pattern.successes), -len(pattern.members), pattern.id)
    )
    return PatternSearch(patterns, unclustered)
