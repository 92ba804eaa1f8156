"""The inputs of a skill: what varies between examples of the same intent."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillforge.learn.task_template import TaskTemplate, template
from skillforge.model import Example, StepKind
from skillforge.text import is_small_word

_DATE = re.compile(
    r"\d{4}-\d\d?-\d\d?|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|(?:\d{1,2}(?:st|nd|rd|th)? )?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?,?(?: \d{4})?",
    re.IGNORECASE,
)
_TYPES = (
    ("year", re.compile(r"(?:19|20)\d\d")),
    ("integer", re.compile(r"[+-]?\d{1,15}")),
    ("number", re.compile(r"[+-]?[$€£]?\d[\d,]*(?:\.\d+)?%?")),
    ("date", _DATE),
    ("url", re.compile(r"(?:https?|ssh|git)://\S+")),
    ("email", re.compile(r"<EMAIL_\d+>")),
    (
        "path",
        re.compile(
            r"(?:[~.]{0,2}/|[A-Z]:\\)\S+|[\w-]+(?:/[\w.-]+)+|[\w-]+\.[a-z]{2,4}"
        ),
    ),
    ("id", re.compile(r"<\w+_\d+>|(?=\S*\d)(?=\S*[A-Za-z])[\w#-]{4,}")),
)
_SMALL = re.compile(r"\d{1,2}\s?[a-z]{1,8}")  # 24h, 7 days
_TELLING = re.compile(r"[a-z][a-z'-]*(?: [a-z][a-z'-]*){0,5}")
_PLACES = {
    "from": "start",
    "to": "target",
    "in": "place",
    "at": "place",
    "by": "method",
}
_NAME = re.compile(r"[^a-z0-9]+")
_FINE_NAME = re.compile(r"[A-Za-z][\w.-]{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Input:
    """Something that differs from one occasion to the next."""

    name: str
    values: Mapping[int, Any]  # by the number of the example
    is_declared: bool = False  # the examples themselves call it an input

    @property
    def texts(self) -> list[str]:
        return [as_word(value) for value in self.values.values()]

    @property
    def type(self) -> str:
        return type_of(list(self.values.values())) if self.values else self.name

    @property
    def default(self) -> str | None:
        """What it was in more than half of the examples, and more than once."""
        if not self.values:
            return None
        value, count = Counter(self.texts).most_common(1)[0]
        return value if count > 1 and count * 2 > len(self.texts) else None

    @property
    def examples(self) -> list[str]:
        """Every distinct value, the most frequent first."""
        return [value for value, _ in Counter(self.texts).most_common()]

    def shown(self, most: int = 3) -> list[str]:
        """Values that may stand in a skill: of no single run, or nobody's own."""
        values = list(self.values.values())
        if self.type == "list":
            values = [item for value in values for item in value]
        often = Counter(map(as_word, values))
        fine = [
            v for v, n in often.most_common() if is_anybodys(v, n, self.is_declared)
        ]
        return fine[:most]


def as_word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def is_anybodys(text: str, seen: int, is_declared: bool = False) -> bool:
    """Whether a value is no name, id, date or amount of a single run."""
    if len(text) > 60 or "<" in text:
        return False
    is_plain = _TELLING.fullmatch(text) is not None
    if seen > 1:
        is_short = re.fullmatch(r"\d{1,3}|[^\w\s`]{1,3}|[A-Z]\d", text) is not None
        return is_plain or is_short or _SMALL.fullmatch(text) is not None
    return is_declared and (is_plain or _SMALL.fullmatch(text) is not None)


def type_of(values: Sequence[Any]) -> str:
    """The type that fits all values."""
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    if all(isinstance(value, list) for value in values):
        return "list"
    if all(isinstance(value, Mapping) for value in values):
        return "object"
    texts = [as_word(value) for value in values]
    for name, pattern in _TYPES:
        if all(pattern.fullmatch(text) for text in texts):
            return name
    return "text"


def found_inputs(examples: Sequence[Example]) -> tuple[list[Input], TaskTemplate]:
    """What examples declare as inputs, and what else varies in their tasks."""
    lined = template([example.task for example in examples])
    found = declared(examples)
    for slot in lined.slots:
        if not any(is_same(known.values, slot.values) for known in found):
            before, after = lined.shared[: slot.place], lined.shared[slot.place :]
            name = _name_of(list(slot.values.values()), before, after)
            found.append(Input(unused(name, found), slot.values))
    return found, lined


def declared(examples: Sequence[Example]) -> list[Input]:
    """Inputs that at least half of the examples name."""
    names = Counter(name for example in examples for name in example.inputs)
    usual = [name for name, seen in names.items() if seen * 2 >= len(examples)]
    given = [dict(example.inputs) for example in examples]
    found: list[Input] = []
    for name in usual:
        values = {at: it[name] for at, it in enumerate(given) if name in it}
        spelled = name if _FINE_NAME.fullmatch(name) else as_name(name)
        found.append(Input(unused(spelled, found), values, is_declared=True))
    return found


def is_same(known: Mapping[int, Any], other: Mapping[int, Any]) -> bool:
    """Whether two vary together: the one is, or is part of, the other."""
    both = known.keys() & other.keys()
    if not both:
        return False
    alike = sum(_is_in(as_word(other[at]), as_word(known[at])) for at in both)
    return alike * 2 > len(both)


def _is_in(text: str, whole: str) -> bool:
    one, other = (" ".join(re.findall(r"\w+", it.lower())) for it in (text, whole))
    is_part = f" {one} " in f" {other} " or f" {other} " in f" {one} "
    short, long = sorted((len(one), len(other)))
    return bool(one and other) and is_part and short * 2 >= long


def is_equal(known: Mapping[int, Any], other: Mapping[int, Any]) -> bool:
    """Whether two have the same values, as a rule."""
    both = known.keys() & other.keys()
    same = sum(as_word(known[at]) == as_word(other[at]) for at in both)
    return bool(both) and same * 2 > len(both)


def unused(name: str, known: Sequence[Input]) -> str:
    """The name, with a number if another input has it."""
    taken = {item.name for item in known}
    tries = (name, *(f"{name}_{number}" for number in range(2, len(taken) + 3)))
    return next(it for it in tries if it not in taken)


def _name_of(values: list[str], before: list[str], after: list[str]) -> str:
    """A name for a place in a sentence, by what stands there and around it."""
    kind = type_of(values)
    left, right = before[-1] if before else "", after[0] if after else ""
    if kind in ("date", "year", "url", "email", "path"):
        return kind
    if kind in ("integer", "number"):
        return as_name(right) if _is_noun(right) else "number"
    if _is_noun(right) and not _is_noun(left) and left not in _PLACES:
        return as_name(right)
    if left in _PLACES:
        return _PLACES[left]
    nouns = [word for word in reversed(before) if _is_noun(word)]
    return as_name(nouns[0]) if nouns else "subject"


def _is_noun(word: str) -> bool:
    is_small = is_small_word(word) or word in _PLACES
    return bool(re.fullmatch(r"[a-z][a-z-]{2,}", word)) and not is_small


def as_name(word: str) -> str:
    return _NAME.sub("_", word.lower()).strip("_")[:40] or "value"


def comes_from(example: Example, at: int, value: Any) -> str:
    """The tool whose answer, before a step, held a value; empty if none did."""
    text = as_word(value).casefold()
    if len(text) < 3:
        return ""
    for step in reversed(example.steps[:at]):
        if step.kind is StepKind.OBSERVATION and text in step.text.casefold():
            return step.tool or "an earlier step"
    return ""
