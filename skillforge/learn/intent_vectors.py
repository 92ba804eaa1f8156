"""Intent vectors: the words of an example's task and the order of its tools.

Names, numbers, quotes and placeholders do not count, as they change between runs: two
examples are similar if they ask for the same kind of thing.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import sqrt

from skillforge.model import Example
from skillforge.text import rarity, unit_vector

ALIKE = 0.3  # average similarity within a pattern; fixed, not tuned to any data
_TOOLS = 0.2  # weight of the tools, if there are any
_MOST_WORDS = 80
_QUOTE = r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']+'(?!\w)"
_WORD = re.compile(rf"{_QUOTE}|<[A-Z]+_\d+>|\$?\w[\w'’-]*|[.!?:]")
Vector = dict[str, float]


def words(task: str) -> list[str]:
    """The words of a task that are not specific to a run; all if too few are left."""
    tokens = [match[0] for match in _WORD.finditer(task)][:_MOST_WORDS]
    common = list(_common_words(tokens))
    if len(common) >= 2:
        return common
    return [token.lower() for token in tokens if token[0].isalnum()]


def _common_words(tokens: list[str]) -> Iterator[str]:
    is_start = True  # of a sentence, where any word has a capital
    for word in tokens:
        if word in (".", "!", "?", ":"):
            is_start = True
            continue
        is_name = word[0].isupper() and not is_start and word != "I"
        is_start = False
        if word[0].isalpha() and not is_name and not re.search(r"\d", word):
            yield word.lower()


def _pairs(sequence: Sequence[str]) -> list[str]:
    """The items, and each of them paired with the next two, so that order counts."""
    ends = ["^", *sequence, "$"]
    near = [(first, ends[at + 1 : at + 3]) for at, first in enumerate(ends)]
    return [*sequence, *(f"{first} {second}" for first, two in near for second in two)]


def vectors(examples: Sequence[Example]) -> list[Vector]:
    """One vector of length 1 per example; a dot product is a similarity."""
    tasks = [_pairs(words(example.task)) for example in examples]
    tools = [
        _pairs([tool for tool, _ in groupby(example.tools)]) for example in examples
    ]
    task_rarity = rarity(tasks)
    tool_rarity = rarity([names for names in tools if len(names) > 1])
    return [
        _joined(unit_vector(task, task_rarity), unit_vector(used, tool_rarity), example)
        for task, used, example in zip(tasks, tools, examples, strict=True)
    ]


def _joined(task: Vector, tools: Vector, example: Example) -> Vector:
    if not example.tools:
        return task
    text = {term: weight * sqrt(1 - _TOOLS) for term, weight in task.items()}
    return text | {f"\0{term}": weight * sqrt(_TOOLS) for term, weight in tools.items()}
