"""The index of terms ranks as a comparison with every skill does."""

import math
import random
from pathlib import Path

import pytest

from skillforge.checks import trigger_index
from skillforge.checks.trigger_index import IndexedTriggers
from skillforge.checks.triggers import Trigger, Triggers
from skillforge.store import Cache, cache

COMMON = ("help", "file", "table", "list")
RARE = tuple(f"word{n}" for n in range(60))


def trigger(name: str, chance: random.Random) -> Trigger:
    words = [
        *chance.choices(COMMON, k=chance.randint(0, 5)),
        *chance.choices(RARE, k=chance.randint(0, 5)),
    ]
    return Trigger.of_texts(name, " ".join(words))


class Kept:
    """Triggers in a cache, and the same ones in memory."""

    def __init__(self, path: Path) -> None:
        self.cache = Cache(path)
        self.known: dict[str, Trigger] = {}
        self.version = ""
        self.whole = 0

    def save(self, version: str, changes: dict[str, Trigger | None]) -> None:
        found = {name: it for name, it in changes.items() if it}
        self.known = {n: it for n, it in self.known.items() if n not in changes} | found
        profiles = {name: it.profile for name, it in found.items()}
        sketches: dict[str, list[int]] = {name: [] for name in changes}
        self.cache.save_sketches(version, sketches, profiles, self.version)
        self.version = version

    def indexed(self) -> IndexedTriggers:
        read = self.known.__getitem__
        return IndexedTriggers(self.cache, self.version, read, self.all)

    def all(self) -> Triggers:
        self.whole += 1
        return Triggers.of(self.known.values())


def check(kept: Kept, chance: random.Random) -> None:
    for _ in range(60):
        words = chance.choices((*COMMON, *RARE, "nowhere"), k=chance.randint(0, 6))
        rival = trigger("rival", chance)
        without = set(chance.sample(sorted(kept.known), 3))
        indexed = kept.indexed().without(without)
        every = Triggers.of(kept.known.values()).without(without)
        for count, least in ((1, math.inf), (10, 0.75), (5, 0.3)):
            assert indexed.like(words, count, least) == every.like(words, count, least)
        request = " ".join(words)
        assert indexed.first(request) == every.first(request)
        assert indexed.ranked(request) == every.ranked(request)
        assert indexed.loses(request, rival) == every.loses(request, rival)
        fresh = kept.indexed().without(without)
        assert fresh.loses(request, rival) == every.loses(request, rival)


@pytest.mark.parametrize(("most", "listed"), [(3_000, 3_000), (40, 3_000), (3_000, 10)])
def test_it_ranks_as_a_comparison_with_all_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, listed: int
) -> None:
    monkeypatch.setattr(trigger_index, "_MOST", most)
    monkeypatch.setattr(cache, "_MOST_LISTED", listed)
    chance, kept = random.Random(7), Kept(tmp_path / "cache.db")
    kept.save("one", {f"s{n}": trigger(f"s{n}", chance) for n in range(150)})
    check(kept, chance)

    changes: dict[str, Trigger | None] = {}
    for number in range(100, 200):  # some change, some are gone, some are new
        name = f"s{number}"
        changes[name] = trigger(name, chance) if number % 3 else None
    kept.save("two", changes)
    check(kept, chance)


def test_few_skills_are_read_for_a_rare_word(tmp_path: Path) -> None:
    chance, kept = random.Random(7), Kept(tmp_path / "cache.db")
    kept.save("one", {f"s{n}": trigger(f"s{n}", chance) for n in range(150)})

    assert kept.indexed().first("word7")
    assert kept.whole == 0


@pytest.mark.parametrize("how", ["moved", "lost"])
def test_without_the_index_all_skills_are_compared(tmp_path: Path, how: str) -> None:
    chance, kept = random.Random(7), Kept(tmp_path / "cache.db")
    kept.save("one", {f"s{n}": trigger(f"s{n}", chance) for n in range(50)})
    indexed, rival = kept.indexed(), trigger("rival", chance)
    indexed.first("word1")  # some of it is known by now
    if how == "moved":
        kept.cache.save_sketches("other", {}, {}, "one")
    else:
        kept.cache.forget()
    every = Triggers.of(kept.known.values())

    assert indexed.like(["word7", "file"], 10) == every.like(["word7", "file"], 10)
    assert indexed.loses("word7 file", rival) == every.loses("word7 file", rival)
    assert kept.whole == 1
