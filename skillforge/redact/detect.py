"""Detect private values in a text, by kind, the most certain first."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from skillforge.redact import numbers, people, phrases, secrets, wrapped_tokens

Needs = Callable[[str], bool]
Finder = Callable[[str], Iterator[str]]
# An escaped line break of JSON in JSON is not part of a word.
_BREAK = re.compile(r"\\[nrt]")


class PrivateValue(NamedTuple):
    """A private value, and its kind."""

    kind: str
    value: str


@lru_cache(maxsize=2048)
def find(text: str) -> tuple[PrivateValue, ...]:
    """The private values in a text; cached, as texts recur."""
    values = list(_find(text))
    if _BREAK.search(text):
        values += _find(_BREAK.sub("  ", text))
    return tuple(values)


def _find(text: str) -> Iterator[PrivateValue]:
    for kind, needs, finder in _FINDERS:
        if needs(text):
            for value in finder(text):
                yield PrivateValue(kind, value)


def by_key(key: str, text: str) -> Iterator[PrivateValue]:
    """The private value that a field's name announces, if any."""
    if secrets.by_key(key, text):
        yield PrivateValue("SECRET", text)
    elif kind := people.by_key(key, text):
        yield PrivateValue(kind, text)


def _holds(word: str) -> Needs:
    return lambda text: word in text


def _has(pattern: str) -> Needs:
    search = re.compile(pattern, re.IGNORECASE).search
    return lambda text: search(text) is not None


_FINDERS: tuple[tuple[str, Needs, Finder], ...] = (
    ("SECRET", _holds("PRIVATE KEY"), secrets.keys),
    ("SECRET", _has(r"[\w./+-]{16}"), secrets.tokens),
    ("SECRET", wrapped_tokens.is_broken, wrapped_tokens.tokens),
    ("CREDENTIALS", _holds("://"), secrets.logins),
    ("CREDENTIALS", _has(r":(?:543\d|6432|\*):"), secrets.pgpass_logins),
    (
        "SECRET",
        _has(secrets.NEEDED),
        secrets.named,
    ),
    (
        "SECRET",
        _has(
            rf"{secrets.NEEDED}|creds|login|phrase|daten|identif|curl|sudo|sql|oracle|[?&]s|-[aw]"
        ),
        phrases.find,
    ),
    ("EMAIL", _has("@|%40"), people.emails),
    ("IBAN", _has(r"\d{3}"), numbers.ibans),
    ("CARD", _has(r"\d{3}"), numbers.cards),
    ("PHONE", _has(r"\d\d"), people.phones),
    ("IP", _has(r"\d\.\d|:"), numbers.addresses),
    ("USER", _has(r"@|user|login|logname|home"), people.users),
    ("HOST", _has(r"[@.]|host"), people.hosts),
    ("NAME", _holds("<"), people.names),
    ("ID", _has(r"\d|_[a-z0-9]{12}|[a-z]{16}"), numbers.ids),
)
