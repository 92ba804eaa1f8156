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
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

from skillforge.redact import detect, fields, people, secrets, text_fields
from skillforge.redact.decoded_views import Edit, apart, plain, replaced, views
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
    """Where a text stands in a JSON value: under which key, and what that holds."""

    key: str
    kind: str


NO_FIELD = FieldContext("", "")
Change: TypeAlias = Callable[[str, FieldContext], str]


@dataclass(frozen=True, slots=True)
class KnownPrivate:
    """What a library or a machine knows to be private, each with its kind."""

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
        return cls((*by_name, *(("ID", re.compile(it)) for it in ids)))

    def find(self, text: str) -> Iterator[detect.PrivateValue]:
        for kind, pattern in self.patterns:
            for match in pattern.finditer(text):
                if match[0]:
                    yield detect.PrivateValue(kind, match[0])


@dataclass(slots=True)
class Redaction:
    """What is taken from one example."""

    known: KnownPrivate = field(default_factory=KnownPrivate)
    taken: dict[str, str] = field(default_factory=dict)  # by placeholder
    _put: dict[str, str] = field(default_factory=dict)  # by value
    _same: dict[tuple[str, str], str] = field(default_factory=dict)
    _last: Counter[str] = field(default_factory=Counter)
    _hits: Counter[str] = field(default_factory=Counter)
    _has_found: bool = False
    _has_changed: bool = False

    def __call__(self, value: Any) -> Any:
        """A JSON value without what is private, or shows to be once more is gone."""
        value = _mapped(value, lambda text, _field: sound(text))
        _mapped(value, self._reserve)
        for _ in range(_MOST_PASSES):
            # What was next to a value may be one itself, now that the value is gone.
            self._has_found = self._has_changed = False
            _mapped(value, self._learn)
            if self._has_found:
                pattern = any_of(self._put)
                value = _mapped(value, partial(self._clean, pattern))
            if not self._has_changed:
                break
        return value

    def _learn(self, text: str, field: FieldContext) -> str:
        """Look for private values in a text, and in what its field says of it."""
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
        """Take a field's value, wherever else it stands if it is no word of others."""
        self._has_found = True
        is_own = fields.is_distinctive(kind, value)
        if kind == "NAME":
            is_own = not people.is_common(value)
            parts = value.replace(",", " ").split() if " " in value else ()
            for part in parts:
                if part[0].isupper() and len(part) > 2 and not people.is_common(part):
                    self._take(kind, part)
        if is_own:
            self._take(kind, value)

    def _clean(self, pattern: re.Pattern[str], text: str, field: FieldContext) -> str:
        """A text without what is private in it, or in a plainer copy of it."""
        edits: list[Edit] = []
        for view in views(text):
            edits += (
                Edit(*view.span(*match.span()), self._put[match[0]])
                for match in pattern.finditer(view.text)
            )
            for start, end, kind in _spans(view.text, field):
                put = self._placeholder(kind, view.text[start:end])
                edits.append(Edit(*view.span(start, end), put))
        applied = list(apart(sorted(edits, key=_by_place)))
        self._has_changed |= bool(applied)
        for edit in applied:
            placeholder = PLACEHOLDER.search(edit.put)
            self._hits[placeholder[1].lower() if placeholder else "other"] += 1
        return replaced(text, applied)

    @property
    def counts(self) -> dict[str, int]:
        """How often something of each kind was taken out."""
        return dict(sorted(self._hits.items()))

    def _reserve(self, text: str, _field: FieldContext) -> str:
        """Placeholders that are there already keep their numbers to themselves."""
        if "_" in text and "<" in text:
            for kind, number in PLACEHOLDER.findall(text):
                self._last[kind] = max(self._last[kind], int(number[:9]))
        return text

    def _take(self, kind: str, value: str) -> None:
        if value in self._put:
            self._has_found = True
        elif not PLACEHOLDER.fullmatch(value):
            self._replace_by(value, self._placeholder(kind, value))

    def _replace_by(self, value: str, put: str) -> None:
        self._has_found = True
        self._put.setdefault(value, put)

    def _placeholder(self, kind: str, value: str) -> str:
        same = value.casefold() if kind in _SAME_IN_ANY_CASE else value
        if (kind, same) not in self._same:
            self._last[kind] += 1
            put = f"<{kind}_{self._last[kind]}>"
            self._same[kind, same] = put
            self.taken[put] = value
        return self._same[kind, same]


def warm_up() -> None:
    """Load what the search for secrets needs, once, before there are many of us."""
    Redaction()("a text that is long enough to be looked at")


def remains(value: Any, known: KnownPrivate) -> dict[str, int]:
    """How much of each kind a value still holds that should have been taken out."""
    redaction = Redaction(known)
    redaction(value)
    return redaction.counts


class LocatedPrivate(NamedTuple):
    """A private value of some kind, and where it is in a text."""

    kind: str
    start: int
    end: int


def locate(
    text: str, known: KnownPrivate, kinds: Iterable[str]
) -> list[LocatedPrivate]:
    """Where a text has known values, or some of these kinds; however it hides them."""
    found: dict[tuple[int, int], str] = {}
    for view in views(text):
        private = [it for it in detect.find(view.text) if it.kind in kinds]
        values = {it.value: it.kind for it in private}
        values |= {it.value: it.kind for it in known.find(view.text)}
        for match in any_of(values).finditer(view.text):
            found.setdefault(view.span(*match.span()), values[match[0]])
    edits = sorted((Edit(*span, kind) for span, kind in found.items()), key=_by_place)
    return [LocatedPrivate(kind, start, end) for start, end, kind in apart(edits)]


def _by_place(edit: Edit) -> tuple[int, int]:
    return edit.start, -edit.end


def _spans(text: str, field: FieldContext) -> Sequence[text_fields.FieldSpan]:
    """The values of fields in a text; all of it, if its own field says so."""
    if field.kind and fields.is_value(field.kind, text):
        return (text_fields.FieldSpan(0, len(text), fields.label_of(field.kind)),)
    return text_fields.find(text)


def _mapped(
    value: Any, change: Change, field: FieldContext = NO_FIELD, depth: int = 0
) -> Any:
    """A JSON value with its texts changed; what is nested too deep is dropped."""
    if isinstance(value, str):
        return change(value, field)
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = str(value)
        changed = change(text, field)
        return value if changed == text and math.isfinite(value) else changed
    if isinstance(value, Mapping) and depth <= _DEEPEST:
        own_fields = _labelled(value) or _inner(field.key, tuple(value))
        inner = zip(value.items(), own_fields, strict=True)
        return {
            change(str(key), NO_FIELD): _mapped(item, change, own, depth + 1)
            for (key, item), own in inner
        }
    if isinstance(value, Sequence) and depth <= _DEEPEST:
        return [_mapped(item, change, field, depth + 1) for item in value]
    return value if value is None or isinstance(value, bool) else None


def _labelled(value: Mapping[Any, Any]) -> tuple[FieldContext, ...]:
    """The fields of `{"name": "first_name", "value": "Ada"}`; none, if it is none."""
    if not 2 <= len(value) <= _MOST_LABELS or _VALUED.isdisjoint(value):
        return ()
    names = (value.get(key) for key in _LABELS)
    name = next((it for it in names if isinstance(it, str) and len(it) <= 60), "")
    kind = fields.in_company(fields.kind_of(name), is_person=False)
    is_secret = secrets.by_key(name, "anything-1")
    if not kind and not is_secret:
        return ()
    own = FieldContext(name if is_secret else "", kind)
    return tuple(own if key in _VALUED else NO_FIELD for key in value)


@lru_cache(maxsize=1024)
def _inner(outer: str, keys: tuple[Any, ...]) -> tuple[FieldContext, ...]:
    """What the fields of an object hold, which is itself in a field."""
    names = [plain(str(key)) for key in keys]
    # What is in a field that holds a secret is one, however deep.
    is_secret = secrets.by_key(outer, "anything-1")
    kinds = fields.kinds_of(names, fields.kind_of(outer))
    return tuple(
        FieldContext(outer if is_secret else name, kind)
        for name, kind in zip(names, kinds, strict=True)
    )


def sound(text: str) -> str:
    """A text that can be stored, without escapes that hide letters."""
    if "\\u00" in text:
        text = _ESCAPED.sub(lambda it: chr(int(it[1], 16)), text)
    return text.encode("utf-8", "replace").decode()
