"""Find private values in a text, by kind."""

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from skillforge.redact.random import random_ids
from skillforge.redact.signs import (
    CARD,
    EMAIL,
    HOME,
    IBAN,
    TOKEN_PATTERNS,
    has_card_digits,
    has_iban_digits,
)

_TELLING_WORD = (
    r"(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|"
    r"private[_-]?key|auth(?:orization)?[_-]?(?:key|token)|client[_-]?secret|"
    r"credentials?|session[_-]?(?:key|token)|bearer)"
)
IS_SECRET_NAME = re.compile(rf"(?:^|[_\W]|[a-z](?=[A-Z])){_TELLING_WORD}s?$", re.I)
# A value after the name of a secret: in quotes whatever it is, else if no plain word.
_ASSIGNED = re.compile(
    rf"""{_TELLING_WORD}[\w-]{{0,20}}(?:\\?["'])?\s{{0,3}}(?:=>|:=|[=:]|\bis\b)\s{{0,3}}(?:
    \\?(?P<quote>["'`])(?P<quoted>[^"'`\s\\][^"'`\n\\]{{3,200}})\\?(?P=quote)
    |(?P<bare>[^\s"'`,;(){{}}\[\]<>\\]{{6,200}}))""",
    re.IGNORECASE | re.VERBOSE,
)
_OPTION = re.compile(
    r"(?<!\S)--?(?:password|passwd|pass|token|secret|api-key|auth-token)[ =]"
    r"[\"']?([^\s\"'<>$]{4,200})",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"(?<!\S)(?:-u|--user)[ =][\"']?([^\s:\"'<>$]{1,64}:[^\s\"'<>]{3,})"
)
_HEADER = re.compile(r"\b(?:Bearer|Basic|Token)\s+([A-Za-z0-9._~+/=-]{8,})", re.I)
_PEM = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----.{0,20000}?"
    r"(?:-----END [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----|\Z)",
    re.DOTALL,
)
_NO_VALUE = re.compile(
    r"[$%{<\[*]|\.{3}|(?:os|process|env|settings|config|self|args|request)\.|[x*]+$"
    r"|(?:none|null|true|false|undefined|required|optional|string|str|int|bool)\b",
    re.IGNORECASE,
)
_URL_LOGIN = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://([^\s/@:<>\"']{0,64}:[^\s/@<>\"']{1,128})@",
    re.IGNORECASE,
)
_PHONE = re.compile(
    r"""(?<![\w.+/-])(?:
    \+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}
    |(?:1[ .-])?\(\d{3}\)[ .-]?\d{3}[ .-]?\d{4}
    |(?:1[.-])?\d{3}-\d{3}-\d{4}|\d{3}\.\d{3}\.\d{4}|\d{3}[ ]\d{3}[ ]\d{4}
    |0\d{2,4}[ /-]\d{5,8}|0\d{2,4}(?:[ -]\d{3,4}){2}
    )(?![\w-]|\.\d)""",
    re.VERBOSE,
)
_PHONE_NAMED = re.compile(
    r"\b(?:phone|tel|mobile|cell|fax|whatsapp|call)[^\n\d+(<]{0,15}"
    r"(\+?\(?\d[\d() .-]{5,16}\d)(?!\w)",
    re.IGNORECASE,
)
_REST = re.compile(r"[\w-]+")
_IPV4 = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{2,39}:[0-9A-Fa-f:.]{1,39}(?![\w:])")
_MAC = re.compile(r"(?<![\w:-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![\w:-])")
_SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_HARMLESS_IP = ("127.", "0.0.0.0", "255.255.255", "::1")  # noqa: S104
_PROMPT = re.compile(
    r"(?<![\w.+/-])(?!git@)([a-z_][\w-]{1,31})@([A-Za-z][\w-]{1,62})(?![\w.-]|@)"
)
_INNER_HOST = re.compile(
    r"(?<![\w.@-])(?:[a-z0-9][\w-]{0,62}\.)+"
    r"(?:internal|local|lan|corp|intra|intranet|localdomain)(?![\w-]|\.\w)",
    re.IGNORECASE,
)
_KEYED = re.compile(
    r"""["']?\b(?P<key>user_?name|user_?id|login|hostname|host_?name|first_?name|last_?name|
    full_?name|sur_?name|given_?name|family_?name)["']?\s{0,2}[:=]\s{0,2}
    (?:["'](?P<quoted>[^"'\n\\<>{}$]{2,64})["']|(?P<bare>[\w.-]{2,64})(?!\S{0,80}[({]))""",
    re.IGNORECASE | re.VERBOSE,
)
_COMMON = re.compile(
    r"(?:root|users?1?|admin1?|ubuntu|runner|tests?|guest|me|you|home|app|node|build|shared|"
    r"default|public|nobody|www|vagrant|jenkins|localhost|host|server|example|demo|dev|"
    r"prod|none|null|true|false|string|name|username|login|self|git|sudo|int|str|id|"
    r"required|optional|the|and|for|with|any|all)",
    re.IGNORECASE,
)


class Private(NamedTuple):
    """A value that is nobody else's business, and of what kind it is."""

    kind: str
    value: str


def find(text: str) -> Iterator[Private]:
    """Private values in a text, what is most certain first."""
    for kind, needs, finder in _FINDERS:
        if needs(text):
            for value in finder(text):
                yield Private(kind, value)


def homes(text: str) -> Iterator[tuple[str, str]]:
    """Home folders in a text, each with the name of whose it is."""
    if "/home/" in text or "Users" in text:
        for match in HOME.finditer(text):
            yield match[0], match["user"]


def is_common(name: str) -> bool:
    """Whether a name says nothing about anybody."""
    is_short = len(name) < 3 and not name.istitle()
    return is_short or name.isdigit() or _COMMON.fullmatch(name) is not None


@cache
def _providers() -> tuple[re.Pattern[str], ...]:
    """Formats of secrets that detect-secrets knows; randomness is judged by us."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector
    from detect_secrets.plugins.basic_auth import BasicAuthDetector
    from detect_secrets.plugins.ip_public import IPPublicDetector
    from detect_secrets.plugins.npm import NpmDetector
    from detect_secrets.plugins.private_key import PrivateKeyDetector

    # We find these in full, or without taking long over a hostile text.
    own = (BasicAuthDetector, IPPublicDetector, NpmDetector, PrivateKeyDetector)
    detectors: Iterable[Any] = get_mapping_from_secret_type_to_class().values()
    return tuple(
        pattern
        for detector in detectors
        if issubclass(detector, RegexBasedDetector) and detector not in own
        for pattern in detector.denylist
    )


def _secrets(text: str) -> Iterator[str]:
    for pattern in _providers():
        for match in pattern.finditer(text):
            groups = [group for group in match.groups() if group and len(group) >= 16]
            yield max(groups, key=len, default=match[0]) + _rest(text, match.end())
    for needs, _what, pattern in TOKEN_PATTERNS:
        if needs in text:
            yield from (match[0] for match in pattern.finditer(text))


def _rest(text: str, end: int) -> str:
    """What follows a token without a break: the signature of a JSON Web Token."""
    rest = _REST.match(text, end)
    return rest[0] if rest and text[end - 1] == "." else ""


def _keys(text: str) -> Iterator[str]:
    yield from (match[0] for match in _PEM.finditer(text))


def _named(text: str) -> Iterator[str]:
    """Values that stand where a secret stands: after its name, option or header."""
    for match in _ASSIGNED.finditer(text):
        if value := match["quoted"]:
            is_value = not _NO_VALUE.match(value)
        else:
            value = match["bare"].rstrip(".,:;!?")
            is_value = _is_no_word(value) and not _NO_VALUE.match(value)
        if is_value:
            yield value
    for pattern in (_OPTION, _LOGIN, _HEADER):
        for match in pattern.finditer(text):
            is_word = pattern is _HEADER and not _is_no_word(match[1])
            if not is_word and not _NO_VALUE.match(match[1]):
                yield match[1]


def _is_no_word(value: str) -> bool:
    """Whether a value has more than the letters of a word: a digit, or signs in it."""
    return bool(re.search(r"\d|[a-z][A-Z]|\w[^\w.\-/]+\w", value)) and len(value) >= 6


def _logins(text: str) -> Iterator[str]:
    yield from (match[1] for match in _URL_LOGIN.finditer(text))


def _emails(text: str) -> Iterator[str]:
    yield from (match[0] for match in EMAIL.finditer(text))


def _ibans(text: str) -> Iterator[str]:
    for match in IBAN.finditer(text):
        if has_iban_digits(match[0]):
            yield match[0]
        elif shorter := _shorter_iban(match[0]):
            yield shorter


def _shorter_iban(text: str) -> str:
    """An account that is followed by a word in capitals."""
    parts = text.split(" ")
    tries = (" ".join(parts[:count]) for count in range(len(parts) - 1, 2, -1))
    return next((it for it in tries if has_iban_digits(it)), "")


def _cards(text: str) -> Iterator[str]:
    yield from (m[0] for m in CARD.finditer(text) if has_card_digits(m[0]))


def _phones(text: str) -> Iterator[str]:
    for match in _PHONE.finditer(text):
        if 7 <= sum(map(str.isdigit, match[0])) <= 15:
            yield match[0]
    yield from (match[1] for match in _PHONE_NAMED.finditer(text))


def _addresses(text: str) -> Iterator[str]:
    for match in _IPV4.finditer(text):
        if _is_address(match[0]) and not match[0].startswith(_HARMLESS_IP):
            yield match[0]
    if "::" in text or text.count(":") >= 7:
        for match in _IPV6.finditer(text):
            if _is_address(match[0]) and match[0] not in ("::", "::1"):
                yield match[0]
    yield from (match[0] for match in _MAC.finditer(text))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _users(text: str) -> Iterator[str]:
    for match in _PROMPT.finditer(text):
        if not is_common(match[1]):
            yield match[1]
    for key, value in _by_key(text):
        if "user" in key or key == "login":
            yield value


def _hosts(text: str) -> Iterator[str]:
    yield from (match[0] for match in _INNER_HOST.finditer(text))
    for match in _PROMPT.finditer(text):
        if not is_common(match[2]):
            yield match[2]
    for key, value in _by_key(text):
        if "host" in key and "." not in value:
            yield value


def _names(text: str) -> Iterator[str]:
    for key, value in _by_key(text):
        if not any(part in key for part in ("user", "host", "login")):
            yield value


def _by_key(text: str) -> Iterator[tuple[str, str]]:
    for match in _KEYED.finditer(text):
        value = match["quoted"] or match["bare"]
        if not is_common(value) and not _NO_VALUE.match(value):
            yield match["key"].lower(), value


def _ids(text: str) -> Iterator[str]:
    yield from (match[0] for match in _SSN.finditer(text))
    yield from random_ids(text)


_KEY_WORDS = re.compile(r"name|user|login|host", re.IGNORECASE)
_SECRET_WORDS = re.compile(
    r"pass|pwd|secret|token|key|auth|credential|bearer|basic|-u", re.IGNORECASE
)
_DIGIT = re.compile(r"\d{3}")


def _holds(word: str) -> Callable[[str], bool]:
    return lambda text: word in text


def _has(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.search(text) is not None


_FINDERS: tuple[tuple[str, Callable[[str], bool], Callable[[str], Iterator[str]]], ...]
_FINDERS = (
    ("SECRET", _holds("PRIVATE KEY"), _keys),
    ("SECRET", _has(re.compile(r"[\w./+-]{16}")), _secrets),
    ("CREDENTIALS", _holds("://"), _logins),
    ("SECRET", _has(_SECRET_WORDS), _named),
    ("EMAIL", _holds("@"), _emails),
    ("IBAN", _has(_DIGIT), _ibans),
    ("CARD", _has(_DIGIT), _cards),
    ("PHONE", _has(_DIGIT), _phones),
    ("IP", _has(re.compile(r"\d\.\d|:")), _addresses),
    ("USER", _has(re.compile(r"@|user|login", re.IGNORECASE)), _users),
    ("HOST", _has(re.compile(r"[@.]|host", re.IGNORECASE)), _hosts),
    ("NAME", _has(_KEY_WORDS), _names),
    ("ID", _has(re.compile(r"\d")), _ids),
)
