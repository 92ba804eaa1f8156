"""Ids that a machine made up: too random to be a word, a date, a path or a name."""

import re
from collections.abc import Iterator
from itertools import pairwise

_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_RUN = re.compile(r"[A-Za-z0-9]{10,}")
_STAMP = re.compile(r"(?:19|20)\d{6}(?:T?\d{4,6}Z?)?")  # a date, maybe with its time
_LEAST_DIGITS = 12  # of a number that is rather an id than an amount
_MOST = 4096


def random_ids(text: str) -> Iterator[str]:
    """Every id in a text, with the prefix that says what it is an id of."""
    yield from (match[0] for match in _UUID.finditer(text))
    for match in _RUN.finditer(text):
        if len(match[0]) <= _MOST and is_random(match[0]):
            yield _with_affixes(text, match.start(), match.end())


def is_random(run: str) -> bool:
    """Whether letters and digits without a break look like an id."""
    digits = sum(map(str.isdigit, run))
    if digits == 0 or _STAMP.fullmatch(run):
        return False
    if digits == len(run):
        return len(run) >= _LEAST_DIGITS
    between = sum(one.isdigit() != two.isdigit() for one, two in pairwise(run))
    if between >= 4 or (len(run) >= 16 and between >= 3):
        return True
    return len(run) >= 12 and _is_mixed(run)


def _is_mixed(run: str) -> bool:
    """Whether its cases change as no words joined in camel case would have them."""
    longest = max(map(len, re.findall(r"[a-z]+", run)), default=0)
    changes = sum(
        one.isupper() != two.isupper() for one, two in pairwise(run) if two.isalpha()
    )
    return longest <= 4 and changes / len(run) >= 0.4


def _with_affixes(text: str, start: int, end: int) -> str:
    """The id together with what is joined to it, such as the prefix of its kind."""
    while start > 0 and (text[start - 1] in "_+" or text[start - 1].isalnum()):
        start -= 1
    while end < len(text) and (text[end] in "_+" or text[end].isalnum()):
        end += 1
    return text[start:end]
