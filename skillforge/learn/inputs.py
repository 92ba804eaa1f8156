"""The inputs of a skill: the values that vary between examples of one intent."""

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
_QUANTITY = re.compile(r"\d{1,2}\s?[a-z]{1,8}")  # 24h, 7 days
_PLAIN = re.compile(r"[a-z][a-z'-]*(?: [a-z][a-z'-]*){0,5}")
_BY_PREPOSITION = {
    "from": "start",
    "to": "target",
    "in": "place",
    "at": "place",
    "by": "method",
}
_NO_NAME = re.compile(r"[^a-z0-9]+")
_VALID_NAME = re.compile(r"[A-Za-z][\w.-]{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Input:
    """A value that differs between runs."""

    name: str
    values: Mapping[int, Any]  # by the index of the example
    is_declared: bool = False  # named as an input by the examples

    @property
    def texts(self) -> list[str]:
        return [as_text(value) for value in self.values.values()]

    @property
    def type(self) -> str:
        return type_of(list(self.values.values())) if self.values else self.name

    @property
    def default(self) -> str | None:
        """The value of more than half of the examples, if more than one has it."""
        if not self.values:
            return None
        value, count = Counter(self.texts).most_common(1)[0]
        return value if count > 1 and count * 2 > len(self.texts) else None

    @property
    def examples(self) -> list[str]:
        """Every distinct value, the most frequent first."""
        return [value for value, _ in Counter(self.texts).most_common()]

    def shown(self, most: int = 3) -> list[str]:
        """Values that a skill may contain, as they are not specific to one run."""
        values = list(self.values.values())
        if self.type == "list":
            values = [item for value in values for item in value]
        frequent = Counter(map(as_text, values)).most_common()
        return [v for v, n in frequent if is_generic(v, n, self.is_declared)][:most]


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def is_generic(text: str, count: int, is_declared: bool = False) -> bool:
    """Whether a value is not a name, id, date or amount of a single run."""
    if len(text) > 60 or "<" in text:
        return False
    if _PLAIN.fullmatch(text) or _QUANTITY.fullmatch(text):
        return count > 1 or is_declared
    is_short = re.fullmatch(r"\d{1,3}|[^\w\s`]{1,3}|[A-Z]\d", text) is not None
    return count > 1 and is_short


def type_of(values: Sequence[Any]) -> str:
    """The type that fits all values."""
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    if all(isinstance(value, list) for value in values):
        return "list"
    if all(isinstance(value, Mapping) for value in values):
        return "object"
    texts = [as_text(value) for value in values]
    for name, pattern in _TYPES:
        if all(pattern.fullmatch(text) for text in texts):
            return name
    return "text"


def find_inputs(examples: Sequence[Example]) -> tuple[list[Input], TaskTemplate]:
    """The inputs that examples declare, and what else varies in their tasks."""
    tasks = template([example.task for example in examples])
    inputs = _declared(examples)
    for slot in tasks.slots:
        if not any(_vary_together(known.values, slot.values) for known in inputs):
            before, after = tasks.shared[: slot.place], tasks.shared[slot.place :]
            name = _name_of(list(slot.values.values()), before, after)
            inputs.append(Input(unused_name(name, inputs), slot.values))
    return inputs, tasks


def _declared(examples: Sequence[Example]) -> list[Input]:
    """Inputs that at least half of the examples name."""
    counts = Counter(name for example in examples for name in example.inputs)
    inputs: list[Input] = []
    for name in (name for name, count in counts.items() if count * 2 >= len(examples)):
        values = {
            at: example.inputs[name]
            for at, example in enumerate(examples)
            if name in example.inputs
        }
        valid = name if _VALID_NAME.fullmatch(name) else as_name(name)
        inputs.append(Input(unused_name(valid, inputs), values, is_declared=True))
    return inputs


def _vary_together(known: Mapping[int, Any], other: Mapping[int, Any]) -> bool:
    """Whether the values of one are equal to, or part of, those of the other."""
    both = known.keys() & other.keys()
    if not both:
        return False
    alike = sum(_is_in(as_text(other[at]), as_text(known[at])) for at in both)
    return alike * 2 > len(both)


def _is_in(text: str, whole: str) -> bool:
    words = (" ".join(re.findall(r"\w+", phrase.lower())) for phrase in (text, whole))
    short, long = sorted(words, key=len)
    return bool(short) and f" {short} " in f" {long} " and len(short) * 2 >= len(long)


def have_same_values(known: Mapping[int, Any], other: Mapping[int, Any]) -> bool:
    """Whether two have mostly the same values."""
    both = known.keys() & other.keys()
    same = sum(as_text(known[at]) == as_text(other[at]) for at in both)
    return bool(both) and same * 2 > len(both)


def unused_name(name: str, known: Sequence[Input]) -> str:
    """The name, with a number if another input has it."""
    used = {field.name for field in known}
    names = (name, *(f"{name}_{number}" for number in range(2, len(used) + 3)))
    return next(name for name in names if name not in used)


def _name_of(values: list[str], before: list[str], after: list[str]) -> str:
    """A name for a slot in a sentence, from its values and the words around it."""
    kind = type_of(values)
    left, right = before[-1] if before else "", after[0] if after else ""
    if kind in ("date", "year", "url", "email", "path"):
        return kind
    if kind in ("integer", "number"):
        return as_name(right) if _is_noun(right) else "number"
    if _is_noun(right) and not _is_noun(left) and left not in _BY_PREPOSITION:
        return as_name(right)
    if left in _BY_PREPOSITION:
        return _BY_PREPOSITION[left]
    nouns = [word for word in reversed(before) if _is_noun(word)]
    return as_name(nouns[0]) if nouns else "subject"


def _is_noun(word: str) -> bool:
    is_small = is_small_word(word) or word in _BY_PREPOSITION
    return bool(re.fullmatch(r"[a-z][a-z-]{2,}", word)) and not is_small


def as_name(word: str) -> str:
    return _NO_NAME.sub("_", word.lower()).strip("_")[:40] or "value"


def source_tool(example: Example, at: int, value: Any) -> str:
    """The last tool before a step whose answer contained a value; empty if none."""
    text = as_text(value).casefold()
    if len(text) < 3:
        return ""
    for step in reversed(example.steps[:at]):
        if step.kind is StepKind.OBSERVATION and text in step.text.casefold():
            return step.tool or "an earlier step"
    return ""
