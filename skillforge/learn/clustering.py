"""Cluster vectors by average linkage.

Only pairs that share a term are compared, which are few. The result is deterministic:
of equal similarities, the earlier pair is merged first.
"""

import heapq
from collections.abc import Sequence

from skillforge.learn.intent_vectors import Vector

Similarities = list[dict[int, float]]  # of each vector or cluster to those it touches


def clusters(vectors: Sequence[Vector], least: float) -> list[list[int]]:
    """Clusters of indices with at least this average similarity; singles included."""
    similarities = _similarities(vectors)
    members = [[at] for at in range(len(vectors))]
    queue = [
        (-similarity, first, second, 1, 1)
        for first, others in enumerate(similarities)
        for second, similarity in others.items()
        if first < second and similarity >= least
    ]
    heapq.heapify(queue)
    while queue:
        _, first, second, size, second_size = heapq.heappop(queue)
        if (len(members[first]), len(members[second])) != (size, second_size):
            continue  # one of them has grown, or was merged
        members[first] += members[second]
        members[second] = []
        _merge(similarities, first, second)
        for third, total in similarities[first].items():
            average = total / (len(members[first]) * len(members[third]))
            if average >= least:
                low, high = min(first, third), max(first, third)
                sizes = len(members[low]), len(members[high])
                heapq.heappush(queue, (-average, low, high, *sizes))
    return [sorted(cluster) for cluster in members if cluster]


def _similarities(vectors: Sequence[Vector]) -> Similarities:
    """The similarity of each pair that shares a term; of clusters, the sum of pairs."""
    by_term: dict[str, list[tuple[int, float]]] = {}
    similarities: Similarities = []
    for at, vector in enumerate(vectors):
        shared: dict[int, float] = {}
        for term, weight in vector.items():
            others = by_term.setdefault(term, [])
            for other, other_weight in others:
                shared[other] = shared.get(other, 0.0) + weight * other_weight
            others.append((at, weight))
        for other, similarity in shared.items():
            similarities[other][at] = similarity
        similarities.append(shared)
    return similarities


def _merge(similarities: Similarities, first: int, second: int) -> None:
    for third, total in similarities[second].items():
        similarities[third].pop(second)
        if third != first:
            joined = similarities[first].get(third, 0.0) + total
            similarities[first][third] = similarities[third][first] = joined
    similarities[second] = {}


class Groups:
    """Groups that new vectors can join, by average similarity to the members."""

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
        """The most similar group and its similarity; empty if there is none."""
        totals: dict[str, float] = {}
        for term, weight in vector.items():
            for name, group_weight in self._terms.get(term, {}).items():
                totals[name] = totals.get(name, 0.0) + weight * group_weight
        averages = [(total / self._sizes[name], name) for name, total in totals.items()]
        similarity, name = max(averages, default=(0.0, ""))
        return name, similarity
