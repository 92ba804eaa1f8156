"""Align tasks: the words that they share, and the slots where they differ."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from skillforge.text import is_small_word

_TOKEN = re.compile(
    r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']+'(?!\w)|<[A-Z]+_\d+>"
    r"|(?<![\w/])[~.]{0,2}/[\w.<>-]+(?:/[\w.<>-]*)+|[A-Z]{2,}-\d+"
    r"|\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?|\d{1,2}/\d{1,2}/\d{2,4}|\$?\w[\w'’]*(?:-[A-Za-z]+|[.,:/]\d\w*)*|[^\w\s]"
)
_COURTESY = re.compile(
    r"\A(?:(?:hi|hello|hey|dear|good (?:morning|day|evening))\b(?: there| all| team)?"
    r"|(?:could|can|would|will) you(?: please)?(?: help me(?: with| to)?)?\b|please\b"
    r"|i(?:'d| would) (?:really )?(?:like|love)(?: you)?(?: to)?\b"
    r"|i(?:'m| am)? ?(?:need|want|hoping|looking|trying|wondering)"
    r"(?: you can| if you (?:can|could))?(?: some)?(?: help| assistance)?(?: me)?"
    r"(?: with| to| for)?\b|help me(?: with| to)?\b)[\s,.!:]*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"[\s,.!?]*(?:(?:can|could) you (?:please )?help(?: me)?(?: with (?:that|this|it))?"
    r"|please|thanks?(?: you)?(?: so much)?|s'il vous pla[iî]t)[\s,.!?]*\Z",
    re.IGNORECASE,
)
# An id, a long number, an amount or a date: never a part of the task itself.
_SPECIFIC = re.compile(
    r"(?=.*\d)(?=.*[a-z])[\w#-]{5,}|\d{4,}|[$€£]\d.*|\d+[-/.]\d+[-/.]\d+|<\w+_\d+>",
    re.IGNORECASE,
)
_SHARED = 0.75  # of the tasks have a shared word
_COVERED = 0.4  # of the words are shared; else tasks are worded freely
_MARKED = re.compile(r"\d|[\"“<]|(?:^|\s)(?!I\b)[A-Z]")
_FILLED = 0.5  # of the tasks have a value in a slot
_MOST_WORDS = 120
_MOST_TASKS = 60
_EDGES = " .,?!:;\"'“”()"


class TaskToken(NamedTuple):
    """A word, a quote or a punctuation mark, and its place in a text."""

    word: str
    start: int
    end: int


class Slot(NamedTuple):
    """A place where tasks differ, and its values by the index of the task."""

    place: int  # the number of shared words before it
    values: dict[int, str]


class TaskTemplate(NamedTuple):
    """What tasks share, in lower case and as most tasks spell it; and their slots."""

    shared: list[str]
    slots: list[Slot]
    spelled: list[str]


def template(tasks: Sequence[str]) -> TaskTemplate:
    """Align tasks by the words that nearly all of them have in the same order."""
    tasks = [request(task) for task in tasks[:_MOST_TASKS]]
    tokenized = [_tokens(task) for task in tasks]
    lowered = [[token.word.lower() for token in tokens] for tokens in tokenized]
    shared = [word for word in shared_words(lowered) if not _SPECIFIC.fullmatch(word)]
    spellings: list[Counter[str]] = [Counter() for _ in shared]
    values: dict[int, dict[int, str]] = {}
    for number, (task, tokens) in enumerate(zip(tasks, tokenized, strict=True)):
        words = lowered[number]
        for place, at in common_sequence(shared, words):
            spellings[place][tokens[at].word] += 1
        for place, start, end in gaps(shared, words):
            text = task[tokens[start].start : tokens[end - 1].end]
            is_quote = text[0] in "\"“'"
            text = text.strip(_EDGES)
            if text and (is_quote or _is_meaningful(text)):
                values.setdefault(place, {})[number] = text
    slots = [Slot(place, by_task) for place, by_task in sorted(values.items())]
    if len(shared) < _COVERED * sum(map(len, lowered)) / len(lowered):
        slots = [slot for slot in slots if _is_specific(slot)]
    spelled = [max(forms, key=lambda word: (forms[word], word)) for forms in spellings]
    slots = [slot for slot in slots if _varies(slot, len(tasks))]
    return TaskTemplate(shared, slots, spelled)


def request(task: str) -> str:
    """A task without the courtesies around it; all of it, if nothing else is left."""
    text, count = task.strip(), 1
    while count:
        text, count = _COURTESY.subn("", text, count=1)
    return _THANKS.sub("", text).strip() or task


def _tokens(task: str) -> list[TaskToken]:
    tokens = (TaskToken(match[0], *match.span()) for match in _TOKEN.finditer(task))
    return list(tokens)[:_MOST_WORDS]


def shared_words(texts: list[list[str]]) -> list[str]:
    """The words that nearly all texts have, in the most common order."""
    least = max(2, ceil(_SHARED * len(texts)))
    count = Counter(word for words in texts for word in set(words))
    frequent = Counter(
        tuple(word for word in words if count[word] >= least) for words in texts
    )
    usual = max(sorted(frequent), key=lambda words: (frequent[words], len(words)))
    aligned = Counter(at for words in texts for at, _ in common_sequence(usual, words))
    return [word for at, word in enumerate(usual) if aligned[at] >= least]


def common_sequence(
    first: Sequence[str], second: Sequence[str]
) -> list[tuple[int, int]]:
    """The indices of the longest common subsequence in both sequences."""
    length = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) - 1, -1, -1):
        for j in range(len(second) - 1, -1, -1):
            is_same = first[i] == second[j]
            longer = max(length[i + 1][j], length[i][j + 1])
            length[i][j] = length[i + 1][j + 1] + 1 if is_same else longer
    i = j = 0
    pairs = []
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def gaps(shared: list[str], words: list[str]) -> Iterator[tuple[int, int, int]]:
    """The parts between shared words: the shared word after each, its start and end."""
    ends = (len(shared), len(words))
    aligned = [(-1, -1), *common_sequence(shared, words), ends]
    for (before, start), (after, end) in pairwise(aligned):
        if end - start > 1:
            yield (after if after - before > 1 else before + 1), start + 1, end


def _is_meaningful(text: str) -> bool:
    """Whether a text has more than small words."""
    return not all(map(is_small_word, re.findall(r"[\w']+", text.lower())))


def _is_specific(slot: Slot) -> bool:
    """Whether a slot mostly has names, numbers or quotes, not other wordings."""
    marked = sum(bool(_MARKED.search(value)) for value in slot.values.values())
    return marked * 2 >= len(slot.values)


def _varies(slot: Slot, tasks: int) -> bool:
    """Whether the values differ, or are ids or dates, which are always specific."""
    distinct = {value.lower() for value in slot.values.values()}
    differs = len(distinct) > 1 or all(map(_SPECIFIC.fullmatch, distinct))
    return differs and len(slot.values) >= max(2, _FILLED * tasks)
