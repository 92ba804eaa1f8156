"""Which skill a request calls for: what each is for, and requests that are its own."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
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
        said = tuple(terms(f"{name.replace('-', ' ')} {description}"))
        return cls(name, description, queries, said)

    @classmethod
    def read(cls, name: str, written: str) -> "Trigger":
        """A trigger as it was `written`."""
        said, description, *queries = json.loads(written)
        return cls(name, description, tuple(queries), tuple(said.split()))

    @property
    def written(self) -> str:
        return json.dumps([" ".join(self.terms), self.description, *self.queries])


def queries(skill: Skill) -> Iterator[str]:
    """Requests of its own that a skill ships, of those that should call for it."""
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

    def __init__(self, every: Iterable[Trigger]) -> None:
        self.every = {it.name: it for it in every if it.description}
        self._rarity = rarity([it.terms for it in self.every.values()])
        self._vectors: dict[str, dict[str, float]] = {}
        self._holders: dict[str, list[str]] = {}
        for name, trigger in self.every.items():
            for term in trigger.terms:
                self._holders.setdefault(term, []).append(name)

    def without(self, names: Set[str]) -> "Triggers":
        """The others; there are few of these, and words are as rare as before."""
        for name in names & self.every.keys():
            del self.every[name]
        return self

    def first(self, request: str) -> str:
        """The skill that a request calls for; empty if for none."""
        found = self.ranked(request)
        return found[0][0] if found else ""

    def loses(self, request: str, rival: Trigger) -> bool:
        """Whether a request would rather call for another skill."""
        wanted = unit_vector(terms(request), self._rarity)
        other = dot(wanted, unit_vector(rival.terms, self._rarity))
        return other > max((alike for _, alike in self.ranked(request)), default=0.0)

    def ranked(self, request: str) -> list[tuple[str, float]]:
        """Skills that share words with a request, and how much of it; best first."""
        return self.like(terms(request))

    def like(self, words: Sequence[str]) -> list[tuple[str, float]]:
        """Skills that share some terms, and how much; the most alike first."""
        wanted = unit_vector(words, self._rarity)
        near = {name for term in wanted for name in self._holders.get(term, ())}
        found = [
            (name, dot(wanted, self._vector(name))) for name in near & self.every.keys()
        ]
        return sorted(found, key=lambda it: (-it[1], it[0]))

    def _vector(self, name: str) -> dict[str, float]:
        if name not in self._vectors:
            self._vectors[name] = unit_vector(self.every[name].terms, self._rarity)
        return self._vectors[name]
