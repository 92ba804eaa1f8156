"""Which words of some tasks are always the same, and what varies between them."""

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
_OF_ONE = re.compile(
    r"(?=.*\d)(?=.*[a-z])[\w#-]{5,}|\d{4,}|[$€£]\d.*|\d+[-/.]\d+[-/.]\d+|<\w+_\d+>",
    re.IGNORECASE,
)
_SHARED = 0.75  # of the tasks have a word that is part of what is asked for
_COVERED = 0.4  # of a task are shared words, or it is told in everybody's own words
_MARKED = re.compile(r"\d|[\"“<]|(?:^|\s)(?!I\b)[A-Z]")
_USUAL = 0.5  # have a value where something varies
_MOST_WORDS = 120
_MOST_TASKS = 60
_EDGES = " .,?!:;\"'“”()"


class TaskToken(NamedTuple):
    """A word, a quote or a sign of a text, and where it stands."""

    word: str
    start: int
    end: int


class Slot(NamedTuple):
    """A place where tasks differ: what stands there, by the number of the task."""

    place: int  # how many shared words stand before it
    values: dict[int, str]


class TaskTemplate(NamedTuple):
    """What tasks have in common, and where they differ; `spelled` as most spell it."""

    shared: list[str]
    slots: list[Slot]
    spelled: list[str]


def template(tasks: Sequence[str]) -> TaskTemplate:
    """Line tasks up by the words that nearly all of them have in the same order."""
    tasks = [request(task) for task in tasks[:_MOST_TASKS]]
    read = [_tokens(task) for task in tasks]
    said = [[token.word.lower() for token in tokens] for tokens in read]
    shared = [word for word in shared_words(said) if not _OF_ONE.fullmatch(word)]
    spelled: list[Counter[str]] = [Counter() for _ in shared]
    found: dict[int, dict[int, str]] = {}
    for number, (task, tokens, words) in enumerate(zip(tasks, read, said, strict=True)):
        for place, at in common(shared, words):
            spelled[place][tokens[at].word] += 1
        for place, start, end in gaps(shared, words):
            text = task[tokens[start].start : tokens[end - 1].end]
            is_quote = text[0] in "\"“'"
            text = text.strip(_EDGES)
            if text and (is_quote or _tells(text)):
                found.setdefault(place, {})[number] = text
    slots = [Slot(place, values) for place, values in sorted(found.items())]
    if len(shared) < _COVERED * sum(map(len, said)) / len(said):
        slots = [slot for slot in slots if _is_specific(slot)]
    usual = [max(it, key=lambda word: (it[word], word)) for it in spelled]
    return TaskTemplate(shared, [it for it in slots if _varies(it, len(tasks))], usual)


def request(task: str) -> str:
    """A task without the courtesies around it; all of it, if nothing else is left."""
    text, count = task.strip(), 1
    while count:
        text, count = _COURTESY.subn("", text, count=1)
    return _THANKS.sub("", text).strip() or task


def _tokens(task: str) -> list[TaskToken]:
    found = (TaskToken(match[0], *match.span()) for match in _TOKEN.finditer(task))
    return list(found)[:_MOST_WORDS]


def shared_words(said: list[list[str]]) -> list[str]:
    """The words that nearly all have, in the order in which most have them."""
    least = max(2, ceil(_SHARED * len(said)))
    count = Counter(word for words in said for word in set(words))
    kept = [tuple(word for word in words if count[word] >= least) for words in said]
    often = Counter(kept)
    usual = max(sorted(often), key=lambda words: (often[words], len(words)))
    aligned = Counter(at for words in said for at, _ in common(usual, words))
    return [word for at, word in enumerate(usual) if aligned[at] >= least]


def common(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """Where the longest common sequence of two stands in each of them."""
    length = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            is_same = one[i] == other[j]
            longer = max(length[i + 1][j], length[i][j + 1])
            length[i][j] = length[i + 1][j + 1] + 1 if is_same else longer
    i = j = 0
    found = []
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def gaps(shared: list[str], words: list[str]) -> Iterator[tuple[int, int, int]]:
    """What stands between shared words: before which of them, from where, to where."""
    aligned = [(-1, -1), *common(shared, words), (len(shared), len(words))]
    for (one, start), (other, end) in pairwise(aligned):
        if end - start > 1:
            yield (other if other - one > 1 else one + 1), start + 1, end


def _tells(text: str) -> bool:
    """Whether a text has more than small words."""
    found = re.findall(r"[\w']+", text.lower())
    return not all(map(is_small_word, found))


def _is_specific(slot: Slot) -> bool:
    """Whether names, numbers or quotes stand there, not another way to say it."""
    marked = sum(bool(_MARKED.search(value)) for value in slot.values.values())
    return marked * 2 >= len(slot.values)


def _varies(slot: Slot, tasks: int) -> bool:
    """Whether values differ, or would: an id or a date is of one occasion anyway."""
    distinct = {value.lower() for value in slot.values.values()}
    differs = len(distinct) > 1 or all(map(_OF_ONE.fullmatch, distinct))
    return differs and len(slot.values) >= max(2, _USUAL * tasks)
