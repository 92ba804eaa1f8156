"""Replace private values with placeholders before anything is stored.

A value gets the same placeholder everywhere in an example (`<EMAIL_1>`), so that a
reader can see which values are equal. Only the owner of a clone can look up the values;
others see how many there were of each kind.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

from skillforge.redact import detect, fields, people, secrets, text_fields
from skillforge.redact.decoded_views import (
    Edit,
    plain,
    replaced,
    views,
    without_overlaps,
)
from skillforge.redact.matcher import any_of, whole

PLACEHOLDER = re.compile(r"<([A-Z]+)_(\d+)>")
_SAME_IN_ANY_CASE = ("EMAIL", "NAME", "USER", "HOST")
_ESCAPED = re.compile(
    r"\\u00(2[013-9a-f]|3[0-9a-f]|4[0-9a-f]|5[0-9abd-f]|[67][0-9a-e])", re.I
)
_DEEPEST = 40
_MOST_PASSES = 10
_LABELS = (
    "name", "key", "field", "label", "id", "attribute", "column", "question", "element",
    "selector", "locator",
)  # fmt: skip
_VALUED = frozenset(("value", "answer", "text", "content", "val"))
_MOST_LABELS = 8  # keys of an object that names a field, and its value


class FieldContext(NamedTuple):
    """The key of a text in a JSON value, and the kind of private value it announces."""

    key: str
    kind: str


NO_FIELD = FieldContext("", "")
Change: TypeAlias = Callable[[str, FieldContext], str]


@dataclass(frozen=True, slots=True)
class KnownPrivate:
    """Values that a library or a machine declares private, with their kinds."""

    patterns: tuple[tuple[str, re.Pattern[str]], ...] = ()

    @classmethod
    def of(
        cls, names: Mapping[str, Iterable[str]], ids: Iterable[str] = ()
    ) -> "KnownPrivate":
        """Names by kind, and patterns of ids."""
        by_name = [
            (kind, re.compile(whole(name), re.IGNORECASE))
            for kind, some in names.items()
            for name in some
            if name
        ]
        return cls((*by_name, *(("ID", re.compile(pattern)) for pattern in ids)))

    def find(self, text: str) -> Iterator[detect.PrivateValue]:
        for kind, pattern in self.patterns:
            for match in pattern.finditer(text):
                if match[0]:
                    yield detect.PrivateValue(kind, match[0])


@dataclass(slots=True)
class Redaction:
    """The redaction of one example; `taken` holds the values by placeholder."""

    known: KnownPrivate = field(default_factory=KnownPrivate)
    taken: dict[str, str] = field(default_factory=dict)  # by placeholder
    _placeholders: dict[str, str] = field(default_factory=dict)  # by value
    _same: dict[tuple[str, str], str] = field(default_factory=dict)
    _last: Counter[str] = field(default_factory=Counter)
    _hits: Counter[str] = field(default_factory=Counter)
    _has_found: bool = False
    _has_changed: bool = False

    def __call__(self, value: Any) -> Any:
        """A JSON value without private values; repeated until no more are found."""
        value = _mapped(value, lambda text, _field: storable(text))
        _mapped(value, self._reserve)
        for _ in range(_MOST_PASSES):
            # A removed value may have hidden another one next to it.
            self._has_found = self._has_changed = False
            _mapped(value, self._learn)
            if self._has_found:
                pattern = any_of(self._placeholders)
                value = _mapped(value, partial(self._clean, pattern))
            if not self._has_changed:
                break
        return value

    def _learn(self, text: str, field: FieldContext) -> str:
        """Detect private values in a text, by its content and by its field."""
        for private in detect.by_key(field.key, text):
            self._take(*private)
        for view in views(text):
            self._learn_from(view.text, field)
        return text

    def _learn_from(self, text: str, field: FieldContext) -> None:
        for private in self.known.find(text):
            self._take(*private)
        for home, user in people.homes(text):
            put = self._placeholder("USER", user)
            self._replace_by(home, home[: -len(user)] + put)
            if not people.is_common(user):
                self._replace_by(user, put)
        for private in detect.find(text):
            self._take(*private)
        for span in _spans(text, field):
            self._take_field(span.kind, text[span.start : span.end])

    def _take_field(self, kind: str, value: str) -> None:
        """Take a field's value; elsewhere too if it is not a common word."""
        self._has_found = True
        is_distinctive = fields.is_distinctive(kind, value)
        if kind == "NAME":
            is_distinctive = not people.is_common(value)
            parts = value.replace(",", " ").split() if " " in value else ()
            for part in parts:
                if part[0].isupper() and len(part) > 2 and not people.is_common(part):
                    self._take(kind, part)
        if is_distinctive:
            self._take(kind, value)

    def _clean(self, pattern: re.Pattern[str], text: str, field: FieldContext) -> str:
        """A text without the private values in it and in its decoded copies."""
        edits: list[Edit] = []
        for view in views(text):
            edits += (
                Edit(*view.span(*match.span()), self._placeholders[match[0]])
                for match in pattern.finditer(view.text)
            )
            for start, end, kind in _spans(view.text, field):
                put = self._placeholder(kind, view.text[start:end])
                edits.append(Edit(*view.span(start, end), put))
        applied = list(without_overlaps(edits))
        self._has_changed |= bool(applied)
        for edit in applied:
            placeholder = PLACEHOLDER.search(edit.put)
            self._hits[placeholder[1].lower() if placeholder else "other"] += 1
        return replaced(text, applied)

    @property
    def counts(self) -> dict[str, int]:
        """The number of replacements of each kind."""
        return dict(sorted(self._hits.items()))

    def _reserve(self, text: str, _field: FieldContext) -> str:
        """Reserve the numbers of placeholders that the text already has."""
        if "_" in text and "<" in text:
            for kind, number in PLACEHOLDER.findall(text):
                self._last[kind] = max(self._last[kind], int(number[:9]))
        return text

    def _take(self, kind: str, value: str) -> None:
        if value in self._placeholders:
            self._has_found = True
        elif not PLACEHOLDER.fullmatch(value):
            self._replace_by(value, self._placeholder(kind, value))

    def _replace_by(self, value: str, put: str) -> None:
        self._has_found = True
        self._placeholders.setdefault(value, put)

    def _placeholder(self, kind: str, value: str) -> str:
        same = value.casefold() if kind in _SAME_IN_ANY_CASE else value
        if (kind, same) not in self._same:
            self._last[kind] += 1
            put = f"<{kind}_{self._last[kind]}>"
            self._same[kind, same] = put
            self.taken[put] = value
        return self._same[kind, same]


def warm_up() -> None:
    """Load the detectors before worker processes start."""
    Redaction()("a text that is long enough to be searched")


def remains(value: Any, known: KnownPrivate) -> dict[str, int]:
    """The number of private values of each kind that a value still contains."""
    redaction = Redaction(known)
    redaction(value)
    return redaction.counts


class LocatedPrivate(NamedTuple):
    """The kind of a private value, and its place in a text."""

    kind: str
    start: int
    end: int


def locate(
    text: str, known: KnownPrivate, kinds: Iterable[str]
) -> list[LocatedPrivate]:
    """The places of known values and values of some kinds, even if they are encoded."""
    by_span: dict[tuple[int, int], str] = {}
    for view in views(text):
        private = [span for span in detect.find(view.text) if span.kind in kinds]
        values = {value: kind for kind, value in private}
        values |= {value: kind for kind, value in known.find(view.text)}
        for match in any_of(values).finditer(view.text):
            by_span.setdefault(view.span(*match.span()), values[match[0]])
    edits = [Edit(*span, kind) for span, kind in by_span.items()]
    return [
        LocatedPrivate(edit.put, edit.start, edit.end)
        for edit in without_overlaps(edits)
    ]


def _spans(text: str, field: FieldContext) -> Sequence[text_fields.FieldSpan]:
    """The values of fields in a text; all of it if its own field announces a value."""
    if field.kind and fields.is_value(field.kind, text):
        return (text_fields.FieldSpan(0, len(text), fields.label_of(field.kind)),)
    return text_fields.find(text)


def _mapped(
    value: Any, change: Change, field: FieldContext = NO_FIELD, depth: int = 0
) -> Any:
    """A JSON value with its texts changed; what is nested too deeply is dropped."""
    if isinstance(value, str):
        return change(value, field)
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = str(value)
        changed = change(text, field)
        return value if changed == text and math.isfinite(value) else changed
    if isinstance(value, Mapping) and depth <= _DEEPEST:
        contexts = _labelled(value) or _inner(field.key, tuple(value))
        inner = zip(value.items(), contexts, strict=True)
        return {
            change(str(key), NO_FIELD): _mapped(item, change, context, depth + 1)
            for (key, item), context in inner
        }
    if isinstance(value, Sequence) and depth <= _DEEPEST:
        return [_mapped(item, change, field, depth + 1) for item in value]
    return value if value is None or isinstance(value, bool) else None


def _labelled(value: Mapping[Any, Any]) -> tuple[FieldContext, ...]:
    """The fields of an object like `{"name": "first_name", "value": "Ada"}`, if so."""
    if not 2 <= len(value) <= _MOST_LABELS or _VALUED.isdisjoint(value):
        return ()
    names = (value.get(key) for key in _LABELS)
    texts = (name for name in names if isinstance(name, str))
    name = next((text for text in texts if len(text) <= 60), "")
    kind = fields.in_context(fields.kind_of(name), is_person=False)
    is_secret = secrets.by_key(name, "anything-1")
    if not kind and not is_secret:
        return ()
    own = FieldContext(name if is_secret else "", kind)
    return tuple(own if key in _VALUED else NO_FIELD for key in value)


@lru_cache(maxsize=1024)
def _inner(outer: str, keys: tuple[Any, ...]) -> tuple[FieldContext, ...]:
    """The contexts of an object's fields, given the object's own field."""
    names = [plain(str(key)) for key in keys]
    # Everything inside a secret field is secret, at any depth.
    is_secret = secrets.by_key(outer, "anything-1")
    kinds = fields.kinds_of(names, fields.kind_of(outer))
    return tuple(
        FieldContext(outer if is_secret else name, kind)
        for name, kind in zip(names, kinds, strict=True)
    )


def storable(text: str) -> str:
    """A text that can be stored, with escaped ASCII characters decoded."""
    if "\\u00" in text:
        text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return text.encode("utf-8", "replace").decode()
