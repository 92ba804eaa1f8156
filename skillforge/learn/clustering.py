"""Cluster vectors: whatever is alike on average, the most alike first.

Average linkage over pairs that share anything, which are few. Deterministic: ties go
to whoever came first.
"""

import heapq
from collections.abc import Sequence

from skillforge.learn.intent_vectors import Vector


def clusters(vectors: Sequence[Vector], least: float) -> list[list[int]]:
    """Groups of indices, each at least so alike on average; singles included."""
    likeness = _likeness(vectors)
    members = [[at] for at in range(len(vectors))]
    queue = [
        (-alike, one, other, 1, 1)
        for one, others in enumerate(likeness)
        for other, alike in others.items()
        if one < other and alike >= least
    ]
    heapq.heapify(queue)
    while queue:
        _, one, other, size, other_size = heapq.heappop(queue)
        if (len(members[one]), len(members[other])) != (size, other_size):
            continue  # one of them has grown, or is gone
        members[one] += members[other]
        members[other] = []
        _merge(likeness, one, other)
        for third, total in likeness[one].items():
            average = total / (len(members[one]) * len(members[third]))
            if average >= least:
                first, second = min(one, third), max(one, third)
                sizes = len(members[first]), len(members[second])
                heapq.heappush(queue, (-average, first, second, *sizes))
    return [sorted(group) for group in members if group]


def _likeness(vectors: Sequence[Vector]) -> list[dict[int, float]]:
    """How alike each two are that share a term: the sum over the pairs of a group."""
    seen: dict[str, list[tuple[int, float]]] = {}
    found: list[dict[int, float]] = []
    for at, vector in enumerate(vectors):
        shared: dict[int, float] = {}
        for term, weight in vector.items():
            others = seen.setdefault(term, [])
            for other, its in others:
                shared[other] = shared.get(other, 0.0) + weight * its
            others.append((at, weight))
        for other, alike in shared.items():
            found[other][at] = alike
        found.append(shared)
    return found


def _merge(likeness: list[dict[int, float]], one: int, other: int) -> None:
    for third, total in likeness[other].items():
        likeness[third].pop(other)
        if third != one:
            joined = likeness[one].get(third, 0.0) + total
            likeness[one][third] = likeness[third][one] = joined
    likeness[other] = {}


class Groups:
    """Groups that new vectors join: by how alike they are to the members on average."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._terms: dict[str, dict[str, float]] = {}

    def add(self, name: str, vector: Vector) -> None:
        """Make a vector a member of a group."""
        self._sizes[name] = self._sizes.get(name, 0) + 1
        for term, weight in vector.items():
            weights = self._terms.setdefault(term, {})
            weights[name] = weights.get(name, 0.0) + weight

    def nearest(self, vector: Vector) -> tuple[str, float]:
        """The group that is most alike, and how much; empty if there is none."""
        total: dict[str, float] = {}
        for term, weight in vector.items():
            for name, its in self._terms.get(term, {}).items():
                total[name] = total.get(name, 0.0) + weight * its
        averages = ((s / self._sizes[name], name) for name, s in total.items())
        alike, name = max(averages, key=lambda it: (it[0], it[1]), default=(0.0, ""))
        return name, alike
