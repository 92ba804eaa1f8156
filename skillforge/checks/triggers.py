"""Which skill a request calls for: what each is for, and requests that are its own."""

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, NamedTuple

from skillforge.library import Library
from skillforge.model import Skill
from skillforge.text import dot, rarity, terms, unit_vector

_QUERIES = ("evals/eval_queries.json", "evals/eval_set.json", "evals/trigger-eval.json")
_MOST_QUERIES = 50
_MOST_BYTES = 1 << 18


class Trigger(NamedTuple):
    """What a skill is for: its description, and requests that are its own."""

    name: str
    description: str
    queries: tuple[str, ...] = ()

    @classmethod
    def of(cls, skill: Skill) -> "Trigger":
        described = skill.document.words("description") if skill.document else ""
        return cls(skill.name, described, tuple(_queries(skill)))


def _queries(skill: Skill) -> Iterator[str]:
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
            if isinstance(row, Mapping) and row.get("should_trigger", True) is True:
                yield str(row.get("query", ""))


class Triggers:
    """Skills ranked for a request, by the words that they share with it."""

    def __init__(self, every: Iterable[Trigger]) -> None:
        self.every = {trigger.name: trigger for trigger in every}
        said = {name: _terms(trigger) for name, trigger in self.every.items()}
        self._rarity = rarity(list(said.values()))
        self._vectors = {n: unit_vector(it, self._rarity) for n, it in said.items()}
        self._holders: dict[str, list[str]] = {}
        for name, vector in self._vectors.items():
            for term in vector:
                self._holders.setdefault(term, []).append(name)

    @classmethod
    def at(cls, library: Library, commit: str) -> "Triggers":
        return cls(Trigger.of(skill) for skill in library.read_at(commit))

    def without(self, names: Set[str]) -> "Triggers":
        return Triggers(it for it in self.every.values() if it.name not in names)

    def first(self, request: str) -> str:
        """The skill that a request calls for; empty if for none."""
        found = self.ranked(request)
        return found[0][0] if found else ""

    def ranked(self, request: str) -> list[tuple[str, float]]:
        """Skills that share words with a request, and how much of it; best first."""
        wanted = unit_vector(terms(request), self._rarity)
        near = {name for term in wanted for name in self._holders.get(term, ())}
        found = [(name, dot(wanted, self._vectors[name])) for name in near]
        return sorted(found, key=lambda it: (-it[1], it[0]))


def _terms(trigger: Trigger) -> list[str]:
    return terms(f"{trigger.name.replace('-', ' ')} {trigger.description}")
