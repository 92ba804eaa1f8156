"""What an example is about, as numbers: the words of its task and its tools in order.

What changes from one occasion to the next (names, numbers, quotes, placeholders) does
not count: two examples are alike if they ask for the same kind of thing.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import sqrt

from skillforge.model import Example
from skillforge.text import rarity, unit_vector

ALIKE = 0.3  # on average, to be of the same pattern; fixed, not tuned to any data
_TOOLS = 0.2  # how much of it is up to the tools, where there are any
_MOST_WORDS = 80
_QUOTE = r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']+'(?!\w)"
_WORD = re.compile(rf"{_QUOTE}|<[A-Z]+_\d+>|\$?\w[\w'’-]*|[.!?:]")
Vector = dict[str, float]


def words(task: str) -> list[str]:
    """The words of a task that are not of one occasion; all, if too few are left."""
    found = [match[0] for match in _WORD.finditer(task)][:_MOST_WORDS]
    kept = list(_common_words(found))
    if len(kept) >= 2:
        return kept
    return [word.lower() for word in found if word[0].isalnum()]


def _common_words(found: list[str]) -> Iterator[str]:
    is_start = True  # where any word has a capital
    for word in found:
        if word in (".", "!", "?", ":"):
            is_start = True
            continue
        is_name = word[0].isupper() and not is_start and word != "I"
        is_start = False
        if word[0].isalpha() and not is_name and not re.search(r"\d", word):
            yield word.lower()


def pairs(sequence: Sequence[str]) -> list[str]:
    """Each thing, and each with the next two: what there is, and in which order."""
    ends = ["^", *sequence, "$"]
    near = [(one, ends[at + 1 : at + 3]) for at, one in enumerate(ends)]
    return [*sequence, *(f"{one} {other}" for one, two in near for other in two)]


def vectors(examples: Sequence[Example]) -> list[Vector]:
    """A vector of length 1 for each; their dot product says how alike two are."""
    asked = [pairs(words(example.task)) for example in examples]
    used = [pairs([tool for tool, _ in groupby(it.tools)]) for it in examples]
    of_words = rarity(asked)
    of_tools = rarity([it for it in used if len(it) > 1])
    return [
        _joined(unit_vector(said, of_words), unit_vector(tools, of_tools), example)
        for said, tools, example in zip(asked, used, examples, strict=True)
    ]


def _joined(said: Vector, tools: Vector, example: Example) -> Vector:
    if not example.tools:
        return said
    text = {term: weight * sqrt(1 - _TOOLS) for term, weight in said.items()}
    used = {f"\0{term}": weight * sqrt(_TOOLS) for term, weight in tools.items()}
    return text | used
