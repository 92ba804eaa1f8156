"""Cards, bank accounts, network addresses and ids."""

import ipaddress
import re
from collections.abc import Iterator
from itertools import pairwise

from skillforge.redact.formats import CARD, IBAN, has_card_digits, has_iban_digits

_IBAN = re.compile(IBAN.pattern, re.IGNORECASE)
_CARD = re.compile(
    r"(?<![\w.])(?:\d{4}([ .\u00a0-]?)\d{4}\1\d{4}\1\d{4}|3[47]\d\d([ -]?)\d{6}\2\d{5}"
    r"|3[0689]\d\d([ -]?)\d{6}\3\d{4})(?!\w|[.-]\d)"
)
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d|-[A-Za-z])")
_CALLED = r"(?<=[A-Za-z]{2}:)"  # after a name, as in `addr:fe80::1`
_IPV6 = re.compile(
    rf"(?:(?<![\w:.])|{_CALLED})[0-9A-Fa-f:]{{2,39}}:[0-9A-Fa-f:.]{{1,39}}(?![\w])"
)
_MAC = re.compile(
    rf"(?:(?<![\w:-])|{_CALLED})(?:[0-9A-Fa-f]{{2}}[:-]){{5}}[0-9A-Fa-f]{{2}}(?![\w:-])"
)
_HARMLESS = ("127.", "0.0.0.0", "255.255.255")  # noqa: S104
_VERSION = re.compile(r"(?:\bv|version\s*|release\s*|==\s*)\Z", re.IGNORECASE)
_SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_JOINED = re.compile(r"[A-Za-z0-9_+]{10,}")  # with the prefix of an id
_BASE64 = re.compile(r"(?<![\w+/.])[A-Za-z0-9+][A-Za-z0-9+/]{35,}={0,2}(?![\w+/])")
_RUN = re.compile(r"[A-Za-z0-9]{10,}")
_PREFIXED = re.compile(r"[a-z]{2,8}_(?=[A-Za-z0-9]{12})")
_STAMP = re.compile(r"(?:19|20)\d{6}(?:T?\d{4,6}Z?)?")  # a date, maybe with its time
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")  # joined in camel case
_LEAST_DIGITS = 12  # of a number that is more likely an id than an amount


def ibans(text: str) -> Iterator[str]:
    """Bank accounts, by their check digits."""
    for match in _IBAN.finditer(text):
        if has_iban_digits(match[0]):
            yield match[0]
        elif shorter := _shorter_iban(match[0]):
            yield shorter


def _shorter_iban(text: str) -> str:
    """An account at the start of a text that continues with other words."""
    parts = text.split(" ")
    starts = (" ".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    return next(filter(has_iban_digits, starts), "")


def cards(text: str) -> Iterator[str]:
    """Payment cards, by their check digit."""
    for pattern in (CARD, _CARD):
        yield from (m[0] for m in pattern.finditer(text) if has_card_digits(m[0]))


def addresses(text: str) -> Iterator[str]:
    """Network addresses, except those that every machine has."""
    for match in _IPV4.finditer(text):
        is_version = _VERSION.search(text[max(0, match.start() - 12) : match.start()])
        if _is_address(match[0]) and not match[0].startswith(_HARMLESS):
            yield from () if is_version else (match[0],)
    if "::" in text or text.count(":") >= 7:
        for match in _IPV6.finditer(text):
            candidates = (match[0], match[0].rstrip(".:"))
            address = next(filter(_is_address, candidates), "")
            if address.strip(":1"):
                yield address
    yield from (match[0] for match in _MAC.finditer(text))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def ids(text: str) -> Iterator[str]:
    """Generated ids: too random to be a word, a date, a path or a name."""
    yield from (match[0] for match in _SSN.finditer(text))
    yield from (match[0] for match in _UUID.finditer(text))
    yield from (m[0] for m in _BASE64.finditer(text) if _is_encoded(m[0]))
    for match in _JOINED.finditer(text):
        runs = _RUN.findall(match[0])
        is_prefixed = _PREFIXED.match(match[0]) and any(map(_is_jumbled, runs))
        if is_prefixed or _is_unpronounceable(match[0]) or any(map(is_random, runs)):
            yield match[0]


def _is_encoded(text: str) -> bool:
    """Whether letters, digits and slashes are too mixed to be a path."""
    counts = [sum(map(kind, text)) for kind in (str.isupper, str.islower, str.isdigit)]
    return min(counts[:2]) >= 5 and counts[2] >= 1 and len(set(text)) >= 20


def is_random(run: str) -> bool:
    """Whether letters and digits without a break look like an id."""
    digits = sum(map(str.isdigit, run))
    if digits == 0:
        return _is_chopped(run)
    if _STAMP.fullmatch(run):
        return False
    if digits == len(run):
        return len(run) >= _LEAST_DIGITS
    between = sum(left.isdigit() != right.isdigit() for left, right in pairwise(run))
    if between >= 4 or (len(run) >= 16 and between >= 3):
        return True
    return (len(run) >= 12 and _is_mixed(run)) or _is_chopped(run)


def _is_chopped(run: str) -> bool:
    """Whether the words of a camel-case text would be too short for words."""
    if len(run) < 16 or run in (run.lower(), run.upper()):
        return False
    has_digit = any(map(str.isdigit, run))
    longest = 3.0 if has_digit and len(run) >= 20 else 2.6
    return len(run) / len(_WORDS.findall(run)) <= longest


def _is_mixed(run: str) -> bool:
    """Whether its case changes more often than in camel-case words."""
    longest = max(map(len, re.findall(r"[a-z]+", run)), default=0)
    return longest <= 4 and _changes(run) >= 0.4


def _is_jumbled(run: str) -> bool:
    """Whether letters of both cases are mixed with digits, or with each other."""
    upper, lower = sum(map(str.isupper, run)), sum(map(str.islower, run))
    has_digit = any(map(str.isdigit, run))
    return min(upper, lower) >= 3 and (has_digit or _changes(run) >= 0.35)


def _changes(run: str) -> float:
    """The share of letters whose case differs from the letter before."""
    cases = [
        left.isupper() != right.isupper()
        for left, right in pairwise(run)
        if right.isalpha()
    ]
    return sum(cases) / len(run)


def _is_unpronounceable(token: str) -> bool:
    """Whether several word-like parts of a long token have no vowel."""
    parts = re.findall(r"[A-Z]?[a-z]{2,}", token)
    mute = sum(not re.search(r"[aeiouyAEIOUY]", part) for part in parts)
    has_cases = bool(re.search(r"[a-z][A-Z]", token))
    return len(token) >= 16 and has_cases and mute >= 2
