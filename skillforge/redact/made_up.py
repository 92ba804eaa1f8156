"""Is a value random, as generated keys are, or made up by the author of an example?"""

import math
import re
from collections import Counter
from itertools import pairwise

_SAMPLE = re.compile(
    r"example|sample|placeholder|your|fake|dummy|change[-_]?me|replace|insert|redacted|"
    r"x{4}|\*{3}|\.{3}|lorem|deadbeef|cafebabe|foobar|abc123|123abc|0{6}|1{6}|"
    # The examples of RFC 4122 and of many manuals.
    r"550e8400-e29b|6ba7b81\d-9dad|123e4567-e89b|f47ac10b-58cc",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"secret|passw|p[a4@]ssw|api_?key|token|admin|qwert|asdf|letmein|hunter|correct|"
    r"test|demo|mock|todo|here",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[\W_]")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")  # words in camel case
_WORD = re.compile(r"[A-Z]?[a-z]{2,10}\d{0,2}|[A-Z]{2,10}\d{0,2}|v?\d{1,4}|\d\w")
_CAPITAL = re.compile(r"[A-Z](?=[a-z]*[aeiou])[a-z]{2,}")
# Letters that do not follow each other in words.
_UNSPEAKABLE = re.compile(
    r"[bcdfghjklmnpqrstvwxz]{4}|[jqxz][bcdfghjklmnpqrsvwxz]|[bcdfghjkmpvwxz][jqxz]",
    re.IGNORECASE,
)
_CODE = re.compile(r"[(){}<>\\\[\]]|^\$|^%\w+%$")
_REPEATED = re.compile(r"(.{5,})\1")
_LONG = 16  # characters of a part that is a key by itself
_LEAST_BITS = 2.9  # of entropy for each character; hexadecimal keys have 3 to 3.8


def is_made_up(value: str) -> bool:
    """Whether a value is an example: a word, a series, or few different characters."""
    longest = max(_SIGN.split(value), key=len)  # the prefix of a key may be a word
    rest = longest if len(longest) >= _LONG else value
    if _SAMPLE.search(value) or _WORDS.search(rest) or _REPEATED.search(value):
        return True
    return _bits(value) < _LEAST_BITS or _is_series(value)


def is_random(value: str) -> bool:
    """Whether letters and digits are mixed as a generator mixes them."""
    letters = _SIGN.sub("", value)
    pieces = len(_PIECE.findall(letters))
    if any(map(str.isdigit, letters)):
        least, longest = 12, 5.5 if _UNSPEAKABLE.search(letters) else 3.5
    else:
        least, longest = 20, 2.3
    is_mixed = (
        len(letters) >= least and pieces >= 4 and len(letters) / pieces <= longest
    )
    return is_mixed and not _has_words(value) and not is_made_up(value)


def is_generated(password: str) -> bool:
    """Whether a password mixes three kinds of characters, and contains no word."""
    kinds = {_kind(letter) for letter in password}
    is_code = _CODE.search(password) is not None
    return len(kinds) >= 3 and not is_code and is_random(password)


def _kind(letter: str) -> str:
    if letter.isdigit():
        return "digit"
    return "upper" if letter.isupper() else "lower" if letter.isalpha() else "sign"


def _has_words(value: str) -> bool:
    """Whether most of it are words: `gpt-4o-mini-2024-07-18`, `ApiToken2`."""
    parts = [part for part in _SIGN.split(value) if part]
    size = sum(map(len, parts))
    words = sum(len(part) for part in parts if _WORD.fullmatch(part))
    capital = sum(map(len, _CAPITAL.findall(value)))
    return (len(parts) > 1 and words * 2 >= size) or capital > size * 0.6


def _bits(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _is_series(value: str) -> bool:
    """Whether letters or digits count up, as in `a1b2c3d4` and `12345`."""
    lower = value.lower()
    if _share(lower, (-1, 0, 1)) > 0.45:
        return True
    parts = (re.sub(r"\D", "", lower), re.sub(r"[^a-z]", "", lower))
    return any(_share(part, (1, -9)) > 0.6 for part in parts if len(part) >= 5)


def _share(text: str, steps: tuple[int, ...]) -> float:
    """The share of characters that follow the one before by such a step."""
    count = sum(ord(right) - ord(left) in steps for left, right in pairwise(text))
    return count / max(len(text) - 1, 1)
