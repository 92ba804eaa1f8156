"""Which line of a command's output belongs to which line that a page shows."""

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from enum import Enum, auto
from typing import NamedTuple

from tests.docs.comparing import ELISION

_DROP_COST = 1.0  # of a shown line that has no counterpart in the output
_ADD_COST = 0.4  # of a line of output that the page does not show


class Move(Enum):
    """What happens to the next line shown, the next line of output, or both."""

    PAIR = auto()  # they are the same line, perhaps reworded
    DROP = auto()  # the line shown is gone
    ADD = auto()  # the line of output is new
    OMIT = auto()  # the line of output is hidden by an elision
    END = auto()  # the elision hides nothing more


class Aligned(NamedTuple):
    """One move, and the positions that it starts from."""

    move: Move
    shown: int
    real: int


def align(shown: list[str], real: list[str]) -> Iterator[Aligned]:
    """The cheapest way from the lines shown to the lines of output.

    An elision hides any number of lines at no cost.
    """
    best = _cheapest(shown, real)
    i = j = 0
    while (i, j) != (len(shown), len(real)):
        move = best[i, j]
        yield Aligned(move, i, j)
        i += move in (Move.PAIR, Move.DROP, Move.END)
        j += move in (Move.PAIR, Move.ADD, Move.OMIT)


def _cheapest(shown: list[str], real: list[str]) -> dict[tuple[int, int], Move]:
    """The first move of the cheapest way, from any position."""
    costs = {(len(shown), len(real)): 0.0}
    best: dict[tuple[int, int], Move] = {}
    distance = _distance()
    for i in range(len(shown), -1, -1):
        for j in range(len(real), -1, -1):
            ways: dict[Move, float] = {}
            if i < len(shown) and shown[i].strip() == ELISION:
                ways[Move.END] = costs[i + 1, j]
                if j < len(real):
                    ways[Move.OMIT] = costs[i, j + 1]
            else:
                if i < len(shown):
                    ways[Move.DROP] = _DROP_COST + costs[i + 1, j]
                if j < len(real):
                    ways[Move.ADD] = _ADD_COST + costs[i, j + 1]
                if i < len(shown) and j < len(real):
                    change = distance(shown[i], real[j])
                    ways[Move.PAIR] = change + costs[i + 1, j + 1]
            if ways:
                best[i, j] = min(ways, key=ways.__getitem__)
                costs[i, j] = ways[best[i, j]]
    return best


def _distance() -> Callable[[str, str], float]:
    """How different two lines are, from 0 to 1.

    A matcher prepares its second line, so it is kept while that stays the same.
    """
    matcher = SequenceMatcher(None, "", "", autojunk=False)

    def distance(shown: str, real: str) -> float:
        if shown == real:
            return 0.0
        matcher.set_seq2(shown)
        matcher.set_seq1(real)
        return 1.0 - matcher.ratio()

    return distance
