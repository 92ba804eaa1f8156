"""Which skill a request triggers, by the descriptions of the skills."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from heapq import heappush, heappushpop
from itertools import accumulate
from operator import mul, sub
from typing import Any, NamedTuple

from skillforge.model import Skill
from skillforge.text import dot, rarity_of, terms, unit_vector

_QUERIES = ("evals/eval_queries.json", "evals/eval_set.json", "evals/trigger-eval.json")
_YES = (True, "true")
_MOST_QUERIES = 50
_MOST_BYTES = 1 << 18
_SLACK = 1 - 1e-6  # far more than what sums of floats are off


class Trigger(NamedTuple):
    """What a skill is for: its description, and the requests that it ships."""

    name: str
    description: str
    queries: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()  # of its name and description

    @classmethod
    def of(cls, skill: Skill) -> "Trigger":
        described = skill.document.words("description") if skill.document else ""
        return cls.of_texts(skill.name, described, tuple(queries(skill)))

    @classmethod
    def of_texts(
        cls, name: str, description: str, queries: tuple[str, ...] = ()
    ) -> "Trigger":
        words = tuple(terms(f"{name.replace('-', ' ')} {description}"))
        return cls(name, description, queries, words)

    @property
    def profile(self) -> str:
        """Its terms, a tab, and the repeated terms; empty without a description."""
        if not self.description:
            return ""
        counts = Counter(self.terms)
        again = [term for term, count in counts.items() for _ in range(count - 1)]
        return f"{' '.join(counts)}\t{' '.join(again)}"


def queries(skill: Skill) -> Iterator[str]:
    """The requests a skill ships that should trigger it."""
    for path in _QUERIES:
        if path not in skill.files or skill.files[path].size > _MOST_BYTES:
            continue
        try:
            content: Any = json.loads(skill.read(path))
        except (ValueError, RecursionError, OSError):
            continue
        rows = content.get("queries", ()) if isinstance(content, Mapping) else content
        for row in rows[:_MOST_QUERIES] if isinstance(rows, list) else ():
            if isinstance(row, str):
                yield row
            elif isinstance(row, Mapping) and row.get("should_trigger", True) in _YES:
                yield str(row.get("query") or row.get("prompt") or "")


class Best:
    """The best skills so far: `count` of them, and all others scored `least`."""

    def __init__(self, count: int, least: float) -> None:
        self._count, self._least = count, least
        self._heap: list[float] = []  # the first ones
        self._scores: list[tuple[str, float]] = []

    def may_take(self, bound: float) -> bool:
        """Whether a skill whose score is at most `bound` could be among them."""
        is_full = len(self._heap) == self._count
        return not is_full or bound >= min(self._heap[0], self._least)

    def add(self, name: str, score: float) -> None:
        self._scores.append((name, score))
        is_full = len(self._heap) == self._count
        (heappushpop if is_full else heappush)(self._heap, score)

    def ranking(self) -> list[tuple[str, float]]:
        self._scores.sort(key=lambda item: (-item[1], item[0]))
        more = self._scores[self._count :]
        return self._scores[: self._count] + [i for i in more if i[1] >= self._least]


class Triggers:
    """Ranks skills for a request by the words that they share with it.

    The terms of all skills are in one list: with many skills, a list for each takes
    longer to build than to search.
    """

    def __init__(
        self, profiles: Mapping[str, str], read: Callable[[str], Trigger]
    ) -> None:
        """`read` returns the trigger of a skill; few are read."""
        self.read = read
        self._without: Set[str] = frozenset()
        described = {name: profile for name, profile in profiles.items() if profile}
        self._profiles = {
            n: profile for n, profile in described.items() if profile[0] != "\t"
        }
        self._names = list(self._profiles)
        lines = [profile.partition("\t")[0] for profile in self._profiles.values()]
        self._terms = " ".join(lines).split(" ") if lines else []
        self._ends = list(accumulate(line.count(" ") + 1 for line in lines))
        self._rarity = rarity_of(Counter(self._terms), len(described))

    @classmethod
    def of(cls, triggers: Iterable[Trigger]) -> "Triggers":
        known = {trigger.name: trigger for trigger in triggers}
        return cls(
            {name: trigger.profile for name, trigger in known.items()},
            known.__getitem__,
        )

    def without(self, names: Set[str]) -> "Triggers":
        """Exclude a few skills; the weights of terms stay as they are."""
        self._without |= names
        return self

    def first(self, request: str) -> str:
        """The skill that a request triggers; empty if none."""
        ranking = self.like(terms(request), 1)
        return ranking[0][0] if ranking else ""

    def loses(self, request: str, rival: Trigger) -> bool:
        """Whether a request would trigger the rival instead."""
        words = terms(request)
        request_vector = unit_vector(words, self._rarity)
        rival_score = dot(request_vector, unit_vector(rival.terms, self._rarity))
        return rival_score > max(
            (score for _, score in self.like(words, 1)), default=0.0
        )

    def ranked(self, request: str) -> list[tuple[str, float]]:
        """Skills that share words with a request, with their scores; best first."""
        return self.like(terms(request), max(1, len(self._names)))

    def like(
        self, words: Sequence[str], count: int, least: float = math.inf
    ) -> list[tuple[str, float]]:
        """Skills that share some terms, with their scores; best first.

        These are the best `count`, and all others with a score of at least `least`.
        """
        request_vector = unit_vector(words, self._rarity)
        weighed = {
            term: item * self._rarity[term] for term, item in request_vector.items()
        }
        best = Best(count, least)
        for bound, name in self._bounds(weighed):
            if not best.may_take(bound):
                break
            best.add(name, self._alike(weighed, name))
        return best.ranking()

    def _bounds(self, weighed: Mapping[str, float]) -> list[tuple[float, str]]:
        """Skills that share some terms, with upper bounds of their scores, sorted."""
        hits = [at for at, term in enumerate(self._terms) if term in weighed]
        shared: dict[int, float] = {}
        place = 0
        for at in hits:
            while self._ends[place] <= at:
                place += 1
            shared[place] = shared.get(place, 0.0) + weighed[self._terms[at]]
        for place in shared.keys() & self._again.keys():
            shared[place] += sum(filter(None, map(weighed.get, self._again[place])))
        names, lengths = self._names, self._lengths
        bounds = [(item / lengths[at], names[at]) for at, item in shared.items()]
        bounds.sort(reverse=True)
        return [item for item in bounds if item[1] not in self._without]

    @cached_property
    def _again(self) -> dict[int, list[str]]:
        """The repeated terms of each skill, by its index."""
        profiles = enumerate(self._profiles.values())
        return {
            at: profile.partition("\t")[2].split()
            for at, profile in profiles
            if profile[-1] != "\t"
        }

    @cached_property
    def _lengths(self) -> list[float]:
        """Slightly less than the length of each skill's vector, by its index."""
        weights = list(map(self._rarity.__getitem__, self._terms))
        sums = [0.0, *accumulate(map(mul, weights, weights))]
        ends = [sums[end] for end in self._ends]
        squares = map(sub, ends, [0.0, *ends])
        return [math.sqrt(square) * _SLACK for square in squares]

    def _alike(self, weighed: Mapping[str, float], name: str) -> float:
        """The product of a request's vector and that of a skill, of length 1."""
        once, _, more = self._profiles[name].partition("\t")
        terms, again = once.split(" "), more.split()
        shared = sum(filter(None, map(weighed.get, terms)))
        shared += sum(filter(None, map(weighed.get, again)))
        return shared / self._length(terms, again)

    def _length(self, terms: Sequence[str], again: Sequence[str]) -> float:
        weights = list(map(self._rarity.__getitem__, terms))
        for term in again:
            weights[terms.index(term)] += self._rarity[term]
        return math.hypot(*weights)
