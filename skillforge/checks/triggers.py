"""Which skill a request triggers: by its purpose, and by requests of its own."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from skillforge.model import Skill
from skillforge.text import dot, rarity, terms, unit_vector

_QUERIES = ("evals/eval_queries.json", "evals/eval_set.json", "evals/trigger-eval.json")
_YES = (True, "true")
_MOST_QUERIES = 50
_MOST_BYTES = 1 << 18


class Trigger(NamedTuple):
    """What a skill is for: its description, and requests that are its own."""

    name: str
    description: str
    queries: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()  # of its name and description

    @classmethod
    def of(cls, skill: Skill) -> "Trigger":
        described = skill.document.words("description") if skill.document else ""
        return cls.made(skill.name, described, tuple(queries(skill)))

    @classmethod
    def made(
        cls, name: str, description: str, queries: tuple[str, ...] = ()
    ) -> "Trigger":
        words = tuple(terms(f"{name.replace('-', ' ')} {description}"))
        return cls(name, description, queries, words)

    @property
    def profile(self) -> str:
        """Its terms, then those again that occur again; empty for no description."""
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
            said: Any = json.loads(skill.read(path))
        except (ValueError, RecursionError, OSError):
            continue
        rows = said.get("queries", ()) if isinstance(said, Mapping) else said
        for row in rows[:_MOST_QUERIES] if isinstance(rows, list) else ():
            if isinstance(row, str):
                yield row
            elif isinstance(row, Mapping) and row.get("should_trigger", True) in _YES:
                yield str(row.get("query") or row.get("prompt") or "")


class Triggers:
    """Skills ranked for a request, by the words that they share with it."""

    def __init__(
        self, profiles: Mapping[str, str], read: Callable[[str], Trigger]
    ) -> None:
        """`read` returns a whole trigger; few are needed."""
        self.read = read
        self._terms: dict[str, list[str]] = {}
        self._again: dict[str, list[str]] = {}
        self._lengths: dict[str, float] = {}
        for name, profile in profiles.items():
            if profile:
                terms, _, again = profile.partition("\t")
                self._terms[name] = terms.split()
                if again:
                    self._again[name] = again.split()
        self._rarity = rarity(self._terms.values())

    @classmethod
    def of(cls, every: Iterable[Trigger]) -> "Triggers":
        known = {it.name: it for it in every}
        return cls({name: it.profile for name, it in known.items()}, known.__getitem__)

    def without(self, names: Set[str]) -> "Triggers":
        """The other skills; few are removed, so word frequencies stay as they are."""
        for name in names & self._terms.keys():
            del self._terms[name]
        return self

    def first(self, request: str) -> str:
        """The skill that a request triggers; empty if none."""
        found = self.ranked(request)
        return found[0][0] if found else ""

    def loses(self, request: str, rival: Trigger) -> bool:
        """Whether a request would trigger another skill instead."""
        wanted = unit_vector(terms(request), self._rarity)
        other = dot(wanted, unit_vector(rival.terms, self._rarity))
        return other > max((alike for _, alike in self.ranked(request)), default=0.0)

    def ranked(self, request: str) -> list[tuple[str, float]]:
        """Skills that share words with a request, and how much of it; best first."""
        return self.like(terms(request))

    def like(self, words: Sequence[str]) -> list[tuple[str, float]]:
        """Skills that share some terms, and how much; the most alike first."""
        wanted = unit_vector(words, self._rarity)
        weighed = {term: it * self._rarity[term] for term, it in wanted.items()}
        is_none = weighed.keys().isdisjoint
        found = [
            (name, self._alike(weighed, name, terms))
            for name, terms in self._terms.items()
            if not is_none(terms)
        ]
        return sorted(found, key=lambda it: (-it[1], it[0]))

    def _alike(self, weighed: dict[str, float], name: str, terms: list[str]) -> float:
        """The product of a request's vector with that of a skill, of length 1."""
        shared = sum(filter(None, map(weighed.get, terms)))
        shared += sum(filter(None, map(weighed.get, self._again.get(name, ()))))
        if name not in self._lengths:
            self._lengths[name] = self._length(terms, self._again.get(name, ()))
        return shared / self._lengths[name]

    def _length(self, terms: Sequence[str], again: Sequence[str]) -> float:
        weights = list(map(self._rarity.__getitem__, terms))
        for term in again:
            weights[terms.index(term)] += self._rarity[term]
        return math.hypot(*weights)
