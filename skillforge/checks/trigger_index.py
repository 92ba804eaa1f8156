"""Rank skills for a request from an index of terms, without reading all skills."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from skillforge.checks.triggers import Best, Trigger, Triggers
from skillforge.store import Cache
from skillforge.text import rarity_of, terms, unit_vector

T = TypeVar("T")
_MOST = 3_000  # skills to compare one by one; if there are more, all are read at once
_SLACK = 1 + 1e-6  # far more than what sums of floats are off


class _MovedError(Exception):
    """The cache is for another version by now, or gone."""


class IndexedTriggers(Triggers):
    """Ranks as `Triggers` does, with the same scores.

    A skill shares some terms of a request. Its score is at most the length of the
    request's vector reduced to them. So skills with the rarest terms are compared
    first, until those that share only the common ones can't be better.
    """

    def __init__(
        self,
        cache: Cache,
        version: str,
        read: Callable[[str], Trigger],
        read_all: Callable[[], Triggers],
    ) -> None:
        """`read_all` returns triggers that hold every skill."""
        super().__init__({}, read)
        self._cache, self._version = cache, version
        self._read_all = read_all
        self._all: Triggers | None = None
        self._counts: dict[str, int] = {}

    def loses(self, request: str, rival: Trigger) -> bool:
        try:
            self._learn((*terms(request), *rival.terms))
        except _MovedError:
            return self._whole().loses(request, rival)
        return super().loses(request, rival)

    def like(
        self, words: Sequence[str], count: int, least: float = math.inf
    ) -> list[tuple[str, float]]:
        if self._all is None:
            try:
                best = self._search(words, Best(count, least))
            except _MovedError:
                best = None
            if best is not None:
                return best.ranking()
        return self._whole().like(words, count, least)

    def ranked(self, request: str) -> list[tuple[str, float]]:
        return self._whole().ranked(request)

    def _search(self, words: Sequence[str], best: Best) -> Best | None:
        """The best skills; None if there are too many to compare one by one."""
        self._learn(words)
        vector = unit_vector(words, self._rarity)
        weighed = {term: item * self._rarity[term] for term, item in vector.items()}
        left = sum(item * item for item in vector.values())
        seen = set(self._without)
        compared = 0
        for term in sorted(vector, key=lambda term: (-vector[term], term)):
            if not best.may_take(math.sqrt(max(left, 0.0)) * _SLACK + 1 - 1 / _SLACK):
                break
            compared += self._counts[term]
            if compared > _MOST:
                return None
            names = self._found(self._cache.names_with(self._version, term))
            if len(names) < self._counts[term]:
                return None
            new = [name for name in names if name not in seen]
            self._load(new)
            for name in new:
                best.add(name, self._alike(weighed, name))
            seen.update(new)
            left -= vector[term] ** 2
        return best

    def _load(self, names: Iterable[str]) -> None:
        """Read the terms of some skills, and the rarity of these terms."""
        names = [name for name in names if name not in self._profiles]
        if not names:
            return
        profiles = self._found(self._cache.profiles_of(self._version, names))
        if len(profiles) < len(names):
            raise _MovedError
        self._learn(
            term
            for profile in profiles.values()
            for term in profile.partition("\t")[0].split(" ")
        )
        self._profiles |= profiles

    def _learn(self, words: Iterable[str]) -> None:
        """Read the rarity of terms; those that no skill has get none."""
        missing = {"", *words}.difference(self._counts)
        if not missing:
            return
        counts = self._found(self._cache.counts(self._version, missing))
        self._counts |= dict.fromkeys(missing, 0) | counts
        total = self._counts[""]
        self._rarity |= rarity_of(_without_empty(counts), total)

    def _whole(self) -> Triggers:
        if self._all is None:
            self._all = self._read_all()
        return self._all.without(self._without)

    def _found(self, value: T | None) -> T:
        if value is None:
            raise _MovedError
        return value


def _without_empty(counts: Mapping[str, int]) -> dict[str, int]:
    return {term: count for term, count in counts.items() if term}
