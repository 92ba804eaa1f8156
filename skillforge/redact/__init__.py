"""Take private values out of what was observed, before it is stored anywhere.

A value gets the same placeholder wherever it stands in an example (`<EMAIL_1>`), so
that what belongs together can still be seen. The owner of a clone may look up what was
taken; nobody else ever sees more than how many there were of each kind.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skillforge.redact import finding, people, secrets

PLACEHOLDER = re.compile(r"<([A-Z]+)_(\d+)>")
_SAME_IN_ANY_CASE = ("EMAIL", "NAME", "USER", "HOST")
_ESCAPED = re.compile(
    r"\\u00(2[013-9a-f]|3[0-9a-f]|4[0-9a-f]|5[0-9abd-f]|[67][0-9a-e])", re.I
)
_DEEPEST = 40
_MOST_PASSES = 10
Put = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Known:
    """What a library or a machine knows to be private, each with its kind."""

    patterns: tuple[tuple[str, re.Pattern[str]], ...] = ()

    @classmethod
    def of(cls, names: Mapping[str, Iterable[str]], ids: Iterable[str] = ()) -> "Known":
        """Names by kind, and patterns of ids."""
        by_name = [
            (kind, re.compile(_whole(name), re.IGNORECASE))
            for kind, some in names.items()
            for name in some
            if name
        ]
        return cls((*by_name, *(("ID", re.compile(it)) for it in ids)))

    def find(self, text: str) -> Iterator[finding.Private]:
        for kind, pattern in self.patterns:
            for match in pattern.finditer(text):
                if match[0]:
                    yield finding.Private(kind, match[0])


@dataclass(slots=True)
class Redaction:
    """What is taken from one example."""

    known: Known = field(default_factory=Known)
    taken: dict[str, str] = field(default_factory=dict)  # by placeholder
    _put: dict[str, str] = field(default_factory=dict)  # by value
    _same: dict[tuple[str, str], str] = field(default_factory=dict)
    _last: Counter[str] = field(default_factory=Counter)
    _hits: Counter[str] = field(default_factory=Counter)

    def __call__(self, value: Any) -> Any:
        """A JSON value without what is private, or shows to be once more is gone."""
        value = _mapped(value, sound)
        for _, text in _texts(value):
            self._reserve(text)
        for _ in range(_MOST_PASSES):
            known = len(self._put)
            self._learn(value)
            if len(self._put) == known:
                break
            value = self._cleaned(value)
        return value

    def _learn(self, value: Any) -> None:
        """Look for private values in the texts of a JSON value."""
        for key, text in _texts(value):
            for private in finding.by_key(key, text):
                self._take(*private)
            for private in self.known.find(text):
                self._take(*private)
            for whole, user in people.homes(text):
                put = self._placeholder("USER", user)
                self._put.setdefault(whole, whole[: -len(user)] + put)
                if not people.is_common(user):
                    self._put.setdefault(user, put)
            for private in finding.find(text):
                self._take(*private)

    def _cleaned(self, value: Any) -> Any:
        pattern = _any_of(self._put)
        return _mapped(value, lambda text: pattern.sub(self._replace, text))

    @property
    def counts(self) -> dict[str, int]:
        """How often something of each kind was taken out."""
        return dict(sorted(self._hits.items()))

    def _replace(self, match: re.Match[str]) -> str:
        put = self._put[match[0]]
        kind = PLACEHOLDER.search(put)
        self._hits[kind[1].lower() if kind else "other"] += 1
        return put

    def _reserve(self, text: str) -> None:
        """Placeholders that are there already keep their numbers to themselves."""
        if "_" in text and "<" in text:
            for kind, number in PLACEHOLDER.findall(text):
                self._last[kind] = max(self._last[kind], int(number[:9]))

    def _take(self, kind: str, value: str) -> None:
        if value not in self._put and not PLACEHOLDER.fullmatch(value):
            self._put[value] = self._placeholder(kind, value)

    def _placeholder(self, kind: str, value: str) -> str:
        same = value.casefold() if kind in _SAME_IN_ANY_CASE else value
        if (kind, same) not in self._same:
            self._last[kind] += 1
            put = f"<{kind}_{self._last[kind]}>"
            self._same[kind, same] = put
            self.taken[put] = value
        return self._same[kind, same]


def get_ready() -> None:
    """Load what the search for secrets needs, once, before there are many of us."""
    Redaction()("a text that is long enough to be looked at")


def remains(value: Any, known: Known) -> dict[str, int]:
    """How much of each kind a value still holds that should have been taken out."""
    redaction = Redaction(known)
    redaction(value)
    return redaction.counts


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Every text of a JSON value with the key that it stands under, keys too."""
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    while waiting:
        key, item, depth = waiting.pop()
        if isinstance(item, str):
            yield key, item
        elif depth > _DEEPEST:
            continue
        elif isinstance(item, Mapping):
            inner = list(item.items())[::-1]
            # What is in a field that holds a secret is one, however deep.
            is_secret = secrets.by_key(key, "anything-1")
            waiting += [(key if is_secret else str(k), v, depth + 1) for k, v in inner]
            waiting += [("", str(k), depth + 1) for k, _ in inner]
        elif isinstance(item, Sequence):
            waiting += [(key, it, depth + 1) for it in reversed(item)]
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield key, str(item)


def _mapped(value: Any, change: Put, depth: int = 0) -> Any:
    """A JSON value with its texts changed; what is nested too deep is dropped."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = str(value)
        changed = change(text)
        return value if changed == text and math.isfinite(value) else changed
    if isinstance(value, Mapping) and depth <= _DEEPEST:
        inner = value.items()
        return {change(str(k)): _mapped(it, change, depth + 1) for k, it in inner}
    if isinstance(value, Sequence) and depth <= _DEEPEST:
        return [_mapped(item, change, depth + 1) for item in value]
    return value if value is None or isinstance(value, bool) else None


def _any_of(values: Iterable[str]) -> re.Pattern[str]:
    """Any of these as a whole: the longest that fits, not a part of a longer word.

    Grouped by how they begin: there may be thousands.
    """
    groups: dict[str, list[str]] = {}
    for value in sorted(values, key=lambda it: (-len(it), it)):
        groups.setdefault(value[:2], []).append(value)
    either = (_either(start, group) for start, group in groups.items())
    return re.compile("|".join(either) or r"(?!)")


def _either(start: str, group: list[str]) -> str:
    rest = "|".join(f"{re.escape(it[2:])}{_end(it)}" for it in group)
    return f"{_begin(start)}{re.escape(start)}(?:{rest})"


def _whole(value: str) -> str:
    return f"{_begin(value)}{re.escape(value)}{_end(value)}"


def _begin(value: str) -> str:
    """A word does not begin in the middle of one; but after an escaped line break."""
    return r"(?:(?<![^\W_])|(?<=\\[nrt]))" if value[0].isalnum() else ""


def _end(value: str) -> str:
    return r"(?![^\W_])" if value[-1].isalnum() else ""


def sound(text: str) -> str:
    """A text that can be stored, without escapes that hide letters."""
    if "\\u00" in text:
        text = _ESCAPED.sub(lambda it: chr(int(it[1], 16)), text)
    return text.encode("utf-8", "replace").decode()
